// SPDX-License-Identifier: Apache-2.0
// with_lock: a function called while a lock is held.
//
// Purpose: the outcome of the lock and that of the function are one result.
//
//     const auto shipped = turnstile::with_lock(orders, {.timeout = 2s}, [](turnstile::guard& hold) {
//         return ship(hold.fencing_token());
//     });
//     if (!shipped) log(shipped.error().message());
//
// Any recipe whose acquire() returns a guard will do: mutex, multi_lock, quorum_lock.
//
// Thread safety: that of the lock.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "turnstile/acquire_options.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

template <class L>
concept acquirable = requires(L& lock, acquire_options options) {
    { lock.acquire(options) } -> std::same_as<result<guard>>;
};

// Calls `function()` or `function(guard&)` while holding `lock`. Returns its value; or why the lock was not
// taken; or, if the hold was lost before the function returned, why (session_lost, removed, revoked, held_too_long,
// closed): then the function has run, another client may have held the lock meanwhile, and its value is dropped.
// What the function throws is thrown on after the release.
template <acquirable L, class F>
auto with_lock(L& lock, acquire_options options, F&& function) {
    const auto call = [&function](guard& hold) -> decltype(auto) {
        if constexpr (std::is_invocable_v<F, guard&>) {
            return std::forward<F>(function)(hold);
        } else {
            return std::forward<F>(function)();
        }
    };
    using value = std::decay_t<decltype(call(std::declval<guard&>()))>;
    auto hold = lock.acquire(std::move(options));
    if (!hold) return result<value>{hold.error()};
    // A function that gave its guard away or released it has seen to the hold itself.
    const auto kept = [&hold] { return *hold ? hold->status() : result<void>{}; };
    if constexpr (std::is_void_v<value>) {
        call(*hold);
        return kept();
    } else {
        result<value> answer{call(*hold)};
        if (const auto still = kept(); !still) return result<value>{still.error()};
        return answer;
    }
}

// With a time-out or deadline alone: with_lock(orders, 2s, ship).
template <acquirable L, waiting_time W, class F>
auto with_lock(L& lock, const W& limit, F&& function) {
    return with_lock(lock, acquire_options{.timeout = limit}, std::forward<F>(function));
}

template <acquirable L, class F>
auto with_lock(L& lock, F&& function) {
    return with_lock(lock, acquire_options{}, std::forward<F>(function));
}

}  // namespace turnstile
