// async_acquire: waiting for a lock in a coroutine.
//
// Purpose: a thin layer over the recipes' member async_acquire, for any coroutine type.
//
//     task ship(turnstile::mutex& orders, turnstile::executor pool) {
//         if (auto hold = co_await turnstile::async_acquire(orders, 2s, pool))
//             write(hold->fencing_token());   // on the pool
//     }
//
// | recipe            | awaited by                                                                    |
// |-------------------|-------------------------------------------------------------------------------|
// | any but the next  | async_acquire(lock, options, pool), async_acquire(lock, pool)                 |
// | recursive_mutex   | async_acquire(lock, options, owner, pool)                                     |
// | shared_mutex      | these also: async_acquire_shared, async_acquire_upgrade, and async_upgrade    |
// | semaphore         | this also: async_acquire(semaphore, permits, options, pool)                   |
//
// The options are acquire_options, or a time-out or deadline alone. A lock of the user's own is awaited like
// a recipe if it has the same member (async_lockable).
//
// What happens, step by step:
// - Nothing starts before the await: an awaitable that is not awaited does nothing. It can be awaited
//   once; again throws std::system_error(bad_option).
// - The outcome is what the recipe's acquire() returns, as a value. What the recipe's async_acquire
//   throws (bad_option) is thrown at the await.
// - The coroutine is resumed by a task that is given to the executor, also when the answer was there
//   at once. Turnstile never resumes it in any other way: not on the client's threads, and not in the
//   client's handler. An executor that runs the task within the call has chosen the thread that calls
//   it, mostly the client's for callbacks: then the rules for callbacks hold for the coroutine.
// - A hold that is lost while the task waits for its turn is told as the outcome, with why it was lost
//   (on_lost may have been told, too).
// - A coroutine that is destroyed while it waits leaves the queue. A hold that was granted, however far
//   on its way, is released at once, whatever becomes of the task. Destroy it on the executor, or when
//   nothing runs there: no library can tell a task that is just about to resume it from one that is not.
// - An executor that drops the task, or throws: the hold is released at once, and the coroutine stays
//   suspended, since there is no thread it may run on. What the executor throws is logged (level
//   `error`), never thrown at the await. A task that is run twice, or kept by an executor that threw, does
//   nothing. Whoever owns the coroutine may destroy it, or resume it: the outcome is `cancelled` then.
//   So it is also for one that its owner resumes while it waits in the queue, which it leaves.
// - `options.stop`, `options.timeout` and the end of the client end the wait, as in acquire().
//
// The lock has to live until the coroutine is suspended; what the callbacks of the options refer to,
// see acquire_options. For deadlock_detector set `options.owner`: no thread stands for a coroutine.
//
// Options and executors are variables, or what functions return: GCC (12 at least) destroys twice what
// braces, or a lambda with captures, make inside an expression with co_await. So options in braces
// and lambdas in the place of the executor do not compile here.
//     const turnstile::acquire_options patient{.timeout = 1min, .stop = stop};
//     auto hold = co_await turnstile::async_acquire(orders, patient, pool);
//
// Thread safety: an awaitable is used by one thread, that of the coroutine.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "turnstile/acquire_options.hpp"
#include "turnstile/acquisition_awaitable.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/owner.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

namespace detail {

template <class L, class G>
G guard_of(void (L::*)(acquire_options, std::function<void(result<G>)>));
template <class L, class G>
G guard_of(void (L::*)(acquire_options, std::function<void(result<G>)>) const);

using guard_handler = std::function<void(result<guard>)>;

inline const acquire_options& options_of(const acquire_options& options) {
    return options;
}
inline acquire_options options_of(const wait_limit& timeout) {
    return {.timeout = timeout};
}

}  // namespace detail

// What a lock's async_acquire gives: `guard`, or the recipe's own.
template <class L>
using guard_type = decltype(detail::guard_of(&L::async_acquire));

// A recipe with the member `void async_acquire(acquire_options, std::function<void(result<G>)>)`.
template <class L>
concept async_lockable = requires {
    typename guard_type<L>;
};

