// SPDX-License-Identifier: Apache-2.0
// local_queue: the threads of a process that share one contender, as a value: which holds, when to ask for the
// contender, when to give it back, and when to come back.
//
// Two modes, which may be combined. Cohort: the lock is handed over inside the process, which costs no request;
// once others queue behind the contender at most `passes` times more, then they come first (lock cohorting:
// Dice, Marathe, Shavit 2012). Retained: when no thread of the process wants it the contender stays for a while, and
// the next one here is granted with no request; it is given back as soon as others queue behind it (the cached
// lock and blocking callback of the VMS and GFS2 lock managers).
//
// | contender | holder | arrives              | released                              | others queue behind it    |
// |-----------|--------|----------------------|---------------------------------------|---------------------------|
// | none      | none   | asked for            |                                       |                           |
// | asked     | none   | waits                |                                       |                           |
// | held      | one    | waits                | next in line, if the lease is valid    | counted from here on      |
// |           |        |                      | and passes are left; else given back, |                           |
// |           |        |                      | and asked for again if a thread waits |                           |
// | held      | none   | granted, if the      |                                       | given back                |
// |           |        | lease is valid       |                                       |                           |
//
// Each contender has a number that is never used again. An `ask` has one answer, on_granted or on_refused, also
// after `withdraw`, which asks for an early one. One that is granted in vain is given back.
// Before each event the contender's lease is told (`confirm`). Thread safety: a value; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/composite/local_holder.hpp"
#include "core/composite/sharing_action.hpp"
#include "turnstile/error.hpp"

namespace turnstile::core {

struct local_queue_settings {
    std::string path;       // for messages
    duration retain_for{};  // the contender stays so long without use; zero: not at all
    std::uint32_t passes = 0;
    friend bool operator==(const local_queue_settings&, const local_queue_settings&) = default;
};

class local_queue {
public:
    explicit local_queue(local_queue_settings settings) : settings_{std::move(settings)} {}

    // ---- what happens ----
    void arrive(const sharing::caller& arrival, time_point now);
    // Of one that waits; `why` is told.
    void give_up(local_id id, const error& why);
    // What becomes of the contender at a release. `give_back`: a commit of the holder may still be under way, and only
    // the removal of the contender's znode stops it; so no other caller may get this contender.
    enum class next { pass_on, give_back };
    // Releases the holder `id`. Any other id is ignored: that caller was told its loss before.
    void release(local_id id, time_point now, next then = next::pass_on);
    void on_granted(std::uint64_t contender, time_point valid_until, time_point now);
    void on_refused(std::uint64_t contender, const error& why);
    void on_lost(std::uint64_t contender,
                 const error& why);              // granted, and over without a give_back
    void on_contended(std::uint64_t contender);  // others queue behind it
    // An operator asks for it: as if others had queued, and all passes were used.
    void on_asked_to_release(std::uint64_t contender);
    void on_time(time_point now);
    // Until when the contender's hold says that it is certain, `min` once it is lost; no event.
    void confirm(time_point valid_until) { valid_until_ = valid_until; }

    [[nodiscard]] std::vector<sharing::action> take() { return std::exchange(actions_, {}); }
    // Into one that is used again and again, and so has room.
    void take(std::vector<sharing::action>& into) {
        into.clear();
        into.swap(actions_);
    }
    [[nodiscard]] std::optional<time_point> next_deadline() const;
    // The earliest deadline that the latest event may have brought, without a look at all waiters: for a caller that
    // keeps the earlier ones and asks next_deadline() then.
    [[nodiscard]] std::optional<time_point> newest_deadline() const;

    // ---- questions ----
    [[nodiscard]] std::optional<local_id> holder() const noexcept {
        return holder_ ? std::optional{holder_->id()} : std::nullopt;
    }
    // How many of this process are ahead of one that waits.
    [[nodiscard]] std::optional<std::size_t> place_of(local_id id) const;
    [[nodiscard]] std::vector<local_id> line() const;  // the waiters, in the order of arrival
    [[nodiscard]] std::optional<local_id> first() const {
        return line_.empty() ? std::nullopt : std::optional{line_.front().id};
    }
    [[nodiscard]] bool holds_contender() const noexcept { return has_ == has::it; }

    friend bool operator==(const local_queue&, const local_queue&) = default;

private:
    enum class has { nothing, asked, it };

    // What is true between two events.
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
    std::uint64_t contender_ = 0;  // the latest that was asked for
    attempt asked_how_ = attempt::wait;
    time_point valid_until_{};
    std::uint32_t grants_ = 0;  // under this contender
    std::uint32_t passes_ = 0;  // of those after it was known that others queue
    bool contended_ = false;
    std::optional<time_point> idle_end_;  // of a contender that no thread uses
    std::vector<sharing::action> actions_;
};

}  // namespace turnstile::core
