// SPDX-License-Identifier: Apache-2.0
// greet: checks a server before the client starts or continues a session on it.
//
// Thread safety: none. Call these functions on the thread that owns the lines.
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

// Converts an error reply into a greeting. `asked`: the request, for the reason.
[[nodiscard]] greeting refused_by(std::string_view asked, const redisReply& error);

// Waits for the connection, and sends the password and the number of the database. Then reads the server's facts, asks
// whether the server has the tree, and loads the scripts. `deadline` is for all of these steps. Gives up when
// `give_up`, a descriptor, becomes readable.
[[nodiscard]] greeting greet(line& to, const connect_string& where, core::time_point deadline,
                             int give_up);
// Sends only the password. Use it for the connection on which only the server sends.
[[nodiscard]] greeting greet_listener(line& to, const connect_string& where,
                                      core::time_point deadline, int give_up);
// Does the same as `greet`, to examine a server without a session. Reads the version of the tree's layout, which
// otherwise the attach checks, and loads no scripts.
[[nodiscard]] greeting examine(line& to, const connect_string& where, core::time_point deadline,
                               int give_up);

}  // namespace turnstile::redis
