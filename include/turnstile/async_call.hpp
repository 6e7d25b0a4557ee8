// SPDX-License-Identifier: Apache-2.0
// async_call: calls that wait for the servers' answer, without a thread of the caller's that waits.
//
// Purpose: what has a form with a handler (async_acquire, async_upgrade, guard::async_commit) waits on no thread at
// all. Every other call (try_acquire, release, wait_connected, all queries) becomes an await by async_call():
//
//     auto look = [&orders](std::stop_token stop) { return orders.queue({.stop = stop}); };
//     auto queue = co_await turnstile::async_call(servers, look, pool);
//     auto hold = co_await turnstile::async_try_acquire(servers, orders, 1s, pool);
//     auto gone = co_await turnstile::async_release(servers, std::move(*hold), 5s, pool);
//
// The call is made on a worker of the client, 16 at once, so that as many are left for the client's own
// work; further ones take their turn. close() waits for those that are under way, which end with `closed`,
// and for those that wait, which find the client closed. The outcome is what the call returns. Exceptions: one of Turnstile's is its
// error; another one is logged, and the outcome is `cancelled`.
//
// How a coroutine goes on, and what holds when it is destroyed, see coroutine.hpp: the token that the call
// gets is triggered then, and what it returns is destroyed. For completion tokens of Asio see asio.hpp.
//
// Thread safety: all from any thread.
#pragma once

#include "turnstile/language.hpp"

#include <concepts>
#include <functional>
#include <memory>
#include <stop_token>
#include <system_error>
#include <type_traits>
#include <utility>

#include "turnstile/acquire_options.hpp"
#include "turnstile/acquisition_awaitable.hpp"
#include "turnstile/client.hpp"
#include "turnstile/coroutine.hpp"
#include "turnstile/export.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/result.hpp"
#include "turnstile/shared_mutex.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile {

namespace detail {

class client_impl;
// Null for a client that was moved from.
[[nodiscard]] TURNSTILE_EXPORT std::shared_ptr<client_impl> impl_of(const client& servers);
// Runs `work` on a thread of the client's that may block. False: it is not run, the client is closed, was moved
// from, or is another process's.
[[nodiscard]] TURNSTILE_EXPORT bool run_blocking(const std::shared_ptr<client_impl>& servers,
                                                 std::function<void()> work);
// The error for the exception being handled; an unknown exception is logged, and is `cancelled`.
[[nodiscard]] TURNSTILE_EXPORT error error_of_exception() noexcept;

template <class F>
decltype(auto) call_with(F& call, const std::stop_token& stop) {
    if constexpr (std::invocable<F&, std::stop_token>) {
        return call(stop);
    } else {
        return call();
    }
}

template <class F>
using call_outcome =
    std::remove_cvref_t<decltype(call_with(std::declval<F&>(), std::declval<std::stop_token>()))>;

}  // namespace detail

// What comes of an upgrade in a coroutine: the hold, upgraded or as it was, and why. Empty only if the coroutine
// was resumed by its owner.
struct upgraded_guard {
    upgraded_guard(guard of, result<void> how) : hold{std::move(of)}, outcome{std::move(how)} {}
    explicit upgraded_guard(error why) : outcome{std::move(why)} {}

    guard hold{};
    result<void> outcome;
};

// A function without arguments, or that takes the std::stop_token that ends it, whose outcome can be an error:
// a result.
template <class F>
concept blocking_call =
    (std::invocable<F&> ||
     std::invocable<F&, std::stop_token>)&&std::constructible_from<detail::call_outcome<F>, error>;

