// SPDX-License-Identifier: Apache-2.0
// redis::check: does a hold still stand, asked inside the program's own Lua script, in the same step as its write.
//
//     const auto check = turnstile::redis::check(*hold).value();
//     const std::string script = std::string{turnstile::redis::stands_function()} +
//         "if not turnstile_stands(KEYS[1], ARGV[1]) then return redis.error_reply('NOTHELD') end "
//         "return redis.call('DECR', KEYS[2])";
//     redisCommand(db, "EVAL %s 2 %s %s %s", script.c_str(), check.key.c_str(), "{turnstile}:stock", check.znode.c_str());
//
// A fencing token lets a program's data refuse the write of a holder that was overtaken, once the one that overtook it has
// written. This goes further: Redis runs a script as a whole, and nothing beside it, so no holder is overtaken between
// the look and the write. The lock passes on only with the removal of the hold's contender znode: by a release, by the
// end of the session, by an operator's hand. So there is no pause, however long, after which a write of this holder
// comes behind another client's grant (docs/why/redis.md).
//
// The program's data are in the database of the locks: the same server and database index. On a Redis Cluster all keys
// of a script are in one slot, so the program's begin with the hash tag of the locks' tree, "{turnstile}" or, with
// "?tree=shop" in the connect string, "{turnstile:shop}".
//
// Holds that threads of one process hand to each other (lock_options::retain_for, cohort) stand on one znode: the check
// tells processes apart there, and not the threads of one.
//
// Thread safety: that of the guard. Asks no server: the values stay good for as long as the hold, and may be taken at the
// grant and used in every script from then on.
#pragma once

#include <string>
#include <string_view>

#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

class guard;

namespace redis {

// What the program's script is told.
struct script_check {
    std::string key{};    // belongs to its KEYS
    std::string znode{};  // belongs to its ARGV
    friend bool operator==(const script_check&, const script_check&) = default;
};

// Errors:
//   not_held       the guard is empty
//   bad_option     the hold is not one of a Redis server; it consists of several (check each); or this build of the
//                  library lacks Redis
[[nodiscard]] TURNSTILE_EXPORT result<script_check> check(const guard& hold);

// Lua, for the beginning of the program's script: `turnstile_stands(key, znode)`, true while the hold stands.
[[nodiscard]] TURNSTILE_EXPORT std::string_view stands_function() noexcept;

}  // namespace redis

}  // namespace turnstile
