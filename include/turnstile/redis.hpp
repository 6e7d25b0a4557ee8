// SPDX-License-Identifier: Apache-2.0
// redis::check: returns what a Lua script of your program needs to check a hold. The script then writes only if the
// hold still exists. Redis executes the check and the writes in one step.
//
// Use it if the lock and the data that it protects are in the same Redis database.
//
//     const auto check = turnstile::redis::check(*hold).value();
//     const std::string script = std::string{turnstile::redis::stands_function()} +
//         "if not turnstile_stands(KEYS[1], ARGV[1]) then return redis.error_reply('NOTHELD') end "
//         "return redis.call('DECR', KEYS[2])";
//     redisCommand(db, "EVAL %s 2 %s %s %s", script.c_str(), check.key.c_str(), "{turnstile}:stock",
//                  check.znode.c_str());
//
// With a fencing token a store can refuse the write of an old holder, but only after the next holder has written. This
// check is stronger. Redis executes nothing else while it executes a script, so no other client gets the lock between
// the check and the write. Another client is granted the lock only after the hold's znode is removed: by a release, by
// the end of the session, or by an operator. So however long the program is paused, a write of this holder never comes
// after another client's grant (docs/why/redis.md).
//
// Limits:
// - The data must be in the database of the locks: the same server and database index. In a Redis Cluster all keys of a
//   script must be in one slot. So your keys must begin with the hash tag of the locks: "{turnstile}", or
//   "{turnstile:shop}" if the connect string has "?tree=shop".
// - If threads of one process hand a hold over to each other (lock_options::retain_for, cohort), they share one znode.
//   The check cannot distinguish these threads.
//
// Thread safety: the same as the guard's. The call sends nothing. You can get the values once after the grant and use
// them in every script during the hold. Only an upgrade or downgrade of a `shared_mutex` changes the values.
#pragma once

#include <string>
#include <string_view>

#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

class guard;

namespace redis {

// The arguments for your script.
struct script_check {
    std::string key{};    // add it to KEYS
    std::string znode{};  // add it to ARGV
    friend bool operator==(const script_check&, const script_check&) = default;
};

// Returns the two arguments, key and znode, with which your script calls the Lua function turnstile_stands() to check
// this hold. Errors:
// - `not_held`: the guard is empty.
// - `bad_option`: the hold is not on a Redis server; or it consists of several holds (check each one); or this build of
//   the library lacks Redis.
[[nodiscard]] TURNSTILE_EXPORT result<script_check> check(const guard& hold);

// Returns Lua code for the beginning of your script. The code defines the function `turnstile_stands(key, znode)`,
// which returns true while the hold exists.
[[nodiscard]] TURNSTILE_EXPORT std::string_view stands_function() noexcept;

}  // namespace redis

}  // namespace turnstile