namespace detail {

// Each function below returns a start function of options and a handler, called once. The options carry the stop
// token, and the time-out of a commit and an upgrade.

template <class F>
auto started_call(const client& servers, F call) {
    using outcome = call_outcome<F>;
    return [servers = impl_of(servers), call = std::make_shared<F>(std::move(call))](
               const acquire_options& how, std::function<void(outcome)> done) {
        const auto work = [call, stop = how.stop, done] {
            try {
                done(outcome{call_with(*call, stop)});
            } catch (...) {
                done(outcome{error_of_exception()});
            }
        };
        if (!run_blocking(servers, work)) done(outcome{error{errc::closed}});
    };
}

template <class L>
auto started_try(const client& servers, L& lock, acquire_options options) {
    return started_call(servers, [&lock, options = std::move(options)](std::stop_token stop) {
        auto mine = options;
        mine.stop = std::move(stop);
        return lock.try_acquire(std::move(mine));
    });
}

inline auto started_release(const client& servers, guard&& hold, const wait_limit& limit) {
    const auto kept = std::make_shared<guard>(std::move(hold));  // std::function copies
    return started_call(servers, [kept, limit] {
        const auto deadline = limit.deadline();
        return deadline ? kept->release_until(*deadline) : kept->release();
    });
}

inline auto started_connection(client& servers, const wait_limit& limit) {
    return started_call(servers, [&servers, limit] {
        return servers.wait_connected(limit.deadline().value_or(boottime_clock::time_point::max()));
    });
}

inline auto started_commit(guard& hold, const transaction& writes) {
    return [&hold, writes](const acquire_options& how,
                           std::function<void(result<commit_result>)> done) {
        hold.async_commit(writes, {how.timeout, how.stop}, std::move(done));
    };
}

inline auto started_upgrade(shared_mutex& lock, guard&& hold) {
    const auto from = std::make_shared<guard>(std::move(hold));
    return [&lock, from](acquire_options how, std::function<void(upgraded_guard)> done) {
        lock.async_upgrade(std::move(*from), std::move(how),
                           [done = std::move(done)](guard of, result<void> outcome) {
                               done({std::move(of), std::move(outcome)});
                           });
    };
}

}  // namespace detail

// ---- to be awaited in any coroutine ---------------------------------------------------------------

// As executors, calls with captures that own something are variables, see coroutine.hpp.
template <class F>
concept awaitable_call = blocking_call<std::remove_cvref_t<F>> &&
    (std::is_lvalue_reference_v<F> || std::is_trivially_destructible_v<std::remove_cvref_t<F>>);

template <awaitable_call F, std::same_as<executor> E>
auto async_call(const client& servers, F&& call, E resume_on) {
    using outcome = detail::call_outcome<std::remove_cvref_t<F>>;
    return acquisition_awaitable<outcome>{
        detail::started_call<std::remove_cvref_t<F>>(servers, std::forward<F>(call)),
        {},
        std::move(resume_on)};
}

// lock.try_acquire(options).
template <class L, awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<result<guard>> async_try_acquire(const client& servers, L& lock, O&& options,
                                                       E resume_on) {
    const acquire_options how = detail::options_of(options);
    return {detail::started_try(servers, lock, how), {.stop = how.stop}, std::move(resume_on)};
}

// hold.release(). The hold is the call's; it cannot be stopped, and a coroutine that is destroyed leaves it to a
// worker.
template <std::convertible_to<wait_limit> W, std::same_as<executor> E>
acquisition_awaitable<result<void>> async_release(const client& servers, guard&& hold,
                                                  const W& limit, E resume_on) {
    return {detail::started_release(servers, std::move(hold), limit), {}, std::move(resume_on)};
}

// servers.wait_connected(limit).
template <std::convertible_to<wait_limit> W, std::same_as<executor> E>
acquisition_awaitable<result<void>> async_wait_connected(client& servers, const W& limit,
                                                         E resume_on) {
    return {detail::started_connection(servers, limit), {}, std::move(resume_on)};
}

// hold.commit(what); no thread waits. The options are acquire_options, of which timeout and stop are used, or a
// time-out or deadline alone.
template <awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<result<commit_result>> async_commit(guard& hold, const transaction& writes,
                                                          O&& options, E resume_on) {
    return {detail::started_commit(hold, writes), detail::options_of(options),
            std::move(resume_on)};
}

// lock.upgrade(hold); no thread waits. The hold is the await's until it is over: it is released with the coroutine.
template <awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<upgraded_guard> async_upgrade(shared_mutex& lock, guard&& hold, O&& options,
                                                    E resume_on) {
    return {detail::started_upgrade(lock, std::move(hold)), detail::options_of(options),
            std::move(resume_on)};
}

}  // namespace turnstile
