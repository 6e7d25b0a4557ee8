// SPDX-License-Identifier: Apache-2.0
// What a session does because of the time: the lease's end, confirmations, the keep-alive, deadlines,
// and opening the next session.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "core/session/session_context.hpp"

namespace turnstile::core {

namespace {

constexpr int k_confirmations_per_timeout = 5;
// Through a follower a time-out of 5/3 of the relay bound keeps a hold alive (docs/why/lease.md).
constexpr int k_ample = 5;
constexpr int k_of_bound = 3;
constexpr int k_hurry = 4;  // how much more often a lease that is nearly over is confirmed

// A session that no server takes back is given up after two of its time-outs, and not sooner than this.
constexpr duration k_least_patience = std::chrono::seconds{5};

constexpr const char* k_connection_limit =
    "; it is a further session of its client, and a server may allow no more connections from this "
    "address (maxClientCnxns, 60 by default)";

void earliest(std::optional<time_point>& best, const std::optional<time_point>& candidate) {
    if (candidate && (!best || *candidate < *best)) best = candidate;
}

}  // namespace

void session_core::on_time(time_point now) {
    now_ = std::max(now_, now);
    end_lease_if_over();
    replace_if_broken();
    abandon_if_refused();
    expire_deadlines();
    end_long_holds();
    end_delays();
    warn_holders();
    if (reopen_at_ && *reopen_at_ <= now_) open();
    retry_if_due();
    if (const auto due = confirmation_due(); due && *due <= now_) send_confirmation();
    if (const auto due = look_due(); due && *due <= now_) look_again();
    if (const auto due = keep_alive_due(); due && *due <= now_)
        send(exists_op{"/"}, {to_nobody{}, false});
    if (const auto due = search_due(); due && *due <= now_) search();
    finish();
}

std::optional<time_point> session_core::next_deadline() const {
    std::optional<time_point> best = reopen_at_;
    if (attached_) earliest(best, retry_at_);
    earliest(best, lease_end_due());
    earliest(best, break_due());
    earliest(best, abandon_due());
    earliest(best, confirmation_due());
    earliest(best, look_due());
    earliest(best, keep_alive_due());
    earliest(best, warning_due());
    earliest(best, search_due());
    earliest(best, hopeless_due());
    // place: next_deadline_of_callers
    if (!deadlines_.empty()) earliest(best, deadlines_.begin()->first);
    if (!hold_ends_.empty()) earliest(best, hold_ends_.begin()->first);
    if (!delay_ends_.empty()) earliest(best, delay_ends_.begin()->first);
    return best;
}

// ---- the lease ------------------------------------------------------------------------------

std::optional<time_point> session_core::lease_end_due() const {
    if (closing_) return std::nullopt;
    if (!holding_.empty()) return lease_.valid_until();  // place: lease_of_holders_ends
    const bool away = state_ == session_state::suspended || state_ == session_state::read_only;
    // A read-only server may be the first one: there is no session yet that could be lost.
    if (!away || session_id_ == 0) return std::nullopt;
    return acquisitions_.empty() ? heard_ + lease_.timeout() : lease_.valid_until();
}

void session_core::end_lease_if_over() {
    const auto due = lease_end_due();
    if (!due || *due > now_) return;
    std::string text = "the session's lease ran out before it was confirmed";
    if (attached_ && !lease_.can_be_kept()) {
        text += ": " + short_lease();
        warn_of_short_lease();
    }
    const error why{errc::session_lost, text};
    enter(session_state::lost, why.message());
    for (const auto who : id_set{holding_})
        with(who, [&why](acquisition& one, acquisition_context& c) { one.on_lease_end(c, why); });
}

// ---- a session that nothing proves any more -------------------------------------------------

// The leader may have doomed it by then, and would answer as ever until its turn comes. Where the lease cannot
// be kept a new session would fare no better: there it goes on, and is never certain again.
std::optional<time_point> session_core::break_due() const {
    // place: break_is_due
    if (!attached_ || closing_ || !lease_.can_be_kept()) return std::nullopt;
    return lease_.trusted_until();
}

void session_core::replace_if_broken() {
    const auto due = break_due();
    if (!due || *due > now_) return;
    end_epoch({errc::session_lost,
               "nothing was answered in time to show that the session lives: a new one is opened"},
              close_session::how::orderly);
}

// It is kept for a while after its end, so that it can be closed when the servers are back, and its znodes stand
// in nobody's way. But servers that were wiped, or rolled back, refuse it for ever.
std::optional<time_point> session_core::abandon_due() const {
    // place: abandon_is_due
    if (attached_ || closing_ || !open_ || session_id_ == 0) return std::nullopt;
    const auto over = std::max(lease_.valid_until(), heard_ + lease_.timeout());
    return over + std::max(lease_.timeout(), k_least_patience);
}

void session_core::abandon_if_refused() {
    const auto due = abandon_due();
    if (!due || *due > now_) return;
    end_epoch({errc::session_lost, "no server took the session back: a new one is opened"},
              close_session::how::abandon);
}

// ---- confirmations --------------------------------------------------------------------------

duration session_core::confirm_interval() const {
    const auto wanted = settings_.confirm_every;
    if (wanted > duration{} && wanted < lease_.certain_for()) return wanted;
    return std::max(lease_.timeout(), duration{1}) / k_confirmations_per_timeout;
}

// Whether a hold that is granted now outlives the answer to its first confirmation, while all is well. One that
// waited with several ahead was not confirmed meanwhile, and could be granted in its lease's last moment.
bool session_core::lasts() const {
    const auto margin = std::min(confirm_interval(), lease_.most_left()) / k_hurry;
    return lease_.valid(now_) && now_ + margin < lease_.valid_until();
}

std::optional<time_point> session_core::confirmation_due() const {
    // place: confirmation_is_due
    if (!attached_ || acquisitions_.empty() || confirming_now_) return std::nullopt;
    const auto interval = confirm_interval();
    // Those further back need a session whose lease outlives a change of connection: any write does for that.
    if (confirming_.empty()) return std::max(confirm_from_, last_write_) + interval;
    auto due = confirm_from_ + interval;
    const auto end = lease_.valid_until();
    if (!awaiting_lease_.empty() && !lasts()) {
        if (const auto useful = lease_.next_useful_write()) due = std::min(due, *useful);
    } else if (!holding_.empty() && end > time_point::min() + interval) {
        // Granted late in a lease: no pause before the first one.
        const auto soonest = confirmed_at_ + interval / k_hurry;
        due = std::min(due, std::max(end - interval, soonest));
        // Through a follower a write helps only once an earlier answer has matured.
        const auto useful = lease_.next_useful_write();
        if (useful && lease_.rests_on() != evidence::direct)
            due = std::min(due, std::max({*useful, end - 2 * interval, soonest}));
    }
    return due;
}

// A check of one znode in a multi of its own: it takes a transaction, so a majority and the session
// stand behind its answer, it changes nothing, and it says whether the znode is still there.
void session_core::send_confirmation() {
    confirm_from_ = confirmed_at_ = now_;
    const auto who = next_to_confirm();
    if (!who) return;
    confirmed_last_ = *who;
    watch_own_znodes(unwatched_);
    const auto& one = acquisitions_.at(*who).value;
    const auto znode = one.znode();
    const auto version = one.needs_confirmation() ? one.version() : k_any_version;
    // place: confirming_write
    confirming_now_ =
        send(multi_op{{check_op{znode, version}}}, {to_confirmation{*who, znode}, true});
}

std::optional<acquisition_id> session_core::next_to_confirm() const {
    if (!confirming_.empty()) {
        const auto next = confirming_.upper_bound(confirmed_last_);
        return next == confirming_.end() ? *confirming_.begin() : *next;
    }
    const auto stands = [](const auto& one) { return one.second.value.stands(); };
    const auto from = acquisitions_.upper_bound(confirmed_last_);
    if (const auto next = std::find_if(from, acquisitions_.end(), stands);
        next != acquisitions_.end())
        return next->first;
    const auto next = std::find_if(acquisitions_.begin(), from, stands);
    return next == from ? std::nullopt : std::optional{next->first};
}

// The rotation of the checks comes to each hold seldom; a watch tells of a deletion or of a revocation at
// once. Once armed it costs nothing, and a hold that ends before the first confirmation needs none, nor does
// a wait. The watches are set before the check, and at a reconnect before anything else: what is written into a
// holder's znode is then known to it before an answer that would make its lease longer. No such request of an
// earlier connection is under way at an attach: the C client has answered all it lost before (free_completions).
void session_core::watch_own_znodes(id_set whose) {
    for (const auto who : whose)
        with(who, [](acquisition& a, acquisition_context& c) { a.watch_own_znode(c); });
}

// A `take` deletes after two time-outs. The last of what one grants unseen is its lease, at most one time-out,
// and before that its first confirmation; half of what is left is for clocks that drift.
duration session_core::unseen_for() const {
    const auto interval = confirm_interval();
    return std::min(interval, std::max((lease_.certain_for() - interval) / 2, duration{}));
}

// ---- a lease that cannot be kept ------------------------------------------------------------

std::optional<time_point> session_core::hopeless_due() const {
    if (!attached_ || awaiting_lease_.empty() || lease_.can_be_kept()) return std::nullopt;
    // The server's role may yet turn out to be a better one, but not for ever.
    const auto role_settled =
        role_ == server_role::unknown ? attached_at_ + lease_.timeout() : attached_at_;
    return std::max(role_settled, lease_.hopeless_from());
}

// Nobody is ahead of it, it can never be granted on this connection, and everybody behind it waits: it
// has to go, and its caller has to hear why.
void session_core::fail_hopeless() {
    const auto due = hopeless_due();
    if (!due || *due > now_) return;
    warn_of_short_lease();
    const error why{errc::lease_too_short, short_lease()};
    for (const auto who : id_set{awaiting_lease_})
        with(who, [&why](acquisition& one, acquisition_context& c) { one.leave(c, why); });
}

void session_core::warn_of_short_lease() {
    const auto ample = settings_.lease.relay_bound * k_ample / k_of_bound;
    if (short_lease_told_ || lease_.is_direct() || lease_.timeout() >= ample) return;
    short_lease_told_ = true;
    actions_.emplace_back(warning{short_lease()});
}

std::string session_core::short_lease() const {
    const auto milliseconds = [](duration d) {
        return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(d).count()) +
               " ms";
    };
    return "session time-out " + milliseconds(lease_.timeout()) + " as granted by " + server_ +
           ", relay bound " + milliseconds(settings_.lease.relay_bound) +
           (lease_.can_be_kept()
                ? ": a hold that rests on a server that is not the leader needs a time-out of 5/3 "
                  "of the bound, and is lost within seconds with less"
                : ": through a server that is not the leader a hold is certain only with a "
                  "time-out longer than the bound") +
           "; ask for a longer session_timeout (the servers' maxSessionTimeout limits it), set "
           "lease.tick and lease.sync_limit to the servers', or prefer the leader";
}

