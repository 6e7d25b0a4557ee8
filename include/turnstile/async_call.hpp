// SPDX-License-Identifier: Apache-2.0
// async_call: runs a blocking call on a thread of the client, so that a coroutine can await its result.
//
// Some calls also exist in a form with a handler (async_acquire, async_upgrade, guard::async_commit), for which no
// thread waits. Use async_call() for every other call: try_acquire, release, wait_connected, and all queries.
//
//     auto look = [&orders](std::stop_token stop) { return orders.queue({.stop = stop}); };
//     auto queue = co_await turnstile::async_call(servers, look, pool);
//     auto hold = co_await turnstile::async_try_acquire(servers, orders, 1s, pool);
//     auto gone = co_await turnstile::async_release(servers, std::move(*hold), 5s, pool);
//
// The call runs on a worker thread of the client. At most 16 such calls run at once, so that 16 workers remain for the
// client's own work; further calls wait for a worker. close() waits for running calls, which end with `closed`, and for
// waiting calls, which fail because the client is closed. The outcome is the value that the call returns. If the call
// throws an exception of Turnstile, the outcome is the exception's error. If it throws another exception, the library
// logs it, and the outcome is `cancelled`.
//
// coroutine.hpp states how the coroutine continues. If the coroutine is destroyed, the library triggers the stop token
// of the call, and destroys the outcome. For completion tokens of Asio see asio.hpp.
//
// Thread safety: any thread may call these functions.
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
// Returns the implementation of a client; null if the client was moved from.
[[nodiscard]] TURNSTILE_EXPORT std::shared_ptr<client_impl> impl_of(const client& servers);
// Runs `work` on a worker thread of the client. Returns false, and does not run `work`, if the client is closed, was
// moved from, or belongs to another process.
[[nodiscard]] TURNSTILE_EXPORT bool run_blocking(const std::shared_ptr<client_impl>& servers,
                                                 std::function<void()> work);
// Returns the error for the exception that is being handled. An unknown exception is logged, and becomes `cancelled`.
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

// The outcome of an upgrade in a coroutine: the hold, upgraded or unchanged, and the result. The hold is empty only if
// the coroutine's owner resumed the coroutine early.
struct upgraded_guard {
    // The hold `of` after the upgrade, and the result `how` of the upgrade.
    upgraded_guard(guard of, result<void> how) : hold{std::move(of)}, outcome{std::move(how)} {}
    // Makes an outcome without a hold, with the error `why`.
    explicit upgraded_guard(error why) : outcome{std::move(why)} {}

    guard hold{};          // the hold; empty only if the coroutine was resumed early
    result<void> outcome;  // success, or the error of upgrade()
};

// A function that returns a result, or another type that is constructible from an error. The function takes no
// argument, or a std::stop_token that ends the call.
template <class F>
concept blocking_call =
    (std::invocable<F&> ||
     std::invocable<F&, std::stop_token>)&&std::constructible_from<detail::call_outcome<F>, error>;

namespace detail {

// The functions started_...() return a function that starts a call. An acquisition_awaitable calls the returned
// function once, with options and a handler. All returned functions use the stop token of the options; the functions
// for a commit and an upgrade also use the timeout.

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
    const auto kept =
        std::make_shared<guard>(std::move(hold));  // std::function needs a copyable callable
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

// ---- functions to await in any coroutine ----------------------------------------------------------

// A function that a coroutine can await. If the function's captures own something, make the function a variable before
// the co_await; the same applies to the executor (coroutine.hpp gives the reason).
template <class F>
concept awaitable_call = blocking_call<std::remove_cvref_t<F>> &&
    (std::is_lvalue_reference_v<F> || std::is_trivially_destructible_v<std::remove_cvref_t<F>>);

// Runs `call` on a worker thread of `servers`. The executor `resume_on` then resumes the coroutine, and the outcome of
// `call` is the result of the co_await.
template <awaitable_call F, std::same_as<executor> E>
auto async_call(const client& servers, F&& call, E resume_on) {
    using outcome = detail::call_outcome<std::remove_cvref_t<F>>;
    return acquisition_awaitable<outcome>{
        detail::started_call<std::remove_cvref_t<F>>(servers, std::forward<F>(call)),
        {},
        std::move(resume_on)};
}

// Awaits lock.try_acquire(options), on a worker thread of `servers`. `resume_on` resumes the coroutine.
template <class L, awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<result<guard>> async_try_acquire(const client& servers, L& lock, O&& options,
                                                       E resume_on) {
    const acquire_options how = detail::options_of(options);
    return {detail::started_try(servers, lock, how), {.stop = how.stop}, std::move(resume_on)};
}

// Awaits hold.release(limit), on a worker thread of `servers`. The call owns the hold and cannot be stopped: if the
// coroutine is destroyed, the worker completes the release. `resume_on` resumes the coroutine.
template <std::convertible_to<wait_limit> W, std::same_as<executor> E>
acquisition_awaitable<result<void>> async_release(const client& servers, guard&& hold,
                                                  const W& limit, E resume_on) {
    return {detail::started_release(servers, std::move(hold), limit), {}, std::move(resume_on)};
}

// Awaits servers.wait_connected(limit), on a worker thread. `resume_on` resumes the coroutine.
template <std::convertible_to<wait_limit> W, std::same_as<executor> E>
acquisition_awaitable<result<void>> async_wait_connected(client& servers, const W& limit,
                                                         E resume_on) {
    return {detail::started_connection(servers, limit), {}, std::move(resume_on)};
}

// Awaits hold.commit(writes); no thread waits. `options` is a timeout, a deadline, or acquire_options, of which the
// call uses only `timeout` and `stop`. `resume_on` resumes the coroutine.
template <awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<result<commit_result>> async_commit(guard& hold, const transaction& writes,
                                                          O&& options, E resume_on) {
    return {detail::started_commit(hold, writes), detail::options_of(options),
            std::move(resume_on)};
}

// Awaits lock.upgrade(hold); no thread waits. The call owns the hold until the coroutine gets the hold back: if the
// coroutine is destroyed, the hold is released. `resume_on` resumes the coroutine.
template <awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<upgraded_guard> async_upgrade(shared_mutex& lock, guard&& hold, O&& options,
                                                    E resume_on) {
    return {detail::started_upgrade(lock, std::move(hold)), detail::options_of(options),
            std::move(resume_on)};
}

}  // namespace turnstile
