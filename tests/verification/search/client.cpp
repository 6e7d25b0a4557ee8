// SPDX-License-Identifier: Apache-2.0
#include "verification/search/client.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::search {

namespace {

using namespace std::chrono_literals;

constexpr core::duration k_timeout = 30s;
constexpr core::time_point k_begin{1h};
// More requests than this for one contender mean an endless loop.
constexpr std::uint64_t k_most_requests = 60;

core::session_core_settings settings(unsigned index) {
    core::session_core_settings settings;
    settings.lease.relay_bound = 12s;
    settings.numbers_count_creates = true;
    settings.retry_first = 50ms;
    settings.retry_longest = 1s;
    settings.chance = base::random{index + 1};
    settings.servers = "modelled";
    return settings;
}

}  // namespace

client::client(unsigned index, const bounds& limits)
    : index_{index},
      wrong_world_{limits.wrong},
      unanswered_{limits.told},
      core_{core::session_core{settings(index)}},
      now_{k_begin},
      touched_{k_begin},
      rounds_left_{limits.rounds} {
    step([this](auto& core) { core.on(core::start{}, now_); });
}

void client::on(happening event) {
    switch (event) {
        case happening::acquire: return acquire();
        case happening::release:
            at_ = stage::leaving;
            return step([this](auto& core) { core.on(core::leave{current_}, now_); });
        case happening::cancel:
            given_up_ = true;
            step([this](auto& core) { core.on(core::cancel{current_}, now_); });
            if (at_ == stage::waiting) wrong("G7: it was cancelled and still waits");
            return;
        case happening::deliver: return deliver();
        case happening::timer:
            now_ = std::max(now_, core_->next_deadline().value_or(now_));
            return step([this](auto& core) { core.on_time(now_); });
        case happening::silence: now_ = std::max(now_, touched_ + k_timeout); return;
        case happening::attach: return attach();
        case happening::told_expired: told_over_ = true; return tell_link(core::link_kind::expired);
        case happening::sent: return up_.pop_front();
        case happening::late_carried_out: return late_.pop_front();
        case happening::cut: return cut();
        case happening::closed_by_servers: return closed_by_servers();
        case happening::session_closed: return given_up_sessions_.pop_front();
        case happening::crash: return crash();
    }
}

// ---- calls by the application ---------------------------------------------------------------

void client::acquire() {
    called_ = true;
    at_ = stage::waiting;
    given_up_ = false;
    granted_ = 0;
    --rounds_left_;
    current_ = core::contender_id{static_cast<std::uint64_t>(current_) + 1};
    core::acquire call;
    call.id = current_;
    call.settings.folder = k_folder;
    step([&](auto& core) { core.on(call, now_); });
}

void client::execute(const core::notice& notice) {
    if (notice.id != current_ || at_ == stage::done)
        return wrong("G8: a contender that is over is told something");
    if (const auto* granted = std::get_if<core::granted>(&notice.event)) {
        hear_granted(*granted);
    } else if (const auto* failed = std::get_if<core::failed>(&notice.event)) {
        hear_failed(*failed);
    } else if (std::holds_alternative<core::lost>(notice.event)) {
        // In a single step the core may report the loss of a hold that the application has released in the same step.
        if (granted_ == 0) return wrong("G8: told of the loss of what it does not hold");
        at_ = stage::leaving;
    } else if (std::holds_alternative<core::gone>(notice.event)) {
        hear_gone();
    }
}

void client::hear_granted(const core::granted& grant) {
    if (at_ != stage::waiting) return wrong("G8: granted, and it does not wait");
    at_ = stage::holding;
    granted_ = number_of(grant.znode);
    if (grant.token != fencing_token{granted_}) wrong("G6: the token is not the znode's czxid");
}

void client::hear_failed(const core::failed& failure) {
    if (at_ != stage::waiting) return wrong("G8: answered twice");
    if (!given_up_ || failure.why != errc::cancelled) return wrong("G8: failed without a cause");
    at_ = stage::leaving;
}

void client::hear_gone() {
    if (at_ != stage::leaving) return wrong("G8: over without an answer");
    at_ = rounds_left_ == 0 ? stage::done : stage::resting;
}

