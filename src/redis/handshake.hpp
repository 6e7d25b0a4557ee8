// SPDX-License-Identifier: Apache-2.0
// greet: checks a server before a session begins or continues on it.
//
// Thread safety: none by itself: to be called on the thread that owns the lines.
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
    away,         // no connection, or the server takes no writes now: retry later
    full,         // like away: its memory is used up
    unfit,        // the server must be configured differently, or the tree is another release's
    too_old,      // like unfit: the server must be of a later version
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

// Returns the meaning of an error reply to `asked`.
[[nodiscard]] greeting refused_by(std::string_view asked, const redisReply& error);

// Waits for the connection, then sends the password and the database, and reads facts, whether the tree exists, and
// the scripts. `deadline` is for everything; `give_up`: a descriptor that ends it.
[[nodiscard]] greeting greet(line& to, const connect_string& where, core::time_point deadline,
                             int give_up);
// Sends only the password, for a connection on which only the server sends.
[[nodiscard]] greeting greet_listener(line& to, const connect_string& where,
                                      core::time_point deadline, int give_up);
// The same as `greet`, to examine a server: reads the tree's layout, which the attach checks otherwise, but no scripts.
[[nodiscard]] greeting examine(line& to, const connect_string& where, core::time_point deadline,
                               int give_up);

}  // namespace turnstile::redis
