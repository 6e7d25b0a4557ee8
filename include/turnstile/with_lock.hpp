// SPDX-License-Identifier: Apache-2.0
// with_lock: calls a function while a lock is held.
//
// Use it to get the outcome of the lock and the value of the function as one result.
//
//     const auto shipped = turnstile::with_lock(orders, {.timeout = 2s}, [](turnstile::guard& hold) {
//         return ship(hold.fencing_token());
//     });
//     if (!shipped) log(shipped.error().message());
//
// It works with every recipe whose acquire() returns a guard, like mutex, multi_lock and quorum_lock.
//
// Thread safety: the same as the lock's.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "turnstile/acquire_options.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// A lock whose acquire() returns a guard.
template <class L>
concept acquirable = requires(L& lock, acquire_options options) {
    { lock.acquire(options) } -> std::same_as<result<guard>>;
};

// Calls `function()` or `function(guard&)` while it holds `lock`, then releases the lock. Returns
// - the function's value, or
// - the error of acquire(): the function has not run; or
// - the reason of a loss (`session_lost`, `removed`, `revoked`, `held_too_long`, `closed`): the hold was lost before
//   the function returned. The function has run, another client may have held the lock meanwhile, and the value is
//   dropped.
//
// A function that returns a result<T>, such as the result of guard::commit(), makes this call return a result<T> too:
// the function's error is the error of the call, also after a loss of the hold.
//
// An exception of the function is thrown on after the release.
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
    using outcome = std::conditional_t<detail::is_result<value>, value, result<value>>;
    auto hold = lock.acquire(std::move(options));
    if (!hold) return outcome{hold.error()};
    // The function may have moved or released its guard. Then this call does not check the hold.
    const auto kept = [&hold] { return *hold ? hold->status() : result<void>{}; };
    if constexpr (std::is_void_v<value>) {
        call(*hold);
        return kept();
    } else {
        outcome answer{call(*hold)};
        if (answer.has_error()) return answer;
        if (const auto still = kept(); !still) return outcome{still.error()};
        return answer;
    }
}

// Runs the function under the lock, with a timeout or a deadline in place of options: with_lock(orders, 2s, ship).
template <acquirable L, waiting_time W, class F>
auto with_lock(L& lock, const W& limit, F&& function) {
    return with_lock(lock, acquire_options{.timeout = limit}, std::forward<F>(function));
}

// Runs the function under the lock, without a limit of the wait.
template <acquirable L, class F>
auto with_lock(L& lock, F&& function) {
    return with_lock(lock, acquire_options{}, std::forward<F>(function));
}

}  // namespace turnstile