// When the lease ends, the core must notify the holder in the step that detects the end, whatever message that step
// handles.
void client::judge_hold() {
    if (at_ == stage::holding && !holds())
        wrong("G5: the lease is over, and the holder was not told");
}

// ---- execution of the core's actions --------------------------------------------------------

template <class F>
void client::step(F&& call) {
    for (auto& entry : core_.step(call)) execute(std::move(entry));
    judge_hold();
}

void client::execute(core::action&& action) {
    std::visit([this](auto& entry) { execute(entry); }, action);
}

void client::execute(core::submit& submission) {
    if (static_cast<std::uint64_t>(submission.request.id) >
        k_most_requests * (static_cast<std::uint64_t>(current_) + 1))
        wrong("G7: it asks again and again");
    sent_request question{submission.request.id, std::move(submission.request.op), now_, false};
    if (told_over_) {
        auto refused = reply_to(question, core::outcome::answered);
        refused.error = core::server_error::session_expired;
        inbox_.emplace_back(std::move(refused));
    } else if (attached()) {
        up_.emplace_back(std::move(question));
    } else if (has_handle()) {
        tell_held_back();
        inbox_.emplace_back(reply_to(question, core::outcome::not_sent));
    }
}

void client::execute(const core::forget_watches& forgotten) {
    watches_.forget_watches(forgotten.path);
    const auto forget = [&forgotten](sent_request& question) {
        const auto* get = std::get_if<core::get_op>(&question.op);
        if (get != nullptr && get->path == forgotten.path) question.watch_forgotten = true;
        const auto* list = std::get_if<core::children_op>(&question.op);
        const bool watched = list != nullptr && list->watch == core::watch_mode::watch;
        if (watched && list->path == forgotten.path) question.watch_forgotten = true;
    };
    for (auto& entry : up_) {
        if (auto* request = std::get_if<sent_request>(&entry)) forget(*request);
    }
    for (auto& entry : inbox_) {
        if (auto* answer = std::get_if<answer_on_wire>(&entry)) forget(answer->request);
    }
    if (attached()) up_.emplace_back(forget_watch{forgotten.path});
}

void client::execute(const core::open_session& opening) {
    link_ = link::open;
    epoch_ = opening.epoch;
    connection_ = 0;
    session_ = 0;
    told_over_ = false;
}

// No step of the search asks the core to close a session. So the core may close a session in an orderly way only after
// the lease has ended.
void client::execute(const core::close_session& closing) {
    const bool orderly = closing.manner == core::close_session::how::orderly;
    if (orderly && now_ < core_->session_lease().trusted_until())
        wrong("a session that lives is given up, and no step calls for it");
    if (session_ != 0 && !told_over_) given_up_sessions_.push_back(session_);
    link_ = link::none;
    session_ = 0;
    up_.clear();
    inbox_.clear();
    late_.clear();
    held_back_.clear();
    watches_ = {};
}

// ---- events of the connection ---------------------------------------------------------------

void client::on(const core::reply& answer) {
    auto request = std::move(std::get<sent_request>(up_.front()));
    up_.pop_front();
    auto reply = answer;
    reply.id = request.id;
    reply.sent = request.sent;
    reply.connection = connection_;
    touch(request.sent);
    const bool committed = core::is_write(request.op) && core::proves_quorum(reply.error);
    if (committed && wrong_world_ != wrong_world::late_writes) late_.clear();
    inbox_.emplace_back(answer_on_wire{std::move(request), std::move(reply)});
}

void client::on(const core::watch_event& event) {
    auto result = event;
    result.connection = connection_;
    inbox_.emplace_back(std::move(result));
}