// As recursive_mutex, semaphore and shared_mutex have them.
template <class L>
concept async_owned_lockable = requires(L& lock, acquire_options options, owner who,
                                        detail::guard_handler handler) {
    lock.async_acquire(options, who, handler);
};
template <class L>
concept async_counted_lockable = requires(L& lock, std::int32_t permits, acquire_options options,
                                          detail::guard_handler handler) {
    lock.async_acquire(permits, options, handler);
};
template <class L>
concept async_shared_lockable = requires(L& lock, acquire_options options,
                                         detail::guard_handler handler) {
    lock.async_acquire_shared(options, handler);
};
template <class L>
concept async_upgrade_lockable = requires(L& lock, acquire_options options,
                                          detail::guard_handler handler) {
    lock.async_acquire_upgrade(options, handler);
};

// Options that have a name, or a time-out or deadline. In braces: see above.
template <class O>
concept awaitable_options = std::convertible_to<O, wait_limit> ||
    (std::is_lvalue_reference_v<O>&& std::same_as<std::remove_cvref_t<O>, acquire_options>);

template <async_lockable L, awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<result<guard_type<L>>> async_acquire(L& lock, O&& options, E resume_on) {
    using handler = std::function<void(result<guard_type<L>>)>;
    return {[&lock](acquire_options how, handler done) {
                lock.async_acquire(std::move(how), std::move(done));
            },
            detail::options_of(options), std::move(resume_on)};
}
// Without options.
template <async_lockable L, std::same_as<executor> E>
acquisition_awaitable<result<guard_type<L>>> async_acquire(L& lock, E resume_on) {
    return async_acquire(lock, wait_limit{}, std::move(resume_on));
}

// For an owner that is no thread: a coroutine changes threads.
template <async_owned_lockable L, awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<result<guard>> async_acquire(L& lock, O&& options, owner who, E resume_on) {
    return {[&lock, who](acquire_options how, detail::guard_handler done) {
                lock.async_acquire(std::move(how), who, std::move(done));
            },
            detail::options_of(options), std::move(resume_on)};
}

// Several permits as one lease.
template <async_counted_lockable L, awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<result<guard>> async_acquire(L& lock, std::int32_t permits, O&& options,
                                                   E resume_on) {
    return {[&lock, permits](acquire_options how, detail::guard_handler done) {
                lock.async_acquire(permits, std::move(how), std::move(done));
            },
            detail::options_of(options), std::move(resume_on)};
}

// As a reader, and as an upgradable reader.
template <async_shared_lockable L, awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<result<guard>> async_acquire_shared(L& lock, O&& options, E resume_on) {
    return {[&lock](acquire_options how, detail::guard_handler done) {
                lock.async_acquire_shared(std::move(how), std::move(done));
            },
            detail::options_of(options), std::move(resume_on)};
}
template <async_shared_lockable L, std::same_as<executor> E>
acquisition_awaitable<result<guard>> async_acquire_shared(L& lock, E resume_on) {
    return async_acquire_shared(lock, wait_limit{}, std::move(resume_on));
}
template <async_upgrade_lockable L, awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<result<guard>> async_acquire_upgrade(L& lock, O&& options, E resume_on) {
    return {[&lock](acquire_options how, detail::guard_handler done) {
                lock.async_acquire_upgrade(std::move(how), std::move(done));
            },
            detail::options_of(options), std::move(resume_on)};
}
template <async_upgrade_lockable L, std::same_as<executor> E>
acquisition_awaitable<result<guard>> async_acquire_upgrade(L& lock, E resume_on) {
    return async_acquire_upgrade(lock, wait_limit{}, std::move(resume_on));
}

// What comes of an upgrade: the hold, upgraded or as it was, and why. Empty only if the coroutine was
// resumed by its owner.
struct upgraded_guard {
    upgraded_guard(guard of, result<void> how) : hold{std::move(of)}, outcome{std::move(how)} {}
    explicit upgraded_guard(error why) : outcome{std::move(why)} {}

    guard hold{};
    result<void> outcome;
};

// As shared_mutex::async_upgrade(). The hold is the await's until it is over: it is released with the coroutine.
template <async_upgrade_lockable L, awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<upgraded_guard> async_upgrade(L& lock, guard&& hold, O&& options,
                                                    E resume_on) {
    const auto from = std::make_shared<guard>(std::move(hold));  // std::function copies
    using handler = std::function<void(upgraded_guard)>;
    return {[&lock, from](acquire_options how, handler done) {
                lock.async_upgrade(std::move(*from), std::move(how),
                                   [done](guard of, result<void> outcome) {
                                       done({std::move(of), std::move(outcome)});
                                   });
            },
            detail::options_of(options), std::move(resume_on)};
}

}  // namespace turnstile
