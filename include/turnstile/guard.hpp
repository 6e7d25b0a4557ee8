// SPDX-License-Identifier: Apache-2.0
// guard: a hold on a lock.
//
// Purpose: owns one hold, from the grant to the release, and knows how long it is certain.
//
//     if (auto hold = orders.acquire({.timeout = 2s})) {
//         while (work_left() && hold->valid()) step(hold->fencing_token());
//     }   // released here
//
// A hold is certain until `valid_until()`, which moves forward while the servers confirm it and lies
// before the instant at which they could hand the lock to another client. When that passes, or
// the znode is deleted by hand, or the client is closed, the hold is *lost*: `valid()` is false for
// good, `lost()` is triggered and `on_lost` called. A process that was stopped for longer than the
// lease finds out at its next look at `valid()`, not before: pass the fencing token along.
//
// Thread safety: one object is used by one thread at a time; `lost()`'s token and the values may be
// used anywhere. A guard may be moved between threads and outlive its mutex and its client.
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

// What a lease rests on, see docs/why/lease.md.
enum class lease_evidence {
    direct,   // attached to the leader or a standalone server
    relayed,  // through a follower, with the proven relay bound
    assumed,  // through a follower, with a relay bound that the user assumed; or the server is not known to be Apache
              // ZooKeeper's (docs/reference/servers.md)
};

// A guard that is dropped where it was made releases at once: `orders.acquire().value();` is warned of. (Here, and not
// at the class: GCC 12 takes no attribute beside the macro.)
class [[nodiscard]] guard;

class TURNSTILE_EXPORT guard {
public:
    guard() noexcept = default;  // holds nothing
    // Starts the release and does not wait for it; it is carried through in the background.
    ~guard() { unlock(); }
    guard(guard&& other) noexcept : hold_{std::exchange(other.hold_, nullptr)} {}
    guard& operator=(guard&& other) noexcept;  // releases what it held first
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;

    // True if there is a hold, valid or lost, that was not released.
    explicit operator bool() const noexcept { return hold_ != nullptr; }

    // The hold's token; a multi_lock's is its last lock's, and grows with each grant of the same set.
    [[nodiscard]] turnstile::fencing_token fencing_token() const noexcept;
    // One token for each lock that the hold consists of, with the lock's name.
    [[nodiscard]] fencing_vector fencing_tokens() const;
    [[nodiscard]] const std::string& path() const noexcept;  // the lock's
    // Full path of the contender znode; empty for a hold that consists of several.
    [[nodiscard]] std::string znode() const;

    // Checked against the clock at the call. False for an empty guard.
    [[nodiscard]] bool valid() const noexcept;
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept;
    // Time left until valid_until(); zero once it is over.
    [[nodiscard]] boottime_clock::duration remaining() const noexcept;
    [[nodiscard]] lease_evidence evidence() const noexcept;

    // Success while the hold is valid, else why it is not: session_lost, removed, revoked, held_too_long,
    // closed, forked, not_held (empty). Work that was done under a hold counts only if it is still valid afterwards.
    [[nodiscard]] result<void> status() const;

    // Triggered when the hold is lost; not by release(). Callbacks of the token (std::stop_callback)
    // run on threads of the client's own, each hold's on one, 32 at once; close() waits, and may be called there.
    [[nodiscard]] std::stop_token lost() const noexcept;
    // Calls `callback` once when the hold is lost, at once if it is already; on the client's
    // callbacks executor. Not any more once the guard has been released, see acquire_options.
    void on_lost(std::function<void(const error& why)> callback);

    // Writes at the servers, all parts or none, and only if this hold still stands there: a holder that has lost
    // it, and does not know yet, fails (docs/how-to/guarded-writes.md). Waits for the servers' answer; a
    // Boost interruption point. Of a multi_lock all parts are checked, which have to be of the same servers and
    // chroot. Commits of one hold are carried out one after the other, and it is
    // released after them. A lost answer is found out about, never guessed. Errors, after which
    // nothing was written and nothing will be:
    //   no_node, node_exists, not_empty, bad_version, no_permission, quota_exceeded, local_session
    //                     a part was refused: part() says which
    //   removed           another client deleted or changed the hold's znode, or deleted that of a further hold
    //   session_lost, revoked, held_too_long, closed, not_held, forked    the hold is over
    //   timeout, not_connected, cancelled, interrupted    it had not been sent yet
    //   bad_path, bad_option   a part breaks a rule, or touches a znode of the holds; a further hold is of other
    //                     servers, or of a majority
    //   too_many          its ephemeral znodes are more than a session can safely own
    // and one after which it may have been written or not:
    //   outcome_unknown   the time-out or the stop token came, or the session or the znode was lost,
    //                     before the outcome could be found out
    result<commit_result> commit(const transaction& writes, const commit_options& options) const;
    result<commit_result> commit(const transaction& writes) const;
    // The same without waiting: `handler` runs once on the callbacks' executor. Throws
    // std::system_error for an empty handler, an empty guard, and what breaks a rule.
    void async_commit(const transaction& writes, const commit_options& options,
                      std::function<void(result<commit_result>)> handler) const;

    // Gives the lock up and waits until the servers confirmed it, or `timeout` passed (`timeout`: the removal goes on
    // in the background). Without one it waits for the session time-out at the most, after which the servers give the
    // lock up by themselves if they cannot be reached. The guard is empty afterwards in any case but one:
    // `not_owner`, it belongs to another thread (recursive_mutex), and nothing was changed.
    // `session_lost`, `removed`, `revoked`, `held_too_long`, `closed`: the hold had been lost before. `interrupted`: as
    // `timeout`. Others: `not_held` (an empty guard), `forked`. A Boost interruption point.
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
    // Gives the lock up and returns at once. Does not tell whether the hold had been lost: ask
    // status() first.
    void unlock() noexcept {
        if (hold_ != nullptr) let_go();
    }

private:
    friend class detail::internals;
    void let_go() noexcept;

    detail::hold* hold_ = nullptr;  // which owns itself while a guard has it
};

}  // namespace turnstile