void client::deliver() {
    auto next = std::move(inbox_.front());
    inbox_.pop_front();
    core::from_session told{epoch_, {}};
    if (auto* answer = std::get_if<answer_on_wire>(&next)) {
        if (!answer->request.watch_forgotten)
            watches_.on_reply(answer->request.op, answer->reply.error);
        told.event = std::move(answer->reply);
    } else if (auto* watch = std::get_if<core::watch_event>(&next)) {
        if (!watches_.on_event(watch->kind, watch->path)) return;
        told.event = std::move(*watch);
    } else if (auto* reply = std::get_if<core::reply>(&next)) {
        told.event = std::move(*reply);
    } else {
        told.event = std::move(std::get<core::link_event>(next));
    }
    step([&](auto& core) { core.on(told, now_); });
    auto* const change = std::get_if<core::link_event>(&told.event);
    if (change == nullptr || change->kind != core::link_kind::attached) return;
    // Reports the server's role directly after the attach. A separate step for this report would not change the search.
    change->kind = core::link_kind::role_known;
    step([&](auto& core) { core.on(told, now_); });
}

void client::attach() {
    if (session_ == 0) {
        session_ = name_session(index_, ++sessions_);
        touched_ = now_;
    }
    link_ = link::attached;
    ++connection_;
    touch(now_);
    tell_link(core::link_kind::attached);
    tell_held_back();
    const auto& list = watches_.list();
    if (!list.empty()) up_.emplace_back(list);
}

void client::tell_link(core::link_kind kind) {
    core::link_event event;
    event.kind = kind;
    event.connection = connection_;
    event.session_id = session_;
    event.timeout = k_timeout;
    event.role = server_role::standalone;
    event.server = "server";
    inbox_.emplace_back(std::move(event));
}

core::reply client::reply_to(const sent_request& question, core::outcome how) const {
    core::reply reply;
    reply.id = question.id;
    reply.outcome = how;
    reply.sent = question.sent;
    reply.connection = connection_;
    return reply;
}

void client::cut() {
    std::vector<sent_request> lost;
    std::deque<to_client> kept;
    for (auto& entry : inbox_) {
        if (auto* answer = std::get_if<answer_on_wire>(&entry)) {
            lost.push_back(std::move(answer->request));
        } else if (!std::holds_alternative<core::watch_event>(entry)) {
            kept.push_back(std::move(entry));
        }
    }
    inbox_ = std::move(kept);
    for (const auto& entry : up_) {
        const auto* request = std::get_if<sent_request>(&entry);
        if (request != nullptr && core::is_write(request->op)) late_.push_back(request->op);
    }
    lose_requests(std::move(lost));
}

// The servers no longer extend a session that they have selected for expiry.
void client::touch(core::time_point when) {
    if (!lease_over()) touched_ = std::max(touched_, when);
}

void client::closed_by_servers() {
    late_.clear();
    if (attached()) lose_requests({});
}

// Reports to the core that the requests in `lost` and in `up_` have an unknown outcome.
void client::lose_requests(std::vector<sent_request>&& lost) {
    link_ = link::open;
    for (auto& entry : std::exchange(up_, {})) {
        if (auto* request = std::get_if<sent_request>(&entry)) lost.push_back(std::move(*request));
    }
    for (const auto& entry : lost) held_back_.push_back(reply_to(entry, core::outcome::unknown));
    if (unanswered_ == unanswered::before_detached) tell_held_back();
    tell_link(core::link_kind::detached);
    if (unanswered_ == unanswered::after_detached) tell_held_back();
}

void client::tell_held_back() {
    for (auto& entry : std::exchange(held_back_, {})) inbox_.emplace_back(std::move(entry));
}

void client::crash() {
    if (attached()) cut();
    crashed_ = true;
    at_ = stage::done;
    link_ = link::none;
    inbox_.clear();
    held_back_.clear();
    watches_ = {};
    // The crashed core never runs again, so an empty core replaces it.
    core_ = shared_core{core::session_core{settings(index_)}};
}

// ---- questions ------------------------------------------------------------------------------

bool client::holds() const {
    return at_ == stage::holding && core_->session_lease().valid(now_);
}

bool client::timer_due() const {
    const auto next = core_->next_deadline();
    return !crashed_ && next && (*next <= now_ || !has_handle());
}

bool client::lease_over() const {
    return crashed_ || now_ >= touched_ + k_timeout;
}

bool client::finished() const {
    return at_ == stage::done && core_->idle() && up_.empty() && inbox_.empty() &&
           given_up_sessions_.empty();
}

}  // namespace turnstile::search
