// SPDX-License-Identifier: Apache-2.0
// server_kind: on which kind of server the demo runs, and how it tells what is done there.
//
// Thread safety: values.
#pragma once

#include <optional>
#include <string_view>

namespace demo {

enum class server_kind { zookeeper, redis, postgresql, mariadb, sqlite };

// What happens to the second holder that is disturbed.
enum class second_blow {
    guarded_kill,  // it is killed, and a guardian closes its session
    server_kill,   // the server is killed under it, and started again with its data
    plain_kill,    // it is killed as the first one
};

struct server_words {
    std::string_view name;         // of the option
    std::string_view where;        // "a private Redis server"
    std::string_view clock;        // "the Redis server's clock"
    std::string_view killed_note;  // while the first kill is waited for
    std::string_view first_kill;   // the title of its panel
    second_blow second = second_blow::server_kill;
    bool freed_at_once = false;  // by the kernel, when a process has died
};

[[nodiscard]] const server_words& words_of(server_kind kind) noexcept;
[[nodiscard]] std::optional<server_kind> parse_server_kind(std::string_view name) noexcept;

}  // namespace demo
