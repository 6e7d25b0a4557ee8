// SPDX-License-Identifier: Apache-2.0
// recursive_mutex: a fair, exclusive lock between processes, which its owner may acquire again.
//
// Use it if code that holds the lock calls other code that acquires the same lock.
//
//     turnstile::recursive_mutex orders{servers, "/locks/orders"};
//     auto outer = orders.acquire({.timeout = 2s});
//     auto inner = orders.acquire();   // at once, no request: one more guard of the same hold
//     inner->unlock();                 // still held
//     outer->unlock();                 // now it is released
//
// The owner is the calling thread, or a `turnstile::owner` that the program passes to each call, for work that moves
// between threads. All guards of one hold share the hold's znode, token, lease and loss. The lock is released when the
// last of these guards is released, in whatever order. Other owners wait in the queue: other threads of this process
// too, and owners that use another recursive_mutex object on the same path.
//
// Only the owner may release its hold. If another thread calls guard::release() or recursive_mutex::unlock(), the call
// fails with `not_owner` and releases nothing. The guard's destructor, move assignment and unlock() cannot report an
// error, so they release the guard in any thread. If a thread ends between lock() and unlock(), its hold stays until
// the recursive_mutex is destroyed.
//
// An owner cannot share a lost hold (the lease ended, or the session or the znode is gone): acquire() returns
// `session_lost` until all guards of that hold are released.
//
// Protocol: the same as for `mutex` (docs/why/mutex.md). So on one path a recursive_mutex shares the queue with
// `mutex`, Curator's InterProcessMutex and the Go client samuel/go-zookeeper.
//
// Thread safety: any thread may call any member. Do not destroy a recursive_mutex while a call on it is in progress.
// Asynchronous acquisitions and guards may outlive it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/lock_options.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/lockable.hpp"
#include "turnstile/owned.hpp"
#include "turnstile/owner.hpp"

namespace turnstile {

// A recursive lock on one path.
class TURNSTILE_EXPORT recursive_mutex : public lockable<recursive_mutex> {
public:
    // The functions of the standard's mutexes (lockable.hpp): each lock() needs an unlock() by the same thread.
    // unlock() undoes the thread's latest lock(). current() returns the guard of the latest lock(). lock() and
    // try_lock...() throw `session_lost` while the thread has a lost hold.

    // Makes a lock for this path, and sends nothing. Throws std::system_error: `bad_path` (the message names the path
    // and the rule), or `closed` if `servers` was moved from.
    recursive_mutex(const client& servers, std::string_view path);
    // Makes a lock with the options `modes` (see lock_options). With `retain_for` or `cohort` the threads of this
    // process share the lock. With `lock_delay` a crash of a holder delays the next grant. Also throws `bad_option`.
    recursive_mutex(const client& servers, std::string_view path, const lock_options& modes);
    // Refuses a temporary client, which would close at the end of the statement.
    recursive_mutex(client&&, std::string_view, const lock_options& = {}) = delete;
    // Releases the holds that lock(), try_lock(), try_lock_for() and try_lock_until() have taken.
    ~recursive_mutex();
    recursive_mutex(const recursive_mutex&) = delete;
    recursive_mutex& operator=(const recursive_mutex&) = delete;

    // Returns the path that was given to the constructor.
    [[nodiscard]] const std::string& path() const noexcept;

    // These functions also take a timeout or a deadline in place of options, as in acquire(2s): see lockable.hpp.
    using lockable::acquire;
    using lockable::async_acquire;
    using lockable::try_acquire;

    // Waits for the lock; or, if the owner `identity` already has a hold, returns one more guard of that hold at once.
    // In the second case the call uses only the option on_lost. Errors: the errors of mutex::acquire(), and
    // - `session_lost`: `identity` has a lost hold. Release its guards first.
    // - `would_deadlock`: `identity` is already waiting for this lock in another call.
    result<guard> acquire(acquire_options options = {}, owner identity = owner::calling_thread());
    // Like acquire(), but returns `busy` if the owner `identity` has no hold and a contender is ahead.
    result<guard> try_acquire(acquire_options options = {},
                              owner identity = owner::calling_thread());
    // Like acquire(), but no thread waits. The library calls `handler` as mutex::async_acquire() does. The handler runs
    // on another thread, so the owner `identity` must not be a thread: use owner::make(). If the owner is a thread, the
    // call throws std::system_error(bad_option).
    void async_acquire(acquire_options options, owner identity,
                       std::function<void(result<guard>)> handler);

    // Returns how many guards share the hold of this owner, even if that hold is lost; 0 if the owner has no hold.
    [[nodiscard]] std::size_t count(owner identity = owner::calling_thread()) const;

    // These queries work like the queries of mutex.
    [[nodiscard]] result<bool> is_locked(const query_options& options = {}) const;
    [[nodiscard]] result<std::vector<contender>> queue(const query_options& options = {}) const;
    [[nodiscard]] result<std::optional<contender>> holder(const query_options& options = {}) const;
    [[nodiscard]] result<std::size_t> position(const guard& hold,
                                               const query_options& options = {}) const;

    // The queries also take a timeout or a deadline in place of options, as in queue(2s).
    template <waiting_time W>
    [[nodiscard]] result<bool> is_locked(const W& limit) const {
        return is_locked({.timeout = limit});
    }
    template <waiting_time W>
    [[nodiscard]] result<std::vector<contender>> queue(const W& limit) const {
        return queue({.timeout = limit});
    }
    template <waiting_time W>
    [[nodiscard]] result<std::optional<contender>> holder(const W& limit) const {
        return holder({.timeout = limit});
    }
    template <waiting_time W>
    [[nodiscard]] result<std::size_t> position(const guard& hold, const W& limit) const {
        return position(hold, {.timeout = limit});
    }

private:
    friend lockable<recursive_mutex>;
    void take();
    bool try_take(boottime_clock::duration left);
    void give_back();
    [[nodiscard]] const guard* own() const noexcept;

    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
