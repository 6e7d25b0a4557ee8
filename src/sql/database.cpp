// SPDX-License-Identifier: Apache-2.0
#include "sql/database.hpp"

#include <fmt/core.h>

#include <charconv>

#include "base/path.hpp"

namespace turnstile::sql {
namespace {

template <class Items, class Text>
std::string listed(const phrases& words, const Items& items, Text text_of) {
    std::string list;
    for (const auto& item : items) list += (list.empty() ? "" : ",") + text_of(item);
    return list.empty() ? words.empty_list : words.list_begin + list + words.list_end;
}

}  // namespace

std::int64_t to_integer(const std::string& cell) {
    std::int64_t number = 0;
    const auto [end, wrong] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    if (wrong != std::errc{} || end != cell.data() + cell.size())
        throw database_error{failure::fatal, base::printable(cell) + " is no number"};
    return number;
}

void check_version(const std::string& name, std::int64_t of_tables) {
    constexpr std::int64_t k_schema = 2;
    if (of_tables != k_schema)
        throw database_error{failure::fatal, name,
                             fmt::format("has tables of version {}; this release needs version {}",
                                         of_tables, k_schema)};
}

std::string in_double_quotes(std::string_view item) {
    std::string out = "\"";
    for (const char c : item) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

value database::list_of(std::span<const std::string> items) const {
    return listed(words(), items, words().quoted);
}

value database::list_of(std::span<const std::int64_t> items) const {
    return listed(words(), items, [](std::int64_t item) { return std::to_string(item); });
}

asked_statement database::ask_to_update_session(const std::string& assignments,
                                                const std::string& condition,
                                                const std::string& answer,
                                                std::initializer_list<value> arguments) {
    return ask("UPDATE turnstile_sessions SET " + assignments + " WHERE " + condition +
                   " RETURNING " + answer,
               arguments);
}

database::asked_start database::ask_to_start(const std::string& assignments,
                                             const std::string& condition,
                                             const std::string& answer,
                                             std::initializer_list<value> arguments,
                                             std::span<const std::string> paths) {
    const asked_statement session =
        ask_to_update_session(assignments, condition, answer, arguments);
    lock(paths, lock_mode::exclusive);
    return {session, ask_number()};
}

std::optional<database::start> database::started(const asked_start& asked) {
    const result_rows session = answer(asked.session);
    if (session.rows.empty() || session.rows.front().front().empty()) return std::nullopt;
    const row& cells = session.rows.front();
    return start{to_integer(cells.front()),
                 to_integer(asked.number ? answer(*asked.number).rows.front().front() : cells[1])};
}

result_rows database::answer(asked_statement which) {
    const auto found = answers_.extract(which);
    if (found.empty())
        throw database_error{failure::fatal,
                             "internal error: the client read the answer of one statement twice"};
    return std::move(found.mapped());
}

}  // namespace turnstile::sql