// ---- going on -------------------------------------------------------------------------------

// One folder at a time; the next one is due at once when this one is answered.
std::optional<time_point> session_core::search_due() const {
    if (!attached_ || closing_ || searching_) return std::nullopt;
    return abandoned_.due();  // place: search_is_due
}

void session_core::search() {
    auto folder = abandoned_.folder_due();
    searching_ = send(children_op{folder}, {to_search{folder}, false});
}

// A link event makes everything go on. Where an answer was lost and none comes, time does.
void session_core::retry_later() {
    if (attached_ && !retry_at_) retry_at_ = now_ + confirm_interval();  // place: time_retries
}

// A server that throttles throws a request away after it has waited for too long, and says so: nothing of it was
// done. Everybody tries again after a pause, all at the same time, which grows while that comes to nothing.
void session_core::heed_throttling(std::uint64_t connection) {
    if (!attached_ || connection != connection_ || std::exchange(throttled_, true)) return;
    if (!std::exchange(throttling_told_, true)) {
        actions_.emplace_back(
            warning{server_ + " throttles: it throws requests away that have waited for "
                              "longer than its throttled_op_wait_time; they are sent again"});
    }
    const auto then = now_ + throttling_.next(chance_);
    retry_at_ = std::min(then, retry_at_.value_or(then));
}

