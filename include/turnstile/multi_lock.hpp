// SPDX-License-Identifier: Apache-2.0
// multi_lock: all or none of several locks, of any kind, on any paths and servers.
//
// Purpose: one hold on several resources, without deadlocks and without half of it left behind.
//
//     turnstile::multi_lock both{orders, stock};       // refers to the locks
//     if (auto hold = both.acquire({.timeout = 2s}); hold) move(hold->fencing_tokens());
//     const std::scoped_lock held{both};
//
// Order: the locks are waited for one after the other in a canonical order, whatever the caller's is: by the
// path from the servers' root, then by the servers' hosts. It is the same in every process, so callers that
// want overlapping sets never wait in a cycle, as long as none of them holds one of the locks already. A
// lock whose servers are not known (any_lock) is ordered by its path alone.
//
// Speed: where all locks are of one client, and each is a `mutex` that is neither retained nor a cohort's, or a
// shared_mutex to be written, acquire() tries all at once, before it waits for any: free locks take one round trip,
// however many they are. What is got behind a lock that another contender has is given back before that is waited for.
// After a trial that did not get all, the next call on this object waits for the first lock and tries the rest at once
// behind it; the next 3, 7, up to 63 calls after several such trials in a row. try_acquire() goes from lock to lock.
//
// All or none: one deadline for the whole call; what is not granted in full is given back, the last first,
// also when the caller has gone. When a part that is there already is lost with its session, or by
// another client's hand, while another part is waited for, the call starts over within its deadline.
//
// The hold is valid while all its parts are: valid_until() is the earliest of theirs, and the loss of one
// is the loss of all: the caller is told (lost(), then on_lost), and the others are given back then. The
// token is the last part's, which grows from grant to grant of the same set; for overlapping sets use
// guard::fencing_tokens(). docs/why/multi-lock.md has each step and what happens when it goes wrong.
//
// Thread safety: all members from any thread. A multi_lock must not be destroyed while a call on it is
// under way; asynchronous acquisitions and guards may outlive it, but not the locks that it refers to.
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

class TURNSTILE_EXPORT multi_lock : public lockable<multi_lock> {
public:
    // Throws std::system_error(bad_option): there is no lock; one is there twice (also as two kinds of lock
    // on one path, one of which might wait for the other); or two have the same name. Sends nothing.
    multi_lock(std::initializer_list<any_lock> locks);
    explicit multi_lock(std::vector<any_lock> locks);
    // Gives up what the standard forms hold.
    ~multi_lock();
    multi_lock(const multi_lock&) = delete;
    multi_lock& operator=(const multi_lock&) = delete;

    // In the canonical order.
    [[nodiscard]] const std::vector<any_lock>& locks() const noexcept;

    // The three also with a time-out or deadline alone, acquire(2s): lockable.hpp.
    using lockable::acquire;
    using lockable::async_acquire;
    using lockable::try_acquire;

    // Waits for all of them. The errors are those of the locks; the message says whose it was.
    // on_entered tells of each lock that is waited for or tried, on_queued of the queue of the lock that is
    // waited for. on_at_risk, on_expiring and on_asked_to_release tell of each part, with what is left of the
    // whole. max_hold counts from the grant of the last lock in the order. The lock_delay of a part
    // (lock_options) is that part's alone: of a lost hold the parts that are given back are released, and free
    // at once.
    // After each error nothing of the call is left, or will be removed as soon as the servers can be
    // reached, or ends with the session.
    result<guard> acquire(acquire_options options = {});
    // Takes them if no contender is ahead in any queue, else `busy`. Waits only for the servers' answers, for
    // one lock after the other: of several calls for the same locks one gets them.
    result<guard> try_acquire(acquire_options options = {});
    // The asynchronous form: no thread waits. `handler` runs once, with what acquire() would return, on
    // the callbacks' executor of a client of one of the locks. Throws std::system_error(bad_option) for
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
