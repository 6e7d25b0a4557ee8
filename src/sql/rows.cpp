// SPDX-License-Identifier: Apache-2.0
#include "sql/rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/path.hpp"
#include "local/znode_path.hpp"

namespace turnstile::sql {
namespace {

local::acl acl_in(const std::string& cell) {
    if (cell == k_read_only) return {true, {}};
    return cell.empty() ? local::acl{} : local::acl{false, {cell}};
}

std::int32_t int32_in(const std::string& cell) {
    using limits = std::numeric_limits<std::int32_t>;
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>(to_integer(cell), limits::min(), limits::max()));
}

local::tree_node_kind kind_in(const std::string& cell) {
    switch (const auto kind = static_cast<local::tree_node_kind>(int32_in(cell))) {
        case local::tree_node_kind::plain:
        case local::tree_node_kind::ephemeral:
        case local::tree_node_kind::container: return kind;
    }
    return local::tree_node_kind::plain;
}

}  // namespace

stored_node node_in(row&& cells) {
    stored_node n;
    n.data = std::move(cells[1]);
    n.access = acl_in(cells[2]);
    n.kind = kind_in(cells[3]);
    n.creates = int32_in(cells[11]);
    n.stat.ephemeral_owner = to_integer(cells[4]);
    n.stat.czxid = to_integer(cells[5]);
    n.stat.mzxid = to_integer(cells[6]);
    n.stat.pzxid = to_integer(cells[7]);
    n.stat.ctime = to_integer(cells[8]);
    n.stat.mtime = to_integer(cells[9]);
    n.stat.version = int32_in(cells[10]);
    n.stat.num_children = int32_in(cells[12]);
    n.stat.cversion = visible_cversion(n.creates, n.stat.num_children);
    n.stat.data_length = static_cast<std::int32_t>(n.data.size());
    return n;
}

event_row event_in(row&& cells) {
    const auto kind = to_integer(cells[2]);
    event_row event{.id = to_integer(cells[1]),
                    .nonce = to_integer(cells[4]),
                    .own_removed = kind == k_own_removed,
                    .path = std::move(cells[3])};
    constexpr auto k_last = static_cast<std::int64_t>(core::watch_kind::children);
    if (kind >= 0 && kind <= k_last) event.fired = static_cast<core::watch_kind>(kind);
    return event;
}

std::optional<child> child_in(const row& cells) {
    const std::string& path = cells[3];
    const auto name = local::name_of(path);
    if (name.empty() || base::child_path(local::parent_of(path), name) != path) return std::nullopt;
    return child{std::string{name}, to_integer(cells[1])};
}

std::chrono::microseconds span_in(const std::string& cell) {
    constexpr std::int64_t k_longest = std::chrono::microseconds{std::chrono::hours{24}}.count();
    return std::chrono::microseconds{std::clamp(to_integer(cell), -k_longest, k_longest)};
}

std::int32_t visible_cversion(std::int32_t creates, std::int32_t children) noexcept {
    const auto doubled = static_cast<std::uint32_t>(creates) * 2U;
    return static_cast<std::int32_t>(doubled - static_cast<std::uint32_t>(children));
}

}  // namespace turnstile::sql
