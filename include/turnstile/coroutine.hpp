// SPDX-License-Identifier: Apache-2.0
// coroutine: awaits a lock in a coroutine of any library.
//
// Each recipe has async_acquire() with a handler as a member. This header adds async_acquire() for co_await, as a
// function. For Asio's coroutines see asio.hpp.
//
//     task ship(turnstile::mutex& orders, turnstile::executor pool) {
//         if (auto hold = co_await turnstile::async_acquire(orders, 2s, pool))
//             write(hold->fencing_token());   // on the pool
//     }
//
// | recipe            | awaited by                                                                         |
// |-------------------|------------------------------------------------------------------------------------|
// | all but the next  | async_acquire(lock, options, pool), async_acquire(lock, pool)                      |
// | recursive_mutex   | async_acquire(lock, options, owner, pool)                                          |
// | shared_mutex      | the first, also with a view: async_acquire(lock.readers(), options, pool)          |
// | semaphore         | the first, and also: async_acquire(lock, permits, options, pool)                   |
//
// The options are acquire_options, or a timeout or a deadline alone. A lock of your own that has the handler form works
// too. async_call.hpp has the upgrade of a shared_mutex, commits, and calls that wait on a thread. For any other call
// with options and a handler use acquisition_awaitable.
//
// Guarantees:
// - Nothing starts before the co_await. An awaitable that is not awaited does nothing. It can be awaited once; a second
//   time throws std::system_error(bad_option).
// - The outcome is the value that the recipe's acquire() returns. An exception of the recipe's async_acquire()
//   (bad_option) is thrown at the await.
// - A task of the executor resumes the coroutine, even if the outcome was there at once. Turnstile resumes it in no
//   other way: neither on the client's threads nor in the client's handler. An executor that runs the task within its
//   call chooses the calling thread, mostly the client's thread for callbacks; the rules for callbacks then apply to
//   the coroutine.
// - If a hold is lost while the task waits for its turn, the outcome is the reason of the loss. (on_lost may have been
//   called too.)
// - A coroutine that is destroyed while it waits leaves the queue. A hold that was granted is released at once,
//   whatever happens to the task. Destroy the coroutine on the executor, or while nothing runs there: no library can
//   distinguish a task that is just about to resume the coroutine.
// - If the executor drops the task or throws, the hold is released at once, and the coroutine stays suspended, because
//   there is no thread on which it may run. The library logs the exception (level `error`) and does not throw it at the
//   await. A task that runs twice, or that an executor keeps after it threw, does nothing. The coroutine's owner may
//   destroy or resume the coroutine; the outcome is then `cancelled`. The same goes for a coroutine that its owner
//   resumes while it waits in the queue, which it then leaves.
// - `options.stop`, `options.timeout` and the end of the client end the wait, as in acquire().
//
// Lifetimes. A lock must live until the coroutine is suspended; a view is copied. For the callbacks of the options see
// acquire_options. For deadlock_detector set `options.owner`, since a coroutine belongs to no thread.
//
// A limit of GCC (12 at least): it destroys twice a temporary that braces, or a lambda with captures, make inside an
// expression with co_await. So options in braces, and lambdas in the place of the executor, do not compile here. Use
// variables, or functions that return them:
//
//     const turnstile::acquire_options patient{.timeout = 1min, .stop = stop};
//     auto hold = co_await turnstile::async_acquire(orders, patient, pool);
//
// Thread safety: only the coroutine's thread uses an awaitable.
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

// Gives access to a lock: by a reference to it, or by a copy of a view.
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

// Options: a variable, or a timeout or a deadline. Options in braces do not compile, see above.
template <class O>
concept awaitable_options = std::convertible_to<O, wait_limit> ||
    (std::is_lvalue_reference_v<O>&& std::same_as<std::remove_cvref_t<O>, acquire_options>);

// A lock with the handler form, which grants a `G`.
template <class L, class G = guard>
concept async_lockable = requires(L& lock, acquire_options options,
                                  std::function<void(result<G>)> handler) {
    lock.async_acquire(options, handler);
};

// Awaits the lock. `G` is the type that the lock grants: async_acquire<ticket>(lock, options, pool) for a lock that
// grants no guard. `resume_on` resumes the coroutine.
template <class G = guard, class L, awaitable_options O, std::same_as<executor> E>
requires async_lockable<std::remove_reference_t<L>, G> acquisition_awaitable<result<G>>
async_acquire(L&& lock, O&& options, E resume_on) {
    return {[kept = detail::kept_lock(std::forward<L>(lock))](acquire_options how,
                                                              std::function<void(result<G>)> done) {
                kept.get().async_acquire(std::move(how), std::move(done));
            },
            detail::options_of(options), std::move(resume_on)};
}
// Awaits `lock` without options and without a limit, and resumes the coroutine on `resume_on`.
template <class G = guard, class L, std::same_as<executor> E>
requires async_lockable<std::remove_reference_t<L>, G> acquisition_awaitable<result<G>>
async_acquire(L&& lock, E resume_on) {
    return async_acquire<G>(std::forward<L>(lock), wait_limit{}, std::move(resume_on));
}
// Awaits the recursive_mutex `lock`, for the owner `identity`. `resume_on` resumes the coroutine.
template <class L, awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<result<guard>> async_acquire(L& lock, O&& options, owner identity,
                                                   E resume_on) {
    return {[&lock, identity](acquire_options how, detail::granted_handler done) {
                lock.async_acquire(std::move(how), identity, std::move(done));
            },
            detail::options_of(options), std::move(resume_on)};
}
// Awaits several permits of the semaphore `of`. `resume_on` resumes the coroutine.
template <class L, awaitable_options O, std::same_as<executor> E>
acquisition_awaitable<result<guard>> async_acquire(L& of, permit_count permits, O&& options,
                                                   E resume_on) {
    return {[&of, permits](acquire_options how, detail::granted_handler done) {
                of.async_acquire(permits, std::move(how), std::move(done));
            },
            detail::options_of(options), std::move(resume_on)};
}

}  // namespace turnstile
