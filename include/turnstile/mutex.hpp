// SPDX-License-Identifier: Apache-2.0
// mutex: a fair, exclusive lock between processes.
//
// Purpose: at most one valid hold on a path at any instant, granted in the order of arrival.
//
//     turnstile::mutex orders{servers, "/locks/orders"};
//     if (auto hold = orders.acquire({.timeout = 2s}); hold) ship(hold->fencing_token());
//     turnstile::with_lock(orders, [] { ship(); }).value();
//     std::scoped_lock both{orders, stock};
//
// The primary calls return the hold as a value that belongs to no thread. The standard forms (lock, try_lock,
// try_lock_for, try_lock_until, unlock, current: see lockable.hpp) keep it inside the mutex for the calling thread.
// with_lock.hpp calls a function under a lock, coroutine.hpp has the forms to be awaited.
//
// Not recursive: an acquire() by a holder waits for itself like for any other (lock() by the same
// thread on the same object throws would_deadlock).
//
// Protocol: Apache ZooKeeper's lock recipe as corrected by Curator (ephemeral sequential znodes named
// `_c_<uuid>-lock-<number>`, each watching only its predecessor), so that Curator's
// InterProcessMutex and Go's samuel client on the same path take part in the same queue. docs/why/mutex.md
// has each step with what happens when it goes wrong.
//
// Thread safety: all members from any thread. A mutex must not be destroyed while a call on it is
// under way; asynchronous acquisitions and guards may outlive it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/lock_options.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/lockable.hpp"
#include "turnstile/owned.hpp"

namespace turnstile {

namespace detail {
class exclusive_queue;
}  // namespace detail

class TURNSTILE_EXPORT mutex : public lockable<mutex> {
public:
    // Throws std::system_error: bad_path, the message naming the path and the rule; closed, for a client
    // that was moved from. Sends nothing.
    mutex(const client& servers, std::string_view path);
    // Shared by the threads of this process, retained, or both; or with a delay after a crash: see lock_options.
    // Objects of one client with the same path and options share. Throws bad_option, too.
    mutex(const client& servers, std::string_view path, const lock_options& modes);
    // Gives up what the standard forms hold.
    ~mutex();
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    [[nodiscard]] const std::string& path() const noexcept;
    // The servers and the path from their root, e.g. "zk1:2181,zk2:2181/shop/locks/orders": what the lock
    // is called in fencing vectors and in the order of a multi_lock.
    [[nodiscard]] const std::string& resource() const noexcept;

    // The three also with a time-out or deadline alone, acquire(2s): lockable.hpp.
    using lockable::acquire;
    using lockable::async_acquire;
    using lockable::try_acquire;

    // Waits for the lock. Errors:
    //   timeout, not_connected    the time-out passed, with or without a server; unresolvable: without one,
    //                             since no host had an address
    //   cancelled, interrupted    the stop token; the calling thread's Boost interruption, taken by
    //                             this call
    //   session_lost, removed     granted, and over before the caller woke; session_lost also for a
    //                             waiter's session that ended, with session_loss_policy::fail
    //   revoked, held_too_long    an operator took the place or the hold away; max_hold had passed before
    //                             the caller woke
    //   lease_too_short           through this server no hold is certain: found out before it queues, or when
    //                             no contender is ahead
    //   closed, forked, auth_failed, too_many
    //   no_permission, quota_exceeded, local_session, no_chroot, server_too_old, protocol
    //   bad_path (a parent is ephemeral, or the servers refuse the path of a contender as too long)
    //   bad_option (label, owner, max_hold, warn_before; the servers refuse the ACL)
    // After each of them nothing of the call is left in the queue, or will be removed as soon as the
    // servers can be reached, or ends with the session.
    result<guard> acquire(acquire_options options = {});
    // Takes the lock if no contender is ahead, else `busy`; the other errors as above. Waits only for the
    // servers' answer, and for that no longer than the options say (default: the session time-out,
    // then `timeout` or `not_connected`).
    result<guard> try_acquire(acquire_options options = {});
    // The asynchronous form: no thread waits. `handler` runs once, with what acquire() would return,
    // on the callbacks' executor; on a client that is closed already, and in a forked child, before
    // this call returns. Throws std::system_error(bad_option) for an empty handler: no code could
    // release the lock.
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler);

    // Queries; no lock needed, nothing changed. A znode that goes while we look is left out.
    // Errors: timeout, not_connected, cancelled, interrupted, closed, forked, auth_failed,
    // no_permission, protocol.
    [[nodiscard]] result<bool> is_locked(const query_options& options = {}) const;
    [[nodiscard]] result<std::vector<contender>> queue(const query_options& options = {}) const;
    // The head of the queue, or nothing: there was an instant during the call when it was so.
    [[nodiscard]] result<std::optional<contender>> holder(const query_options& options = {}) const;
    // How many contenders are ahead of this guard's znode; `removed` when it is not in the queue.
    [[nodiscard]] result<std::size_t> position(const guard& hold,
                                               const query_options& options = {}) const;

private:
    friend lockable<mutex>;
    friend class detail::exclusive_queue;
    void take();
    bool try_take(boottime_clock::duration left);
    void give_back();
    [[nodiscard]] const guard* own() const noexcept;

    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
