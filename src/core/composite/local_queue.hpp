// SPDX-License-Identifier: Apache-2.0
// local_queue: a value that manages the threads of a process that share one contender. It decides which thread holds
// the lock, when to request a contender, when to give the contender back, and when to call on_time().
//
// There are two modes, which may be combined. In cohort mode a release hands the lock over to another thread of the
// process without a request. Once other processes queue behind the contender, at most `passes` more local hand-overs
// follow, and then the contender is given back (lock cohorting: Dice, Marathe, Shavit 2012). In retained mode the
// contender stays for a while when no thread of the process wants the lock, and the next thread gets the lock without a
// request. The contender is given back as soon as other processes queue behind it (the cached lock and blocking
// callback of the VMS and GFS2 lock managers).
//
// The first two columns are the state; each further column is the reaction of the queue to an event:
//
// | contender | holder | a thread arrives     | the holder releases                   | a process queues behind   |
// |-----------|--------|----------------------|---------------------------------------|---------------------------|
// | none      | none   | requests a contender |                                       |                           |
// | requested | none   | lets the thread wait |                                       |                           |
// | held      | one    | lets the thread wait | hands the lock over to the next thread| counts hand-overs from    |
// |           |        |                      | if the lease is valid and passes are  | now on                    |
// |           |        |                      | left; otherwise gives the contender   |                           |
// |           |        |                      | back, and requests a new contender if |                           |
// |           |        |                      | a thread waits                        |                           |
// | held      | none   | grants the lock if   |                                       | gives the contender back  |
// |           |        | the lease is valid   |                                       |                           |
//
// Each contender has a number that is never used again. An `ask` gets one answer, on_granted or on_refused; after
// `withdraw` the answer comes soon. If a grant arrives after the queue has withdrawn the request, the queue gives the
// contender back. Before each event the caller passes the end of the contender's lease (`confirm`).
//
//     local_holder   the thread that holds the shared contender, and the end of this thread's time limit
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/contender/contender_core.hpp"
#include "core/seam/seam.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

enum class local_id : std::uint64_t {};

// local_holder: the thread of this process that holds a shared contender now. Stores the end of the thread's own time
// limit, and decides when the thread must be warned that its hold ends soon.
class local_holder {
public:
    // `end`: the end of the holder's own time limit, if there is one. `warn_before`: zero for no warning.
    local_holder(local_id id, std::optional<time_point> end, duration warn_before)
        : id_{id}, end_{end}, warn_before_{warn_before} {}

    [[nodiscard]] local_id id() const noexcept { return id_; }
    [[nodiscard]] std::optional<time_point> end() const noexcept { return end_; }

    // Returns the next time to call `warn`. `lease_end`: the end of the contender's lease; time_point::min() once the
    // contender is lost.
    [[nodiscard]] std::optional<time_point> next_warning(time_point lease_end) const;
    // Returns true if the holder must be warned now: once each time that the remaining time falls below `warn_before`.
    // No event reports an extension of the lease. Therefore the caller must call `warn` again at the end of the lease
    // that was known at the latest warning. If the lease was extended meanwhile, a second warning may follow later.
    [[nodiscard]] bool warn(time_point lease_end, time_point now);

    friend bool operator==(const local_holder&, const local_holder&) = default;

private:
    [[nodiscard]] std::optional<time_point> warning_due(time_point lease_end) const;

    local_id id_;
    std::optional<time_point> end_;
    duration warn_before_;
    bool warned_ = false;
    // The end of the lease that was known at the latest warning. Empty if warn() need not be called again at that time.
    std::optional<time_point> warned_of_;
};

// sharing: `caller`, which describes a thread that waits for a shared contender; and the actions that a local_queue
// returns. The user of the local_queue executes the actions in the order in which it gets them.
namespace sharing {

struct caller {
    local_id id{};
    // `attempt::once`: the caller gets the lock only if no other caller of this process and no other process is ahead.
    attempt mode = attempt::wait;
    std::optional<time_point> deadline{};
    duration max_hold{};     // zero: no limit
    duration warn_before{};  // zero: never
    friend bool operator==(const caller&, const caller&) = default;
};

struct ask {
    std::uint64_t contender = 0;
    attempt mode = attempt::wait;
    friend bool operator==(const ask&, const ask&) = default;
};

struct withdraw {  // end the wait for this contender soon; the answer still comes
    std::uint64_t contender = 0;
    friend bool operator==(const withdraw&, const withdraw&) = default;
};

struct give_back {
    std::uint64_t contender = 0;
    friend bool operator==(const give_back&, const give_back&) = default;
};

// The fencing token of the hold consists of the contender's token and `counter`, the number of earlier grants under the
// same contender.
struct tell_granted {
    local_id id{};
    std::uint64_t contender = 0;
    std::uint32_t counter = 0;
    std::optional<time_point> until{};  // the end by the holder's own time limit
    friend bool operator==(const tell_granted&, const tell_granted&) = default;
};

struct tell_refused {
    local_id id{};
    error why;
    friend bool operator==(const tell_refused&, const tell_refused&) = default;
};

struct tell_lost {
    local_id id{};
    error why;
    friend bool operator==(const tell_lost&, const tell_lost&) = default;
};

struct tell_expiring {  // less than the holder's `warn_before` is left
    local_id id{};
    friend bool operator==(const tell_expiring&, const tell_expiring&) = default;
};

using action =
    std::variant<ask, withdraw, give_back, tell_granted, tell_refused, tell_lost, tell_expiring>;

}  // namespace sharing

