// SPDX-License-Identifier: Apache-2.0
// recursive_mutex: a fair, exclusive lock between processes that its owner may take again.
//
// Purpose: code that holds the lock may call code that takes it, too.
//
//     turnstile::recursive_mutex orders{servers, "/locks/orders"};
//     auto outer = orders.acquire({.timeout = 2s});
//     auto inner = orders.acquire();   // at once, no request: the same hold, one more guard
//     inner->unlock();                 // still held
//     outer->unlock();                 // now it is released
//
// The owner is the calling thread, or a `turnstile::owner` that is handed on explicitly, for work that
// moves between threads. All guards of one hold share its znode, token, lease and loss; the lock is
// released when the last of them goes, in whatever order. Other owners, threads of this process too,
// wait in the queue like all others; so do owners of other recursive_mutex objects on the path.
//
// Only the owner gives a hold up: release() of a guard by a thread other than the owning one is refused
// with not_owner and the guard keeps its share, and so is unlock() of the standard forms. Only a
// guard's destructor, its move-assignment and its own unlock(), which have no way to report an error, let
// the share go in any thread.
//
// A hold that is over (its lease ran out, its session or its znode is gone) is not entered again:
// session_lost, until all its guards are gone.
//
// Protocol and queue are those of `mutex` (docs/why/mutex.md), so that it shares a path with it, with Curator's
// InterProcessMutex and Go's samuel client. docs/why/recursive_mutex.md has what it adds.
//
// Thread safety: all members from any thread. It must not be destroyed while a call on it is under way;
// asynchronous acquisitions and guards may outlive it.
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

class TURNSTILE_EXPORT recursive_mutex : public lockable<recursive_mutex> {
public:
    // The standard forms, see lockable.hpp: each lock() needs an unlock() of the same thread, which undoes the
    // latest one; current() is the guard of that one. All of them throw session_lost while the thread has a hold
    // that is over.

    // Throws std::system_error: bad_path, the message naming the path and the rule; closed, for a client
    // that was moved from. Sends nothing.
    recursive_mutex(const client& servers, std::string_view path);
    // As mutex: handed over inside the process, retained, with a delay after a crash. Throws bad_option, too.
    recursive_mutex(const client& servers, std::string_view path, const lock_options& modes);
    // Gives up what the standard forms hold.
    ~recursive_mutex();
    recursive_mutex(const recursive_mutex&) = delete;
    recursive_mutex& operator=(const recursive_mutex&) = delete;

    [[nodiscard]] const std::string& path() const noexcept;

    // The three also with a time-out or deadline alone, acquire(2s): lockable.hpp.
    using lockable::acquire;
    using lockable::async_acquire;
    using lockable::try_acquire;

    // Waits for the lock, or shares the owner's hold at once. Errors as mutex::acquire(), and
    //   session_lost     `identity` has a hold that is over: release its guards first
    //   would_deadlock   `identity` is waiting for this very lock already, elsewhere
    // Of the options a call that enters again uses only on_lost.
    result<guard> acquire(acquire_options options = {}, owner identity = owner::calling_thread());
    // As acquire(), but `busy` if the owner has no hold and a contender is ahead.
    result<guard> try_acquire(acquire_options options = {},
                              owner identity = owner::calling_thread());
    // The asynchronous form; `handler` as for mutex::async_acquire(). It runs on another thread: so the
    // owner has to be told, and one that is a thread is refused, std::system_error(bad_option).
    void async_acquire(acquire_options options, owner identity,
                       std::function<void(result<guard>)> handler);

    // How many guards share the hold of this owner, lost ones included; 0 if it has none.
    [[nodiscard]] std::size_t count(owner identity = owner::calling_thread()) const;

    // Queries, as mutex's.
    [[nodiscard]] result<bool> is_locked(const query_options& options = {}) const;
    [[nodiscard]] result<std::vector<contender>> queue(const query_options& options = {}) const;
    [[nodiscard]] result<std::optional<contender>> holder(const query_options& options = {}) const;
    [[nodiscard]] result<std::size_t> position(const guard& hold,
                                               const query_options& options = {}) const;

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
