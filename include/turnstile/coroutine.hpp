// SPDX-License-Identifier: Apache-2.0
// async_acquire: waiting for a lock in a coroutine.
//
// Purpose: beside the handler form, each recipe's async_acquire has one for coroutines. For Asio's see asio.hpp.
//
//     task ship(turnstile::mutex& orders, turnstile::executor pool) {
//         if (auto hold = co_await orders.async_acquire(2s, pool))
//             write(hold->fencing_token());   // on the pool
//     }
//
// | recipe            | awaited by                                                                    |
// |-------------------|-------------------------------------------------------------------------------|
// | any but the next  | async_acquire(options, pool), async_acquire(pool)                             |
// | recursive_mutex   | async_acquire(options, owner, pool)                                           |
// | shared_mutex      | these also: async_acquire_shared, async_acquire_upgrade, and async_upgrade    |
// | semaphore         | this also: async_acquire(permits, options, pool)                              |
//
// The options are acquire_options, or a time-out or deadline alone. A lock of the user's own gets
// the form from awaitable_lock, below; any other call with options and a handler: acquisition_awaitable.
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
//     auto hold = co_await orders.async_acquire(patient, pool);
//
// Thread safety: an awaitable is used by one thread, that of the coroutine.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "turnstile/acquire_options.hpp"
#include "turnstile/acquisition_awaitable.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

namespace detail {

inline const acquire_options& options_of(const acquire_options& options) {
    return options;
}
inline acquire_options options_of(const wait_limit& timeout) {
    return {.timeout = timeout};
}

}  // namespace detail

// Options that have a name, or a time-out or deadline. In braces: see above.
template <class O>
concept awaitable_options = std::convertible_to<O, wait_limit> ||
    (std::is_lvalue_reference_v<O>&& std::same_as<std::remove_cvref_t<O>, acquire_options>);

// It has the handler form, which grants a `G`.
template <class L, class G = guard>
concept async_lockable = requires(L& lock, acquire_options options,
                                  std::function<void(result<G>)> handler) {
    lock.async_acquire(options, handler);
};

// The forms to be awaited, for a lock with `void async_acquire(acquire_options, std::function<void(result<G>)>)`:
//
//     class my_lock : public awaitable_lock<my_lock> {
//     public:
//         using awaitable_lock<my_lock>::async_acquire;
//         void async_acquire(acquire_options options, std::function<void(result<guard>)> handler);
//     };
//
// `G` is what the lock grants. The forms are const where the lock's own is.
template <class L, class G = guard>
class awaitable_lock {
public:
    template <awaitable_options O, std::same_as<executor> E>
    acquisition_awaitable<result<G>> async_acquire(O&& options, E resume_on) {
        return await(static_cast<L&>(*this), options, std::move(resume_on));
    }
    template <awaitable_options O, std::same_as<executor> E>
    acquisition_awaitable<result<G>> async_acquire(O&& options, E resume_on) const requires
        async_lockable<const L, G> {
        return await(static_cast<const L&>(*this), options, std::move(resume_on));
    }
    // Without options.
    template <std::same_as<executor> E>
    acquisition_awaitable<result<G>> async_acquire(E resume_on) {
        return await(static_cast<L&>(*this), wait_limit{}, std::move(resume_on));
    }
    template <std::same_as<executor> E>
    acquisition_awaitable<result<G>> async_acquire(E resume_on) const requires
        async_lockable<const L, G> {
        return await(static_cast<const L&>(*this), wait_limit{}, std::move(resume_on));
    }

private:
    friend L;  // nobody else derives from it
    awaitable_lock() = default;
    awaitable_lock(const awaitable_lock&) = default;
    awaitable_lock& operator=(const awaitable_lock&) = default;
    ~awaitable_lock() = default;

    template <class Lock, class O>
    static acquisition_awaitable<result<G>> await(Lock& lock, const O& options,
                                                  executor resume_on) {
        return {[&lock](acquire_options how, std::function<void(result<G>)> done) {
                    lock.async_acquire(std::move(how), std::move(done));
                },
                detail::options_of(options), std::move(resume_on)};
    }
};

}  // namespace turnstile
