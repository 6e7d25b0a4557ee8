// SPDX-License-Identifier: Apache-2.0
#include "server_kind.hpp"

#include <algorithm>
#include <array>

namespace demo {

namespace {

constexpr std::string_view k_times_out = "its session times out";
constexpr std::string_view k_znode_kill =
    "The first kill: its znode goes when its session times out, and the next in the queue is "
    "granted";
constexpr std::string_view k_row_kill =
    "The first kill: its place in the queue goes when its session times out, by the server's "
    "clock, and the "
    "next is granted";
constexpr std::string_view k_file_kill =
    "The first kill: the kernel tells the others that the process has gone, and the next in the "
    "queue is "
    "granted at once";

constexpr std::array<server_words, 5> k_words{{
    {"zookeeper", "a private ZooKeeper", "the ZooKeeper server's clock", k_times_out, k_znode_kill,
     second_blow::guarded_kill, false},
    {"redis", "a private Redis, each write synced", "the Redis server's clock", k_times_out,
     k_row_kill, second_blow::server_kill, false},
    {"postgresql", "a private PostgreSQL", "the PostgreSQL server's clock", k_times_out, k_row_kill,
     second_blow::server_kill, false},
    {"mariadb", "a private MariaDB", "the MariaDB server's clock", k_times_out, k_row_kill,
     second_blow::server_kill, false},
    {"sqlite", "a SQLite file and no server", "this machine's clock",
     "the kernel lets go of its file", k_file_kill, second_blow::plain_kill, true},
}};

}  // namespace

const server_words& words_of(server_kind kind) noexcept {
    return k_words.at(static_cast<std::size_t>(kind));
}

std::optional<server_kind> parse_server_kind(std::string_view name) noexcept {
    const auto* const found =
        std::find_if(k_words.begin(), k_words.end(),
                     [&](const server_words& each) { return each.name == name; });
    if (found == k_words.end()) return std::nullopt;
    return static_cast<server_kind>(found - k_words.begin());
}

}  // namespace demo
