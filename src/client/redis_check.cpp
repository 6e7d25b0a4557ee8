// SPDX-License-Identifier: Apache-2.0
// Implements redis::check: finds the contender's record in Redis, so that a program's Lua script can check the hold.
#include "turnstile/redis.hpp"

#include "client/hold.hpp"
#include "modules/find.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::redis {

// A guard of a Redis lock exists only if its client has loaded the Redis module, so modules::loaded() suffices.
result<script_check> check(const guard& hold) {
    const auto held = detail::usable_hold(hold, "redis::check");
    if (!held) return held.error();
    const auto* const single = dynamic_cast<const detail::znode_hold*>(held->get());
    if (single == nullptr)
        return error{
            errc::bad_option,
            hold.path() +
                ": this hold consists of several holds; call redis::check for each of them"};
    const auto contender = single->standing();
    if (const auto* const module = modules::loaded(modules::module_kind::redis)) {
        auto check = module->check_of_script(contender.servers, contender.path);
        if (check) return check;
    }
    return error{errc::bad_option, hold.path() + ": this hold is not on a Redis server"};
}

std::string_view stands_function() noexcept {
    return "local function turnstile_stands(key, znode) "
           "return redis.call('HEXISTS', key, znode) == 1 end ";
}

}  // namespace turnstile::redis
