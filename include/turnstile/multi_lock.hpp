// SPDX-License-Identifier: Apache-2.0
// multi_lock: one hold on several locks, of any kind, on any paths and servers: all of them or none.
//
// Use it for work that needs several resources at once. It prevents deadlocks, and leaves no partial hold behind.
//
//     turnstile::multi_lock both{orders, stock};       // refers to the locks
//     if (auto hold = both.acquire({.timeout = 2s}); hold) move(hold->fencing_tokens());
//     const std::scoped_lock held{both};
//
// Order. A multi_lock waits for its locks one after the other, in a canonical order that does not depend on the caller:
// by the path from the servers' root, then by the servers' hosts. The order is the same in every process. So callers
// with overlapping sets never wait in a cycle, as long as no caller already holds one of its locks. A lock whose
// servers are unknown (any_lock) is ordered by its path alone.
//
// Speed. acquire() tries all locks at once before it waits for any of them, if all belong to one client and are of
// these kinds: a shared_mutex to be written, or a `mutex` that is neither retained nor a cohort's. Free locks then take
// one round trip, however many they are. If another contender has a lock, this attempt has failed: the call gives back
// the later locks in the order, and waits for that lock. After a failed attempt the next call on this object waits for
// the first lock alone, and tries the others at once while it holds the first. After several failed attempts in a row
// the next 3, 7, up to 63 calls do that. try_acquire() always takes one lock after the other.
//
// All or none. One deadline covers the whole call. If not all locks are granted, the client releases the granted ones,
// the last first, even after the caller has gone. The call may lose a granted part while it waits for another part: its
// session ends, or another client deletes its znode. The call then starts over within its deadline.
//
// The hold is valid while all its parts are valid: valid_until() is the earliest valid_until() of a part. When one part
// is lost, the whole hold is lost: the library first notifies the caller (lost(), then on_lost), then releases the
// other parts. The guard's token is the last part's, which grows with each grant of the same set. For overlapping sets
// use guard::fencing_tokens(). docs/why/multi-lock.md lists each step and what happens if it fails.
//
// Thread safety: any thread may call any member. Do not destroy a multi_lock while a call on it is in progress.
// Asynchronous acquisitions and guards may outlive it, but not the locks that it refers to.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/any_lock.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/lockable.hpp"
#include "turnstile/owned.hpp"

namespace turnstile {

// A lock that consists of several locks.
class TURNSTILE_EXPORT multi_lock : public lockable<multi_lock> {
public:
    // Makes a multi_lock, and sends nothing. Throws std::system_error(bad_option) if there is no lock; if a lock is
    // there twice (also as two kinds of lock on one path, one of which might wait for the other); or if two locks have
    // the same name.
    multi_lock(std::initializer_list<any_lock> locks);
    explicit multi_lock(std::vector<any_lock> locks);
    // Releases the holds that the standard forms have taken.
    ~multi_lock();
    multi_lock(const multi_lock&) = delete;
    multi_lock& operator=(const multi_lock&) = delete;

    // Returns the locks in the canonical order.
    [[nodiscard]] const std::vector<any_lock>& locks() const noexcept;

    // Acquire with a timeout or a deadline in place of options, as in acquire(2s): see lockable.hpp.
    using lockable::acquire;
    using lockable::async_acquire;
    using lockable::try_acquire;

    // Waits for all locks. The errors are the locks' errors; the message names the lock. After an error no znode of
    // the call blocks a queue: the client has removed the znodes, or removes them as soon as it reaches the servers, or
    // they end with their session.
    //
    // The options apply as follows:
    // - on_entered is called for each lock that the call waits for or tries; on_queued for the lock that it waits for.
    // - on_at_risk, on_expiring and on_asked_to_release are called for each part, with the time that is left of the
    //   whole hold.
    // - max_hold counts from the grant of the last lock in the order.
    // - The lock_delay of a part (lock_options) applies to that part alone. When a hold is lost, the parts that are
    //   given back are released, and are free at once.
    result<guard> acquire(acquire_options options = {});
    // Takes all locks if no contender is ahead in any queue; otherwise returns `busy`. The call waits only for the
    // servers' answers, for one lock after the other. If several such calls want the same locks at the same time, one
    // of them gets all the locks.
    result<guard> try_acquire(acquire_options options = {});
    // Like acquire(), but no thread waits. `handler` runs once, with the result of acquire(), on the callbacks'
    // executor of a client of one of the locks. Throws std::system_error(bad_option) for an empty handler.
    void async_acquire(acquire_options options, std::function<void(result<guard>)> handler);

private:
    friend lockable<multi_lock>;
    void take();
    bool try_take(boottime_clock::duration left);
    void give_back();
    [[nodiscard]] const guard* own() const noexcept;

    class state;
    const detail::owned<state> state_;
};

}  // namespace turnstile
