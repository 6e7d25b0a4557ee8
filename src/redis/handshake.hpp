// SPDX-License-Identifier: Apache-2.0
// greet: what is asked of a server before a session is begun or taken up on it.
//
// Thread safety: none of its own: on the thread that owns the lines.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "redis/connect_string.hpp"
#include "redis/line.hpp"
#include "redis/scripts.hpp"
#include "redis/server_words.hpp"

namespace turnstile::redis {

enum class welcome {
    ok,
    away,         // no connection, or the server takes no writes now: again later
    full,         // as away: its memory is used up
    unfit,        // the server must be set up differently, or the tree is another release's
    too_old,      // as unfit: the server has to be of a later version
    credentials,  // a wrong password, or rights are missing
};

struct greeting {
    welcome result = welcome::away;
    std::string reason;  // where it is not ok
    server_facts facts;
    std::optional<server_address>
        moved_to;  // where it is away: another node of the cluster has the tree
    std::array<std::string, k_script_count> digests;  // by which the server knows the scripts
};

// What an error reply to `asked` comes to.
[[nodiscard]] greeting refused_by(std::string_view asked, const redisReply& error);

// Waits for the connection; then password, database, facts, whether the tree is there, scripts. `deadline` is for all of
// it; `give_up`: a descriptor that ends it.
[[nodiscard]] greeting greet(line& to, const connect_string& where, core::time_point deadline,
                             int give_up);
// Password alone, for a connection on which the server only sends.
[[nodiscard]] greeting greet_listener(line& to, const connect_string& where,
                                      core::time_point deadline, int give_up);
// As `greet`, and the tree's layout in place of the scripts, whose attach asks for it: for a look at the server.
[[nodiscard]] greeting examine(line& to, const connect_string& where, core::time_point deadline,
                               int give_up);

}  // namespace turnstile::redis
