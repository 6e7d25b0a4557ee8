// SPDX-License-Identifier: Apache-2.0
// What a guard's hold is to a program's own Lua script: the record of its contender.
#include "turnstile/redis.hpp"

#include "client/internals.hpp"
#include "turnstile/guard.hpp"
#ifdef TURNSTILE_WITH_REDIS
#include "redis/connect_string.hpp"
#include "redis/scripts.hpp"
#endif

namespace turnstile::redis {

#ifdef TURNSTILE_WITH_REDIS
result<script_check> check(const guard& hold) {
    const auto held = detail::internals::hold_of(hold);
    if (held == nullptr) return error{errc::not_held, "redis::check"};
    const auto contender = held->standing();
    if (contender.path.empty())
        return error{errc::bad_option,
                     hold.path() + ": a hold that is made of several is checked one by one"};
    const auto where = parse_connect_string(contender.servers);
    if (!where)
        return error{errc::bad_option, hold.path() + ": this hold is not one of a Redis server"};
    return script_check{znodes_key(key_prefix(*where)), where->chroot + contender.path};
}
#else
result<script_check> check(const guard& /*hold*/) {
    return error{errc::bad_option,
                 "redis::check: this build has no Redis back end (TURNSTILE_WITH_REDIS)"};
}
#endif

std::string_view stands_function() noexcept {
    return "local function turnstile_stands(key, znode) "
           "return redis.call('HEXISTS', key, znode) == 1 end ";
}

}  // namespace turnstile::redis
