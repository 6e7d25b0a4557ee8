// SPDX-License-Identifier: Apache-2.0
// guard: owns a hold on a lock.
//
// Every acquire() returns a guard. The guard owns the hold from the grant to the release. Its destructor releases the
// hold.
//
//     if (auto hold = orders.acquire({.timeout = 2s})) {
//         while (work_left() && hold->valid()) step(hold->fencing_token());
//     }   // released here
//
// A hold is *certain* until valid_until(): before that instant the servers cannot grant the lock to another client.
// Each time that the servers confirm the hold, that instant moves forward. The hold is *lost* when valid_until()
// passes, when another client deletes the znode or takes the lock away (revocation.hpp), or when the client is closed.
// After a loss valid() is false for good; the library triggers lost() and calls `on_lost`.
//
// The time left until valid_until() is the *lease* of the hold. A process that was stopped for longer than this lease
// notices the loss only at its next call of valid(). So pass the fencing token, a number that grows with each grant, to
// the store that the lock protects. The store can then refuse writes of an older hold.
//
// Thread safety: one thread at a time uses a guard. Any thread may use the token of lost() and the returned values. A
// guard may move between threads, and may outlive its mutex and its client.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "turnstile/clock.hpp"
#include "turnstile/export.hpp"
#include "turnstile/fencing_token.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

class fencing_vector;  // fencing_vector.hpp
class transaction;     // transaction.hpp
struct commit_options;
struct commit_result;

namespace detail {
class hold;
class internals;
}  // namespace detail

// The facts from which the client computes the lease of a hold, see docs/why/lease.md. The relay bound (lease_settings)
// is the longest time until the leader learns of a message that a follower has received.
enum class lease_evidence {
    direct,  // the session is connected to the leader or to a standalone server
    relayed,  // the session is connected to a follower; the proven relay bound is used (lease_settings)
    // The lease rests on an assumption. Either the session is connected to a follower, and the user has set a limit for
    // the follower's stalls (lease_settings::assumed_stall). Or the server may not be Apache ZooKeeper
    // (docs/reference/servers.md).
    assumed,
};

// The compiler warns if a guard is discarded, as in `orders.acquire().value();`, because its hold is released at once.
// (The attribute is on this declaration because GCC 12 does not accept it beside the export macro of the class.)
class [[nodiscard]] guard;

// Owner of a hold.
class TURNSTILE_EXPORT guard {
public:
    guard() noexcept = default;  // holds nothing
    // Starts the release, and does not wait for it. The client completes it in the background.
    ~guard() { unlock(); }
    // Takes over the hold of `other`, which is empty afterwards.
    guard(guard&& other) noexcept : hold_{std::exchange(other.hold_, nullptr)} {}
    guard& operator=(guard&& other) noexcept;  // first releases this guard's hold
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;

    // Returns true if the guard has a hold, valid or lost, that it has not released.
    explicit operator bool() const noexcept { return hold_ != nullptr; }

    // Returns the fencing token of the hold. For a multi_lock: the token of the last lock in the multi_lock's order.
    // That token grows with each grant of the same set of locks.
    [[nodiscard]] turnstile::fencing_token fencing_token() const noexcept;
    // Returns one token for each lock of the hold, with the lock's name.
    [[nodiscard]] fencing_vector fencing_tokens() const;
    // Returns the path of the lock.
    [[nodiscard]] const std::string& path() const noexcept;
    // Returns the full path of the contender's znode; empty if the hold consists of several holds (multi_lock).
    [[nodiscard]] std::string znode() const;

    // Returns true if valid_until() is later than the time of this call. False for an empty guard.
    [[nodiscard]] bool valid() const noexcept;
    // Returns the instant until which the hold is certain. A later call may return a later instant.
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept;
    // Returns the time left until valid_until(); zero after it.
    [[nodiscard]] boottime_clock::duration remaining() const noexcept;
    // Returns the facts on which the present lease rests.
    [[nodiscard]] lease_evidence evidence() const noexcept;

    // Returns success while the hold is valid, or else the reason: `session_lost`, `removed`, `revoked`,
    // `held_too_long`, `closed`, `forked`, or `not_held` (an empty guard). Call it after the work: the lock has
    // protected the work only if the hold is still valid then.
    [[nodiscard]] result<void> status() const;

