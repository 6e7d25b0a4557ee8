// SPDX-License-Identifier: Apache-2.0
// Fuzzes rows of the tables, which other programs may have changed. The library reads a row with numbers in their
// bounds, or refuses it by a database_error with a printable message. The library reads its own rows back unchanged.
#include <string>
#include <string_view>

#include "base/path.hpp"
#include "fuzz_input.hpp"
#include "local/znode_path.hpp"
#include "sql/rows.hpp"

namespace {

using namespace turnstile;
using fuzz::expect;

// Returns false if the row is refused.
bool reads(auto&& reader) {
    try {
        reader();
        return true;
    } catch (const sql::database_error& why) {
        const std::string_view text{why.what()};
        expect(fuzz::is_printable_ascii(text) && text.size() <= 500, "a refusal cannot be shown",
               text);
        return false;
    }
}

// Returns the cells that stored_nodes writes for a node.
sql::row cells_of(const sql::stored_node& n, const std::string& path) {
    const auto access = n.access.read_only        ? std::string{sql::k_read_only}
                        : n.access.owners.empty() ? std::string{}
                                                  : *n.access.owners.begin();
    return {path,
            n.data,
            access,
            std::to_string(static_cast<std::int64_t>(n.kind)),
            std::to_string(n.stat.ephemeral_owner),
            std::to_string(n.stat.czxid),
            std::to_string(n.stat.mzxid),
            std::to_string(n.stat.pzxid),
            std::to_string(n.stat.ctime),
            std::to_string(n.stat.mtime),
            std::to_string(n.stat.version),
            std::to_string(n.creates),
            std::to_string(n.stat.num_children)};
}

void check_node(const sql::row& cells) {
    const auto node = sql::node_in(sql::row{cells});
    expect(node.kind == local::tree_node_kind::plain ||
               node.kind == local::tree_node_kind::ephemeral ||
               node.kind == local::tree_node_kind::container,
           "a node is of no kind");
    expect(node.data == cells[1], "the data are others");
    const auto again = sql::node_in(cells_of(node, cells[0]));
    expect(again.data == node.data && again.kind == node.kind && again.stat == node.stat &&
               again.creates == node.creates && again.access.read_only == node.access.read_only &&
               again.access.owners == node.access.owners,
           "a node is read in another way than it was written");
}

void check_news(const sql::row& cells) {
    const auto event = sql::event_in(sql::row{cells});
    expect(!(event.own_removed && event.fired), "an event is of two kinds");
    expect(!event.fired || *event.fired <= core::watch_kind::children, "an event is of no kind");
    expect(event.path == cells[3], "the path is another one");
}

void check_child(const sql::row& cells) {
    const auto found = sql::child_in(cells);
    if (!found) return;
    expect(found->name.find('/') == std::string::npos, "a name is a path", found->name);
    expect(base::child_path(local::parent_of(cells[3]), found->name) == cells[3],
           "a child is of another folder", cells[3]);
}

void check_number(const std::string& cell) {
    const auto number = sql::to_integer(cell);
    expect(sql::to_integer(std::to_string(number)) == number, "a number is another one", cell);
    const auto span = sql::span_in(cell);
    expect(span >= -std::chrono::hours{24} && span <= std::chrono::hours{24},
           "a deadline is out of bounds", cell);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t k_columns = 13;
    const auto cells = fuzz::lines_of({reinterpret_cast<const char*>(data), size}, k_columns);
    reads([&] { check_node(cells); });
    reads([&] { check_news(cells); });
    reads([&] { check_child(cells); });
    reads([&] { check_number(cells[0]); });
    return 0;
}
