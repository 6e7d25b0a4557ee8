// SPDX-License-Identifier: Apache-2.0
// coroutine: waiting for a lock in a coroutine.
//
// Purpose: beside the handler form, which is a member, each recipe has one for coroutines, which is a function. For
// Asio's coroutines see asio.hpp.
//
//     task ship(turnstile::mutex& orders, turnstile::executor pool) {
//         if (auto hold = co_await turnstile::async_acquire(orders, 2s, pool))
//             write(hold->fencing_token());   // on the pool
//     }
//
// | recipe            | awaited by                                                                         |
// |-------------------|------------------------------------------------------------------------------------|
// | any but the next  | async_acquire(lock, options, pool), async_acquire(lock, pool)                      |
// | recursive_mutex   | async_acquire(lock, options, owner, pool)                                          |
// | shared_mutex      | the first of a view also: async_acquire(lock.readers(), options, pool)             |
// | semaphore         | this also: async_acquire(lock, permits, options, pool)                             |
//
// The upgrade of a shared_mutex, commits, and calls that wait on a thread are in async_call.hpp. The options are
// acquire_options, or a time-out or deadline alone. A lock of the user's own that has the handler form can be
// awaited as well; any other call with options and a handler: acquisition_awaitable.
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
//   nothing. The owner of the coroutine may destroy it, or resume it: the outcome is `cancelled` then.
//   So it is also for one that its owner resumes while it waits in the queue, which it leaves.
// - `options.stop`, `options.timeout` and the end of the client end the wait, as in acquire().
//
// A lock has to live until the coroutine is suspended, a view is kept; what the callbacks of the options refer to,
// see acquire_options. For deadlock_detector set `options.owner`: no thread stands for a coroutine.
//
// Options and executors are variables, or what functions return: GCC (12 at least) destroys twice what
// braces, or a lambda with captures, make inside an expression with co_await. So options in braces
// and lambdas in the place of the executor do not compile here.
//
//     const turnstile::acquire_options patient{.timeout = 1min, .stop = stop};
//     auto hold = co_await turnstile::async_acquire(orders, patient, pool);
//
// Thread safety: an awaitable is used by one thread, that of the coroutine.
#pragma once

#include "turnstile/language.hpp"

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "turnstile/acquire_options.hpp"
#include "turnstile/acquisition_awaitable.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/owner.hpp"
#include "turnstile/permit_count.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

namespace detail {

inline const acquire_options& options_of(const acquire_options& options) {
    return options;
}
inline acquire_options options_of(const wait_limit& timeout) {
    return {.timeout = timeout};
}

using granted_handler = std::function<void(result<guard>)>;

// A lock that lives elsewhere, or a view that is handed over.
template <class L>
class lock_ref {
public:
    explicit lock_ref(L& lock) noexcept : lock_{&lock} {}
    L& get() const noexcept { return *lock_; }

private:
    L* lock_;
};
template <class L>
class lock_copy {
public:
    explicit lock_copy(L&& lock) : lock_{std::make_shared<L>(std::move(lock))} {}
    L& get() const noexcept { return *lock_; }

private:
    std::shared_ptr<L> lock_;
};
template <class L>
auto kept_lock(L&& lock) {
    if constexpr (std::is_lvalue_reference_v<L>) {
        return lock_ref<std::remove_reference_t<L>>{lock};
    } else {
        return lock_copy<std::remove_cvref_t<L>>{std::forward<L>(lock)};
    }
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

// `G` is what the lock grants: async_acquire<ticket>(lock, options, pool) for one that grants no guard.
template <class G = guard, class L, awaitable_options O, std::same_as<executor> E>
requires async_lockable<std::remove_reference_t<L>, G> acquisition_awaitable<result<G>>
async_acquire(L&& lock, O&& options, E resume_on) {
    return {[kept = detail::kept_lock(std::forward<L>(lock))](acquire_options how,
                                                              std::function<void(result<G>)> done) {
                kept.get().async_acquire(std::move(how), std::move(done));
            },
            detail::options_of(options), std::move(resume_on)};
}
// Without options.
template <class G = guard, class L, std::same_as<executor> E>
requires async_lockable<std::remove_reference_t<L>, G> acquisition_awaitable<result<G>>
async_acquire(L&& lock, E resume_on) {
    return async_acquire<G>(std::forward<L>(lock), wait_limit{}, std::move(resume_on));
}
// As the owner of a recursive_mutex.
template <class L, awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<result<guard>> async_acquire(L& lock, O&& options, owner identity,
                                                   E resume_on) {
    return {[&lock, identity](acquire_options how, detail::granted_handler done) {
                lock.async_acquire(std::move(how), identity, std::move(done));
            },
            detail::options_of(options), std::move(resume_on)};
}
// Several permits of a semaphore.
template <class L, awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<result<guard>> async_acquire(L& of, permit_count permits, O&& options,
                                                   E resume_on) {
    return {[&of, permits](acquire_options how, detail::granted_handler done) {
                of.async_acquire(permits, std::move(how), std::move(done));
            },
            detail::options_of(options), std::move(resume_on)};
}

}  // namespace turnstile
