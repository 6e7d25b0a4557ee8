// SPDX-License-Identifier: Apache-2.0
// greet: logs in at a server and checks it, before the client opens or resumes a session there.
//
// Thread safety: none. Call these functions on the thread that owns the connections (class `line`).
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
    away,         // no connection, or the server refuses writes now: retry later
    full,         // like away: the server's memory is used up
    unfit,        // the server must be configured differently, or has another release's tree
    too_old,      // like unfit: a later version of the server is needed
    credentials,  // a wrong password, or missing rights
};

struct greeting {
    welcome result = welcome::away;
    std::string reason;  // set unless ok
    server_facts facts;
    std::optional<server_address>
        moved_to;  // set if away: another node of the cluster has the tree
    std::array<std::string, k_script_count> digests;  // the server's names of the scripts
};

// Converts an error reply into a greeting, the result of the checks by greet(). `asked`: the refused command, for the
// message.
[[nodiscard]] greeting refused_by(std::string_view asked, const redisReply& error);

// Waits for the connection, logs in, selects the database, and checks whether the server's version and settings are
// suitable. Then checks whether this server has the tree (the keys of the client's znodes), and loads the scripts.
// `deadline` limits all steps together. Gives up when the descriptor `give_up` becomes readable.
[[nodiscard]] greeting greet(line& to, const redis_address& where, core::time_point deadline,
                             int give_up);
// Like `greet`, but only logs in. Use this function for the connection on which the server announces events.
[[nodiscard]] greeting greet_listener(line& to, const redis_address& where,
                                      core::time_point deadline, int give_up);
// Examines a server without opening a session. Makes the same checks as `greet` and also checks the version of the
// tree's layout, but loads no scripts.
[[nodiscard]] greeting examine(line& to, const redis_address& where, core::time_point deadline,
                               int give_up);

}  // namespace turnstile::redis