void session_core::retry_if_due() {
    if (!attached_ || !retry_at_ || *retry_at_ > now_) return;
    retry_at_.reset();
    throttled_ = false;
    if (confirming_now_ && !pending_.contains(*confirming_now_)) {
        confirming_now_.reset();
        confirm_from_ = now_ - confirm_interval();  // at once
    }
    if (searching_ && !pending_.contains(*searching_)) searching_.reset();
    with_all_writes([](guarded_writes& some, write_context& c) { some.on_attached(c); });
    with_all([](acquisition& one, acquisition_context& c) { one.on_attached(c); });
    for (auto& [who, one] : asked_) send_inquiry(who, one);
}

std::optional<time_point> session_core::keep_alive_due() const {
    if (!attached_ || closing_) return std::nullopt;  // place: keep_alive_is_due
    return last_sent_ + lease_.keep_alive();
}

// ---- deadlines of callers -------------------------------------------------------------------

void session_core::expire_deadlines() {
    // place: deadlines_that_passed
    while (!deadlines_.empty() && deadlines_.begin()->first <= now_) {
        const auto who = deadlines_.begin()->second;
        deadlines_.erase(deadlines_.begin());
        if (const auto one = acquisitions_.find(who); one != acquisitions_.end()) {
            const auto& late = one->second.value;
            const auto why =
                late.delay_end()
                    ? error{errc::timeout, late.folder() +
                                               ": nobody is ahead, but the lock delay of a holder "
                                               "that crashed is not over"}
                    : deadline_error(late.folder(), late.ahead());
            with(who, [&why](acquisition& a, acquisition_context& c) {
                if (a.waits()) a.leave(c, why);
            });
        } else if (asked_.erase(who) > 0) {
            actions_.emplace_back(answer{who, deadline_error("the query", std::nullopt)});
        } else if (commits_.contains(who)) {
            cancel_commit(who, deadline_error("the commit", std::nullopt));
        }
    }
}

