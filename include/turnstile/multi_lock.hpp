// SPDX-License-Identifier: Apache-2.0
// multi_lock: acquires several locks as one hold: all of them or none. They may be of any kinds, on any paths and
// servers.
//
// Use it for work that needs several resources at once. It prevents deadlocks, and leaves no partial hold behind.
//
//     turnstile::multi_lock both{orders, stock};       // refers to the locks
//     if (auto hold = both.acquire({.timeout = 2s}); hold) move(hold->fencing_tokens());
//     const std::scoped_lock held{both};
//
// Order. A multi_lock waits for its locks one after the other, in an order that is the same in every process: by the
// path from the servers' root, then by the servers' hosts. So callers with overlapping sets of locks never wait in a
// cycle, as long as no caller holds one of the locks before it calls acquire(). If the servers of a lock are unknown
// (any_lock), only its path decides its position in the order.
//
// Speed. acquire() first tries all locks at once if all of them belong to one client and are of these kinds: a `mutex`
// without the options retain_for and cohort, or a shared_mutex taken as a writer. If all locks are free, the call takes
// one round trip, however many locks there are. If another contender has one of the locks, the attempt has failed: the
// call gives back the locks that come later in the order, and waits for that lock. After a failed attempt the next call
// on this object waits for the first lock alone, and tries all other locks at once while it holds the first lock. After
// two failed attempts in a row the next 3 calls do the same, after three the next 7, after six or more the next 63.
// try_acquire() always takes one lock after the other.
//
// All or none. One deadline covers the whole call. If the call does not get all locks, the client releases the locks
// that it got, the last lock first, even after the call has returned. While the call waits for one lock, it may lose a
// lock that was granted before, because the session ends or another client deletes the znode. Then the call starts
// over, with the same deadline.
//
// A part is the hold on one of the locks. The whole hold is valid while all parts are valid: valid_until() is the
// earliest valid_until() of a part. When one part is lost, the whole hold is lost: the library first notifies the
// caller (lost(), then on_lost), and then releases the other parts. The guard's fencing token is the token of the part
// that is last in the order. This token grows with each grant of the same set of locks. If sets overlap, use
// guard::fencing_tokens(). The protocol: docs/why/multi-lock.md.
//
// Thread safety: any thread may call any member. Do not destroy a multi_lock while a call on it is in progress.
// Asynchronous acquisitions and guards may outlive it, but must not outlive the locks to which it refers.
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
    // Makes a multi_lock, and sends nothing. Throws std::system_error(bad_option) if there is no lock; if a lock is in
    // the list twice (also as reader and writer of one shared_mutex, because one of the two requests would wait for the
    // other); or if two locks have the same name.
    multi_lock(std::initializer_list<any_lock> locks);
    explicit multi_lock(std::vector<any_lock> locks);
    // Releases the holds that lock(), try_lock(), try_lock_for() and try_lock_until() have taken.
    ~multi_lock();
    multi_lock(const multi_lock&) = delete;
    multi_lock& operator=(const multi_lock&) = delete;

    // Returns the locks in the order in which the multi_lock waits for them.
    [[nodiscard]] const std::vector<any_lock>& locks() const noexcept;

    // These functions also take a timeout or a deadline in place of options, as in acquire(2s): see lockable.hpp.
    using lockable::acquire;
    using lockable::async_acquire;
    using lockable::try_acquire;

    // Waits for all locks. The errors are the locks' errors; the message names the lock. After an error the client
    // removes the call's znodes as soon as it can reach the servers. If the client cannot reach them, the servers
    // delete the znodes when the session expires.
    //
    // The options apply as follows:
    // - on_entered is called for each lock that the call tries or for which it waits; on_queued is called only for
    //   a lock for which it waits.
    // - on_at_risk, on_expiring and on_asked_to_release are called for each part (the hold on one of the locks). The
    //   callbacks get the times of the whole hold.
    // - The time max_hold begins at the grant of the last lock in the order.
    // - The lock_delay of a part (lock_options) applies to that part alone. When one part is lost, the library releases
    //   the other parts, so their locks are free at once, without a delay.
    result<guard> acquire(acquire_options options = {});
    // Takes all locks if no contender is ahead in any queue; otherwise returns `busy`. The call waits only for the
    // servers' answers, for one lock after the other. If several such calls try the same locks at the same time, one of
    // the calls gets all the locks.
    result<guard> try_acquire(acquire_options options = {});
    // Like acquire(), but no thread waits. `handler` runs once, with the result of acquire(). It runs on the executor
    // for callbacks (client_options::callbacks) of one of the locks' clients. Throws std::system_error(bad_option) for
    // an empty handler.
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
