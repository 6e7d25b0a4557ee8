// SPDX-License-Identifier: Apache-2.0
// redis::check: lets your own Lua script check that a hold still exists, in the same step as its write.
//
// Use it if the data that a lock protects are in the same Redis database as the lock.
//
//     const auto check = turnstile::redis::check(*hold).value();
//     const std::string script = std::string{turnstile::redis::stands_function()} +
//         "if not turnstile_stands(KEYS[1], ARGV[1]) then return redis.error_reply('NOTHELD') end "
//         "return redis.call('DECR', KEYS[2])";
//     redisCommand(db, "EVAL %s 2 %s %s %s", script.c_str(), check.key.c_str(), "{turnstile}:stock", check.znode.c_str());
//
// A fencing token lets a store refuse the write of an old holder only after the next holder has written. This check
// goes further. Redis executes a script as a whole and nothing beside it, so no other client gets the lock between the
// check and the write. The lock passes on only when the hold's znode is removed: by a release, by the end of the
// session, or by an operator. So no pause, however long, lets a write of this holder follow another client's grant
// (docs/why/redis.md).
//
// Limits:
// - The data must be in the database of the locks: the same server and database index. In a Redis Cluster all keys of a
//   script must be in one slot; so your keys begin with the hash tag of the locks' tree, "{turnstile}", or
//   "{turnstile:shop}" with "?tree=shop" in the connect string.
// - Threads of one process that hand a hold to each other (lock_options::retain_for, cohort) share one znode. The check
//   distinguishes processes, but not these threads.
//
// Thread safety: the same as the guard's. The call asks no server. The values stay the same for the whole hold, so you
// can read them once after the grant and use them in every script.
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

// Returns the arguments for this hold. Errors:
// - `not_held`: the guard is empty.
// - `bad_option`: the hold is not on a Redis server; or it consists of several holds (check each); or this build of the
//   library lacks Redis.
[[nodiscard]] TURNSTILE_EXPORT result<script_check> check(const guard& hold);

// Returns Lua code for the beginning of your script. It defines `turnstile_stands(key, znode)`, which is true while the
// hold exists.
[[nodiscard]] TURNSTILE_EXPORT std::string_view stands_function() noexcept;

}  // namespace redis

}  // namespace turnstile