error session_core::deadline_error(const std::string& what,
                                   std::optional<std::size_t> ahead) const {
    if (!attached_ && not_opened_ == errc::unresolvable)
        return {errc::unresolvable, what + ": " + not_opened_->detail()};
    if (!attached_) {
        const bool further_and_new = session_id_ == 0 && settings_.index > 0;
        return {errc::not_connected, what + ": no server of " + settings_.servers +
                                         " answered in time (session " +
                                         std::string{to_string(state_)} + ')' +
                                         (further_and_new ? k_connection_limit : "")};
    }
    const std::string throttles =
        throttling_.under_way() ? ", which throttles: it throws requests away" : "";
    if (!ahead) return {errc::timeout, what + ": no answer in time from " + server_ + throttles};
    if (*ahead == 0) {
        return {errc::timeout, what +
                                   ": nobody is ahead, but the lease could not be confirmed in "
                                   "time by " +
                                   server_ + throttles};
    }
    return {errc::timeout, what + ": " + std::to_string(*ahead) + " ahead when last seen"};
}

std::optional<time_point> session_core::warning_due() const {
    std::optional<time_point> best;
    for (const auto who : warnable_) {
        const auto& one = acquisitions_.at(who);
        if (!one.limited->warned) earliest(best, end_of(one) - one.limited->warn_before);
    }
    return best;
}

time_point session_core::end_of(const member& hold) const {
    return std::min(lease_.valid_until(), hold.limited->hold_end.value_or(time_point::max()));
}

// The holder is told first: its guard is over by the same clock.
void session_core::end_long_holds() {
    while (!hold_ends_.empty() && hold_ends_.begin()->first <= now_) {
        const auto who = hold_ends_.begin()->second;
        hold_ends_.erase(hold_ends_.begin());
        const error why{errc::held_too_long, acquisitions_.at(who).value.folder()};
        // place: max_hold_revokes
        with(who, [&why](acquisition& one, acquisition_context& c) { one.revoke(c, why); });
    }
}

void session_core::end_delays() {
    while (!delay_ends_.empty() && delay_ends_.begin()->first <= now_) {
        const auto who = delay_ends_.begin()->second;
        with(who, [](acquisition& one, acquisition_context& c) { one.on_delay_end(c); });
    }
}

void session_core::warn_holders() {
    for (const auto who : warnable_) {
        auto& one = acquisitions_.at(who);
        const bool near = end_of(one) - one.limited->warn_before <= now_;
        if (near && !one.limited->warned) actions_.emplace_back(notice{who, expiring{}});
        one.limited.change().warned = near;
    }
}

}  // namespace turnstile::core
