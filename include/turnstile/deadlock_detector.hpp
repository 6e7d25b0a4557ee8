// SPDX-License-Identifier: Apache-2.0
// deadlock_detector: finds waits for locks that can never end, and ends them.
//
// Use it if neither a fixed order of the locks nor multi_lock is possible. An example of a deadlock: A holds "/locks/a"
// and waits for "/locks/b", while B holds "/locks/b" and waits for "/locks/a". A timeout ends such a wait too, but
// late. The detector finds the cycle from the metadata that contenders write into their znodes:
//
//     turnstile::deadlock_detector detector{servers, {"/locks/a", "/locks/b"}};
//     for (const auto& found : detector.find().value()) log(found.to_string());
//     auto hold = detector.acquire(a);   // would_deadlock: this caller must release its holds
//     auto folder = turnstile::deadlock_detector::below(servers, "/locks");   // all locks of a folder
//
// Waits. A waiter waits for all contenders ahead of it in the queue of an exclusive lock.
//
// Owners. The owner of a contender is `contender_metadata::owner`: the name of a thread or a task, which does nothing
// else while it waits. Two owners with the same name are the same owner, even in different processes. By default the
// owner is the thread that called a blocking acquire(). So set `acquire_options::owner` to a name of your own
// - in asynchronous acquisitions and coroutines. These belong to no thread. Without a name they have no owner, and the
//   detector never finds them in a cycle. It does not find contenders of other libraries either.
// - if guards move between threads, so that different threads acquire and release.
//
// A reported cycle is real. The detector reads the queues twice, and reports a cycle only if all its znodes exist both
// times. So all of them existed at the instant between the two readings. docs/why/deadlocks.md names the errors that
// are still possible. How to use the detector: docs/how-to/deadlocks.md.
//
// Cost. find() reads the list of contenders of each lock, and the metadata of contenders at locks that have a waiter.
// Nothing runs in the background, and acquire() searches for a cycle only after it has waited for a while.
//
// Thread safety: any thread may call const members.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/mutex.hpp"
#include "turnstile/owned.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

// An owner in a cycle. Each member waits for the next member; the last member waits for the first.
struct deadlock_member {
    std::string owner;  // contender_metadata::owner
    std::string holds;  // path of the lock that this owner holds
    // This owner's znode in the queue of the lock `holds`. The previous member of the cycle waits for this znode. If
    // the position of the znode is 0, this owner holds the lock. If the position is larger, this owner also waits for
    // the lock, ahead of the previous member.
    contender holding;
    std::string awaits;  // path of the lock that this owner waits for
    // The owner's znode in the queue of the lock `awaits`. Its metadata have the owner's host, pid, thread and label,
    // and the start of the wait (`since`).
    contender waiting;
};

// A cycle of owners that wait for each other.
struct deadlock {
    // The members. The first member is the newest waiter, whose wait closed the cycle. A single member waits for
    // itself.
    std::vector<deadlock_member> members;

    // Returns a text like "web1 pid 12 thread 13 (orders) holds /locks/a and waits for /locks/b since
    // 2026-11-21T04:38:36Z; web2 pid 7 ...". Control characters of labels are written as \xNN.
    [[nodiscard]] TURNSTILE_EXPORT std::string to_string() const;
};

// The options of a detector.
struct deadlock_options {
    // The time for which acquire() waits, without a change of its place in the queue, before it searches for a cycle,
    // and before it searches again. Positive. PostgreSQL's deadlock_timeout has the same default, for the same reason:
    // most waits end sooner, and a search costs more than a short wait.
    std::chrono::milliseconds look_after{1'000};
};

// Finds cycles of waits.
class TURNSTILE_EXPORT deadlock_detector {
public:
    // Makes a detector for the locks on `paths`, and sends nothing. Throws std::system_error: `bad_path`, `bad_option`,
    // `closed` (`servers` was moved from).
    deadlock_detector(const client& servers, std::vector<std::string> paths,
                      deadlock_options options = {});
    // Refuses a temporary client, which would close at the end of the statement.
    deadlock_detector(client&&, std::vector<std::string>, deadlock_options = {}) = delete;
    // Makes a detector for all locks below `folder`, at any depth, except in the servers' "/zookeeper". Each search
    // finds the locks that exist at that time.
    [[nodiscard]] static deadlock_detector below(const client& servers, std::string_view folder,
                                                 deadlock_options options = {});
    static deadlock_detector below(client&&, std::string_view, deadlock_options = {}) = delete;
    ~deadlock_detector();
    deadlock_detector(deadlock_detector&&) noexcept;
    deadlock_detector& operator=(deadlock_detector&&) noexcept;

    // Returns the present cycles, one for each wait that closed a cycle; an empty vector if there is none. Errors:
    // `timeout`, `not_connected`, `cancelled`, `interrupted`, `closed`, `forked`, `auth_failed`, `no_permission`,
    // `protocol`; `too_many` (too many folders below the detector's folder).
    [[nodiscard]] result<std::vector<deadlock>> find(const query_options& options = {}) const;
    // Takes a timeout or a deadline in place of options: find(2s).
    template <waiting_time W>
    [[nodiscard]] result<std::vector<deadlock>> find(const W& limit) const {
        return find({.timeout = limit});
    }

    // Like lock.acquire(options), but gives up with `would_deadlock` if this wait is the newest wait of a cycle (the
    // wait whose znode was created last). So if all members of a cycle use this function, exactly one member gives up.
    // The other members continue to wait for the locks that this member will release. If cycles overlap, the newest
    // wait of each cycle gives up, which may be one wait more than necessary.
    //
    // A caller that gets `would_deadlock` must release its holds, and may then start again. Without `options.owner` the
    // owner is the calling thread. The call is a Boost interruption point. Do not make this call in a callback of the
    // client (`bad_option`). Errors: the errors of acquire(), and
    // - `bad_option`: the lock is not among the detector's locks.
    // - `no_permission`, `protocol`, `too_many`: the detector cannot search for cycles. This call did not take the
    //   lock. A temporary error of a search (`timeout`, `not_connected`) only postpones the search.
    result<guard> acquire(mutex& lock, acquire_options options = {}) const;
    // Takes a timeout or a deadline in place of options: acquire(orders, 2s).
    template <waiting_time W>
    result<guard> acquire(mutex& lock, const W& limit) const {
        return acquire(lock, {.timeout = limit});
    }

private:
    class state;
    explicit deadlock_detector(const state* looks) noexcept;

    detail::owned<const state> state_;
};

}  // namespace turnstile
