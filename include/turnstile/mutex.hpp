// SPDX-License-Identifier: Apache-2.0
// mutex: a fair, exclusive lock between processes.
//
// Use it for work that only one process may do at a time. At most one valid hold exists for a path at any instant, and
// waiters get the lock in the order in which they arrived at the servers.
//
//     turnstile::mutex orders{servers, "/locks/orders"};
//     if (auto hold = orders.acquire({.timeout = 2s}); hold) ship(hold->fencing_token());
//     turnstile::with_lock(orders, [] { ship(); }).value();
//     std::scoped_lock both{orders, stock};
//
// acquire() returns the hold as a `guard`, a value that belongs to no thread. The standard forms (lock, try_lock,
// try_lock_for, try_lock_until, unlock, current; see lockable.hpp) keep the hold inside the mutex, for the calling
// thread. with_lock.hpp calls a function under a lock. coroutine.hpp has the forms for co_await.
//
// A mutex is not recursive: a holder that calls acquire() again waits for itself, like any other waiter. The exception
// is lock() by the same thread on the same object, which throws `would_deadlock`.
//
// Protocol: Apache ZooKeeper's lock recipe, with Curator's corrections. Each contender (one attempt to get the lock) is
// an ephemeral sequential znode `_c_<uuid>-lock-<number>`, and watches only the contender ahead of it. Curator's
// InterProcessMutex and the Go client samuel/go-zookeeper use the same names, so they share the queue with Turnstile.
// docs/why/mutex.md lists each step and what happens if it fails.
//
// Thread safety: any thread may call any member. Do not destroy a mutex while a call on it is in progress. Asynchronous
// acquisitions and guards may outlive it.
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

// An exclusive lock on one path.
class TURNSTILE_EXPORT mutex : public lockable<mutex> {
public:
    // Makes a lock for this path, and sends nothing. Throws std::system_error: `bad_path` (the message names the path
    // and the rule), or `closed` if `servers` was moved from.
    mutex(const client& servers, std::string_view path);
    // Makes a lock with the options `modes` (lock_options.hpp). With `retain_for` or `cohort` the threads of this
    // process share the lock, also through other mutex objects of the same client with the same path and options. With
    // `lock_delay` a crash of a holder delays the next grant. Also throws `bad_option`.
    mutex(const client& servers, std::string_view path, const lock_options& modes);
    // Refuses a temporary client, which would close at the end of the statement.
    mutex(client&&, std::string_view, const lock_options& = {}) = delete;
    // Releases the holds that lock(), try_lock(), try_lock_for() and try_lock_until() have taken.
    ~mutex();
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    // Returns the path that was given to the constructor.
    [[nodiscard]] const std::string& path() const noexcept;
    // Returns the servers and the path from their root, like "zk1:2181,zk2:2181/shop/locks/orders". This text is the
    // name of the lock in a fencing_vector. A multi_lock orders its locks by this text.
    [[nodiscard]] const std::string& resource() const noexcept;

    // These functions also take a timeout or a deadline in place of options, as in acquire(2s): see lockable.hpp.
    using lockable::acquire;
    using lockable::async_acquire;
    using lockable::try_acquire;

    // Waits for the lock, and returns the hold. After an error the client removes the call's znode as soon as it can
    // reach the servers. If the client cannot reach them, the servers delete the znode when the session expires.
    // Errors:
    // - `timeout`: the timeout passed. `not_connected`: the timeout passed, and no server could be reached.
    //   `unresolvable`: the timeout passed, and no host name could be resolved.
    // - `cancelled`: the stop token was triggered. `interrupted`: Boost interrupted the calling thread; this call
    //   consumes the interruption.
    // - `session_lost`, `removed`: the lock was granted, and the hold ended before the caller woke. With
    //   `session_loss_policy::fail`, `session_lost` also means that the session ended while the call waited.
    // - `revoked`: an operator ended the call's wait, or its hold (revocation.hpp). `held_too_long`: `max_hold` passed
    //   before the caller woke.
    // - `lease_too_short`: the session timeout is too short, so the client could never be certain of a hold through the
    //   server to which it is connected (lease_settings). The call reports this before it queues, or when no contender
    //   is ahead.
    // - `closed`, `forked`, `auth_failed`, `too_many`, `no_permission`, `quota_exceeded`, `local_session`, `no_chroot`,
    //   `server_too_old`, `protocol`: see error.hpp.
    // - `bad_path`: a parent of the path is ephemeral, or the servers refuse the contender's path as too long.
    // - `bad_option`: the label, the owner, `max_hold` or `warn_before` breaks a rule, or the servers refuse the ACL.
    result<guard> acquire(acquire_options options = {});
    // Takes the lock if no contender is ahead, and otherwise returns `busy`. Waits for the servers' answer. The default
    // timeout is the session timeout (30 s). While the client has no connection, the default is connection_timeout
    // (5 s) if that is shorter. After the timeout the call returns `timeout` or `not_connected`. The other errors are
    // the errors of acquire().
    result<guard> try_acquire(acquire_options options = {});
    // Like acquire(), but no thread waits. `handler` runs once, with the result of acquire(), on the callbacks'
    // executor. On a closed client, and in a forked child, the handler runs before this call returns. Throws
    // std::system_error(bad_option) for an empty handler, because no code could release the lock.
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler);

    // Queries. They take no lock and change nothing. A znode that is deleted during a query may be missing in the
    // result. Errors: `timeout`, `not_connected`, `cancelled`, `interrupted`, `closed`, `forked`, `auth_failed`,
    // `no_permission`, `protocol`.
    //
    // Returns whether a contender holds the lock.
    [[nodiscard]] result<bool> is_locked(const query_options& options = {}) const;
    // Returns all contenders in their order, the holder first.
    [[nodiscard]] result<std::vector<contender>> queue(const query_options& options = {}) const;
    // Returns the first contender of the queue, or an empty optional if the queue is empty. The answer was true at some
    // instant during the call.
    [[nodiscard]] result<std::optional<contender>> holder(const query_options& options = {}) const;
    // Returns the number of contenders ahead of this guard's znode, or the error `removed` if the znode is not in the
    // queue.
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