    // Returns a stop token that is triggered when the hold is lost, but not by release(). Stop callbacks on this token
    // (std::stop_callback) run on threads of the client: all callbacks of one hold on one thread, and the callbacks of
    // up to 32 holds at once. client::close() waits for these callbacks; they may call client::close() themselves.
    [[nodiscard]] std::stop_token lost() const noexcept;
    // Calls `callback` once when the hold is lost, on the client's callbacks executor. If the hold is lost already, the
    // callback is queued at once. The callback does not begin after the guard has been released, see acquire_options.
    void on_lost(std::function<void(const error& why)> callback);

    // Executes the writes of a transaction at the servers, all of its parts or none, and only if this hold still exists
    // at the servers. So the write of a holder that has lost its hold, and does not know it yet, fails
    // (docs/how-to/guarded-writes.md).
    //
    // The call waits for the servers' answer, and is a Boost interruption point. For a multi_lock the servers check the
    // holds of all its locks, which must be on the same servers and chroot. The servers execute the commits of one hold
    // one after the other. If the hold is released meanwhile, the servers execute the release after these commits. If
    // an answer is lost, the library finds out whether the servers executed the transaction, and never guesses.
    //
    // Errors after which nothing was written, and nothing will be:
    // - `no_node`, `node_exists`, `not_empty`, `bad_version`, `no_permission`, `quota_exceeded`, `local_session`: the
    //   servers refused a part of the transaction; error::part() is the part's index.
    // - `removed`: another client deleted or changed the hold's znode, or deleted the znode of a further hold
    //   (transaction::under).
    // - `session_lost`, `revoked`, `held_too_long`, `closed`, `not_held`, `forked`: the hold is over.
    // - `timeout`, `not_connected`, `cancelled`, `interrupted`: the client had not sent the transaction yet.
    // - `bad_path`, `bad_option`: a part breaks a rule, or names the znode of one of the holds; or a further hold is
    //   on other servers, or belongs to a quorum_lock.
    // - `too_many`: the transaction creates more ephemeral znodes than a session can safely own.
    //
    // After this error the servers may have executed the transaction or not:
    // - `outcome_unknown`: before the library could find out the outcome, the timeout passed, the stop token was
    //   triggered, or the session or the hold's znode was lost.
    result<commit_result> commit(const transaction& writes, const commit_options& options) const;
    result<commit_result> commit(const transaction& writes) const;
    // Takes a timeout or a deadline in place of options: commit(writes, 2s). Returns a result<commit_result>.
    template <waiting_time W>
    auto commit(const transaction& writes, const W& limit) const {
        return commit(writes, {.timeout = limit});
    }
    // Like commit(), but no thread waits. `handler` runs once, with the result, on the callbacks' executor. Throws
    // std::system_error for an empty handler, for an empty guard, and for a transaction that breaks a rule.
    void async_commit(const transaction& writes, const commit_options& options,
                      std::function<void(result<commit_result>)> handler) const;
    template <waiting_time W>
    void async_commit(const transaction& writes, const W& limit,
                      std::function<void(result<commit_result>)> handler) const {
        async_commit(writes, {.timeout = limit}, std::move(handler));
    }

    // Releases the hold, and waits until the servers have confirmed the release or `timeout` has passed. The default
    // timeout is the session timeout: if no message reaches the servers for that time, they expire the session, which
    // ends the hold too. The call is a Boost interruption point. After the call the guard is empty, except after
    // `not_owner`. Errors:
    // - `timeout`, `interrupted`: the wait ended; the client continues the removal in the background.
    // - `session_lost`, `removed`, `revoked`, `held_too_long`, `closed`: the hold was lost before the call.
    // - `not_owner`: the hold belongs to another thread (recursive_mutex). Nothing changed, and the guard keeps the
    //   hold.
    // - `not_held`: the guard is empty. `forked`: this is a forked child.
    result<void> release();
    template <duration_like D>
    result<void> release(const D& timeout) {
        return release_until(boottime_clock::now() + to_nanoseconds(timeout));
    }
    result<void> release_until(boottime_clock::time_point deadline);
    template <time_point_like T>
    result<void> release_until(const T& time) {
        return release(left_until(time));
    }
    // Releases the hold, and returns at once. This function does not report whether the hold had been lost; call
    // status() first.
    void unlock() noexcept {
        if (hold_ != nullptr) let_go();
    }

private:
    friend class detail::internals;
    void let_go() noexcept;

    detail::hold* hold_ = nullptr;  // keeps itself alive until the guard releases it
};

}  // namespace turnstile
