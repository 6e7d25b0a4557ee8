// SPDX-License-Identifier: Apache-2.0
// coroutine: co_await for locks, in coroutines of any library.
//
// Each lock class has a member async_acquire(), which takes a handler. This header adds a function async_acquire(),
// whose result can be awaited with co_await. For Asio's coroutines see asio.hpp.
//
//     task ship(turnstile::mutex& orders, turnstile::executor pool) {
//         if (auto hold = co_await turnstile::async_acquire(orders, 2s, pool))
//             write(hold->fencing_token());   // on the pool
//     }
//
// | lock              | call to await                                                                      |
// |-------------------|------------------------------------------------------------------------------------|
// | most locks        | async_acquire(lock, options, pool), async_acquire(lock, pool)                      |
// | recursive_mutex   | async_acquire(lock, options, owner, pool)                                          |
// | shared_mutex      | as most locks, also for a view: async_acquire(lock.readers(), options, pool)       |
// | semaphore         | as most locks, and also: async_acquire(lock, permits, options, pool)               |
//
// The options are acquire_options, or only a timeout or a deadline. A lock class of your program works too, if it has
// the member async_acquire(). async_call.hpp has functions to await the upgrade of a shared_mutex, commits, and calls
// that block a thread. For any other function that takes options and a handler use acquisition_awaitable.
//
// Guarantees:
// - The call starts at the co_await. An awaitable that is not awaited does nothing. It can be awaited once; a second
//   co_await throws std::system_error(bad_option).
// - The outcome is the value that the lock's acquire() returns. If the lock's member async_acquire() throws
//   (bad_option), the co_await throws that exception.
// - Turnstile resumes the coroutine only by a task that it passes to the executor, even if the outcome is known at
//   once. If the executor runs the task inside its own call, the coroutine runs on the thread that called the executor,
//   mostly the client's thread for callbacks. Then the rules for callbacks apply to the coroutine.
// - If the hold is lost before the executor runs the task, the outcome is the reason of the loss. (on_lost may have
//   been called too.)
// - If the coroutine is destroyed while it waits, the library removes the call's znode from the queue. A hold that was
//   already granted is released at once, whatever happens to the task. Destroy the coroutine on the executor, or while
//   the executor runs no task, because a task that is just about to resume the coroutine cannot be detected.
// - If the executor discards the task or throws, the hold is released at once. The coroutine stays suspended, because
//   there is no thread on which it may run. The library logs the exception (level `error`); the co_await does not throw
//   it. If the executor runs that task later, or runs any task twice, the task does nothing. The coroutine's owner may
//   destroy the coroutine, or resume it; after a resume the outcome is `cancelled`.
// - If the coroutine's owner resumes the coroutine while the call still waits for the lock, the call ends, and the
//   outcome is `cancelled`.
// - `options.stop`, `options.timeout` and the end of the client end the wait, as in acquire().
//
// Lifetimes. A lock must live until the coroutine is suspended; a view is copied. acquire_options states which objects
// the callbacks of the options may use. For deadlock_detector set `options.owner`, because a coroutine belongs to no
// thread.
//
// GCC (at least version 12) has a fault: in an expression with co_await it destroys some temporaries twice, namely
// objects in braces, and lambdas with captures. So this header does not accept options in braces, or a lambda as the
// executor. Use variables, or functions that return them:
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

// These classes keep a lock for a coroutine. lock_ref has a reference to the lock. lock_copy has a copy of the lock
// object, which is a temporary view of a shared_mutex.
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

// Options: a variable of type acquire_options, or a timeout or a deadline. Options in braces do not compile, see the
// top of this file.
template <class O>
concept awaitable_options = std::convertible_to<O, wait_limit> ||
    (std::is_lvalue_reference_v<O>&& std::same_as<std::remove_cvref_t<O>, acquire_options>);

// A lock with a member async_acquire(), whose handler gets a result<G>.
template <class L, class G = guard>
concept async_lockable = requires(L& lock, acquire_options options,
                                  std::function<void(result<G>)> handler) {
    lock.async_acquire(options, handler);
};

// Awaits the lock. `G` is the type of the hold that the lock grants. If your lock class grants a type `ticket` in place
// of a guard, call async_acquire<ticket>(lock, options, pool). `resume_on` resumes the coroutine.
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
