// SPDX-License-Identifier: Apache-2.0
#include "client/outage_watch.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/duration_text.hpp"
#include "base/log.hpp"

namespace turnstile::detail {

namespace {

// Removes the server's address from the cause's text if `servers` contains the address already. Otherwise the error
// would repeat it: "redis://a:6379 (a:6379: Connection refused)".
std::string_view without_server(std::string_view reason, const std::string& servers) {
    const auto end = reason.find(": ");
    const bool is_one = servers.find(',') == std::string::npos;
    if (is_one && end != std::string_view::npos &&
        servers.find(reason.substr(0, end)) != std::string::npos)
        reason.remove_prefix(end + 2);
    return reason;
}

constexpr std::chrono::minutes k_second_line{1};
constexpr std::chrono::minutes k_further_lines{5};
constexpr std::chrono::minutes k_longest_question_pause{1};  // between questions to the servers

std::chrono::seconds whole_seconds(boottime_clock::duration span) {
    return std::chrono::round<std::chrono::seconds>(span);
}

// True for the states in which a session no longer tries to reach a server.
bool is_over(session_state state) {
    return state == session_state::closed || state == session_state::auth_failed;
}

}  // namespace

bool lacks_cause(const error& why) noexcept {
    return why == errc::not_connected || why == errc::auth_failed || why == errc::no_chroot;
}

error with_cause(const error& away, const std::string& servers, const std::optional<error>& cause) {
    if (!lacks_cause(away)) return away;
    if (away == errc::no_chroot) {
        auto detail = servers + (away.detail().empty() ? "" : ", for " + away.detail());
        // If the client has tried to create the chroot (client_options::create_chroot), the cause is the servers'
        // refusal.
        if (cause && !lacks_cause(*cause))
            return {cause->code(), detail.append(": ").append(cause->detail())};
        const bool has_command = !servers.starts_with("local:");
        return {away.code(), detail.append(has_command ? "; `turnstile mkdir /` or " : "; ")
                                 .append("client_options::create_chroot creates it")};
    }
    auto detail = away.detail().empty() ? servers : away.detail();
    if (!cause || cause->detail().empty()) return {away.code(), std::move(detail)};
    detail.append(" (").append(without_server(cause->detail(), servers)).append(")");
    return {away == errc::auth_failed ? errc::auth_failed : cause->code(), std::move(detail)};
}

outage_watch::outage_watch(client_timers& timers, std::shared_ptr<worker_pool> workers,
                           std::shared_ptr<core::coordinator> servers,
                           boottime_clock::duration patience)
    : timers_{timers},
      workers_{std::move(workers)},
      servers_{std::move(servers)},
      patience_{patience} {
    const base::lock_guard lock{mutex_};
    begin(boottime_clock::now());
    ask_at_ = boottime_clock::time_point::max();
}

bool outage_watch::on_change(const session_change& step) {
    const auto now = boottime_clock::now();
    const base::lock_guard lock{mutex_};
    states_[step.session] = step.to;
    if (has_ended()) {
        outage_ = false;
    } else if (is_attached() == outage_) {
        outage_ ? end(now) : begin(now);
        return outage_;
    }
    return false;
}

boottime_clock::duration outage_watch::length(boottime_clock::time_point now) const {
    const base::lock_guard lock{mutex_};
    return outage_ ? now - since_ : boottime_clock::duration{};
}

void outage_watch::on_open_failed(const error& why) {
    const base::lock_guard lock{mutex_};
    if (outage_) learned_ = why;
}

bool outage_watch::is_attached() const {
    return std::any_of(states_.begin(), states_.end(),
                       [](const auto& s) { return s.second == session_state::connected; });
}

bool outage_watch::has_ended() const {
    return !states_.empty() && std::all_of(states_.begin(), states_.end(),
                                           [](const auto& s) { return is_over(s.second); });
}

void outage_watch::begin(boottime_clock::time_point now) {
    outage_ = true;
    ++outages_;
    learned_.reset();
    since_ = now;
    due_ = now + patience_;
    pause_ = k_first_question;
    ask_at_ = now + pause_;
    told_ = 0;
    timers_.arm(*this, std::min(due_, ask_at_));
}

void outage_watch::end(boottime_clock::time_point now) {
    outage_ = false;
    if (told_ == 0) return;
    log::write(log_level::warning, "{}: the outage of {} s is over", servers_->describe(),
               whole_seconds(now - since_).count());
}

void outage_watch::on_timer() {
    const auto now = boottime_clock::now();
    const base::lock_guard lock{mutex_};
    if (!outage_) return;
    if (now >= ask_at_) {
        start_question();
        pause_ = std::min<boottime_clock::duration>(2 * pause_, k_longest_question_pause);
        ask_at_ = now + pause_;
    }
    if (now >= due_) tell(now);
    timers_.arm(*this, std::min(due_, ask_at_));
}

void outage_watch::ask() {
    const base::lock_guard lock{mutex_};
    if (outage_ && !learned_) start_question();
}

void outage_watch::start_question() {
    if (asking_ || servers_->last_failure()) return;
    asking_ = true;
    workers_->post([this, outage = outages_] { static_cast<void>(learn_cause(outage)); });
}

std::string outage_watch::learn_cause(unsigned outage) {
    auto reason = servers_->diagnose();
    const base::lock_guard lock{mutex_};
    asking_ = false;
    if (outage == outages_) learned_ = error{errc::not_connected, reason};
    return reason;
}

std::optional<error> outage_watch::cause() const {
    const auto failed = servers_->last_failure();
    return failed || !outage_ ? failed : learned_;
}

error outage_watch::explain(const error& away) const {
    if (!lacks_cause(away)) return away;
    const base::lock_guard lock{mutex_};
    const auto known = cause();
    if (!outage_ || away != errc::not_connected || (known && !known->detail().empty()))
        return with_cause(away, servers_->describe(), known);
    // No attempt has failed yet, so the error can only say for how long the client has tried.
    const auto tried =
        std::chrono::floor<std::chrono::milliseconds>(boottime_clock::now() - since_);
    return with_cause(
        away, servers_->describe(),
        error{errc::not_connected, "no session after " + base::duration_text(tried) +
                                       ", and no server has refused the client so far"});
}

void outage_watch::tell(boottime_clock::time_point now) {
    due_ = now + (told_++ == 0 ? k_second_line : k_further_lines);
    workers_->post([this, outage = outages_, span = whole_seconds(now - since_)] {
        const auto reason = learn_cause(outage);
        log::write(log_level::warning, "no session with {} for {} s: {}", servers_->describe(),
                   span.count(), reason.empty() ? "no reason is known" : reason);
    });
}

}  // namespace turnstile::detail