struct local_queue_settings {
    std::string path;       // for error messages
    duration retain_for{};  // time for which an unused contender is retained; zero: not retained
    std::uint32_t passes = 0;
    friend bool operator==(const local_queue_settings&, const local_queue_settings&) = default;
};

class local_queue {
public:
    explicit local_queue(local_queue_settings settings) : settings_{std::move(settings)} {}

    // ---- events ----
    void arrive(const sharing::caller& arrival, time_point now);
    void give_up(local_id id, const error& why);
    // Decides what follows a release. `pass_on`: another thread may get the contender. `give_back`: no other thread may
    // get it, and the queue gives the contender back. The reason is a commit of the holder that may still be in
    // progress: only the removal of the contender's znode stops this commit.
    enum class next { pass_on, give_back };
    // Releases the hold of the caller `id`. Does nothing if `id` is not the present holder, because that caller has
    // already been notified that it lost its hold.
    void release(local_id id, time_point now, next then = next::pass_on);
    void on_granted(std::uint64_t contender, time_point valid_until, time_point now);
    void on_refused(std::uint64_t contender, const error& why);
    void on_lost(std::uint64_t contender,
                 const error& why);              // the contender ended without a give_back
    void on_contended(std::uint64_t contender);  // other processes queue behind the contender
    // An operator requests the release. The queue gives the contender back as if other processes queued behind it, and
    // as if no further hand-over within the process were allowed.
    void on_asked_to_release(std::uint64_t contender);
    void on_time(time_point now);
    // Stores the end of the contender's lease. `valid_until` is time_point::min() once the contender is lost. Adds no
    // actions.
    void confirm(time_point valid_until) { valid_until_ = valid_until; }

    [[nodiscard]] std::vector<sharing::action> take() { return std::exchange(actions_, {}); }
    // Like take(), but moves the actions into a vector of the caller, whose capacity is used again.
    void take(std::vector<sharing::action>& into) {
        into.clear();
        into.swap(actions_);
    }
    [[nodiscard]] std::optional<time_point> next_deadline() const;
    // Returns the earliest deadline that the latest event may have added, without reading all waiters. A caller that
    // stores the deadlines of previous events calls this function after each event. When a stored deadline has come,
    // the caller calls next_deadline().
    [[nodiscard]] std::optional<time_point> newest_deadline() const;

    // ---- functions that only return information ----
    [[nodiscard]] std::optional<local_id> holder() const noexcept {
        return holder_ ? std::optional{holder_->id()} : std::nullopt;
    }
    // Number of callers of this process ahead of a waiter, including the holder.
    [[nodiscard]] std::optional<std::size_t> place_of(local_id id) const;
    [[nodiscard]] std::vector<local_id> line() const;  // the waiters, in the order of arrival
    [[nodiscard]] std::optional<local_id> first() const {
        return line_.empty() ? std::nullopt : std::optional{line_.front().id};
    }
    [[nodiscard]] bool holds_contender() const noexcept { return has_ == has::it; }

    friend bool operator==(const local_queue&, const local_queue&) = default;

private:
    enum class has { nothing, asked, it };

    void check() const;
    void ask_for(attempt mode);
    void ask_for_those_who_wait();
    void grant_next(time_point now);
    void settle(time_point now);
    void return_it();
    void refuse(const sharing::caller& waiter, const error& why);
    void expel(const error& why, time_point now);

    local_queue_settings settings_;
    std::deque<sharing::caller> line_;  // the waiters, in the order of arrival
    std::optional<local_holder> holder_;
    has has_ = has::nothing;
    std::uint64_t contender_ = 0;  // number of the latest contender that was requested
    attempt asked_how_ = attempt::wait;
    time_point valid_until_{};
    std::uint32_t grants_ = 0;  // grants under this contender
    std::uint32_t passes_ = 0;  // hand-overs since other processes queue behind the contender
    bool contended_ = false;
    std::optional<time_point> idle_end_;  // when to give back the unused contender
    std::vector<sharing::action> actions_;
};

}  // namespace turnstile::core
