// SPDX-License-Identifier: Apache-2.0
// with_lock: calls a function while a lock is held.
//
// Use it to get the error of acquire(), or the value of the function, as one result.
//
//     const auto shipped = turnstile::with_lock(orders, {.timeout = 2s}, [](turnstile::guard& hold) {
//         return ship(hold.fencing_token());
//     });
//     if (!shipped) log(shipped.error().message());
//
// with_lock() accepts every lock type whose acquire() returns a guard, like mutex, multi_lock and quorum_lock.
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

// Acquires `lock`, calls `function()` or `function(guard&)`, and then releases the lock. Returns
// - the function's value, or
// - the error of acquire(): the function has not run; or
// - the reason of a loss (`session_lost`, `removed`, `revoked`, `held_too_long`, `closed`), if the hold was lost before
//   the function returned. The function has run, another client may have held the lock meanwhile, and the function's
//   value is discarded.
//
// If the function returns a result<T>, such as the result of guard::commit(), this call also returns a result<T>. If
// that result is an error, this call returns that error, even if the hold was lost too.
//
// If the function throws an exception, the call releases the lock and passes the exception on to the caller.
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

// Runs the function under the lock. The wait for the lock has no limit.
template <acquirable L, class F>
auto with_lock(L& lock, F&& function) {
    return with_lock(lock, acquire_options{}, std::forward<F>(function));
}

}  // namespace turnstile
