// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_requests.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace turnstile::core {

bool shared_lists::is_under_way(const std::string& folder, std::uint64_t connection) const {
    const auto found = by_folder_.find(folder);
    return found != by_folder_.end() && found->second.connection == connection;
}

void shared_lists::join(const std::string& folder, const list_sharer& sharer) {
    const auto found = by_folder_.find(folder);
    TURNSTILE_CHECK(found != by_folder_.end());
    found->second.next.push_back(sharer);
}

void shared_lists::sent(const std::string& folder, std::uint64_t connection, ticket request) {
    TURNSTILE_CHECK(connection != 0);
    auto& list = by_folder_[folder];
    TURNSTILE_CHECK(list.next.empty() || list.connection != connection);
    list.connection = connection;
    list.request = request;
}

std::vector<list_sharer> shared_lists::answered(const std::string& folder, ticket request) {
    const auto found = by_folder_.find(folder);
    if (found == by_folder_.end() || found->second.request != request) return {};
    auto next = std::exchange(found->second.next, {});
    if (next.empty()) by_folder_.erase(found);
    return next;
}

session_requests::session_requests(const session_core_settings& settings)
    : new_epoch_{.window = request_window{settings.window},
                 .creations = creation_batch{settings.creations}},
      new_retry_{settings.retry_first, settings.retry_longest},
      silence_{settings.connection_timeout} {}

// ---- sessions at the servers (epochs), and their connections --------------------------------

void session_requests::begin_again() {
    epoch_->window.reattached();
    epoch_->creations.reattached();
}

void session_requests::leave() noexcept {
    epoch_.reset();
    connection_.reset();
}

void session_requests::attach(std::uint64_t connection, duration retry_after,
                              session_basics& basics) {
    TURNSTILE_CHECK(epoch_);
    epoch_->latest_connection = connection;
    connection_ = {basics.now, retry_after, new_retry_};
    silence_.attached(basics.now);
}

// ---- single requests ------------------------------------------------------------------------

ticket session_requests::send(operation&& op, addressee&& recipient, session_basics& basics) {
    const auto id = basics.tickets.take();
    send_as(id, std::move(op), std::move(recipient), basics);
    return id;
}

// The lease relies only on the session's own writes: a caller's write without a hold (for_inquiry) does not extend it.
void session_requests::send_as(ticket id, operation&& op, addressee&& recipient,
                               session_basics& basics) {
    TURNSTILE_CHECK(epoch_);
    TURNSTILE_CHECK(id != ticket{});
    const bool write = is_write(op) && !std::holds_alternative<for_inquiry>(recipient);
    if (const auto room = window_room(recipient); room != 0)
        epoch_->window.sent(id, basics.now, room);
    epoch_->pending.try_emplace(id, reply_route{std::move(recipient), write});
    if (connection_) {
        connection_->last_sent = basics.now;
        silence_.sent(basics.now);
    }
    basics.actions.emplace_back(submit{{id, std::move(op)}});
}

bool session_requests::wants_room() {
    if (has_room()) return true;
    epoch_->window.is_wanted();
    return false;
}

session_requests::answered_request session_requests::answered(const reply& answer, duration timeout,
                                                              time_point now) {
    const bool was_answered = answer.outcome == outcome::answered;
    if (connection_ && was_answered) connection_->retry.answered();
    auto found = epoch_->pending.extract(answer.id);
    if (connection_ && was_answered && answer.connection == epoch_->latest_connection)
        silence_.answered(answer.sent, now, !epoch_->pending.empty());
    if (!found) return found;
    if (const auto room = window_room(found.mapped().recipient); room != 0)
        epoch_->window.answered(answer.id, now, timeout, room);
    epoch_->creations.answered(answer.id);
    return found;
}

// ---- requests for a folder's children (lists) -----------------------------------------------

void session_requests::list_for(const list_sharer& sharer, std::string&& folder,
                                session_basics& basics) {
    TURNSTILE_CHECK(epoch_);
    auto& lists = epoch_->lists;
    if (lists.is_under_way(folder, epoch_->latest_connection)) {
        lists.join(folder, sharer);  // place: joins_the_next_list
    } else {
        send_list(sharer.id, std::move(folder), {sharer}, basics);
    }
}

void session_requests::send_list(ticket id, std::string folder, std::vector<list_sharer>&& sharers,
                                 session_basics& basics) {
    TURNSTILE_CHECK(!sharers.empty());
    epoch_->lists.sent(folder, epoch_->latest_connection, id);
    children_op listed{folder};
    send_as(id, std::move(listed), for_sharers{std::move(folder), std::move(sharers)}, basics);
}

std::vector<list_sharer> session_requests::list_again(const std::string& folder, ticket request,
                                                      session_basics& basics) {
    auto next = epoch_->lists.answered(folder, request);
    if (next.empty()) return next;
    if (!attached()) {
        epoch_->lists.drop(folder);
        return next;
    }
    send_list(basics.tickets.take(), folder, std::move(next), basics);
    return {};
}

// ---- creates --------------------------------------------------------------------------------

void session_requests::send_creations(session_basics& basics) {
    TURNSTILE_CHECK(attached());
    for (auto& group : epoch_->creations.take()) create_together({std::move(group)}, basics);
}

void session_requests::create_alone(const creation& created, session_basics& basics) {
    epoch_->creations.sent(created.id, {&created, 1});
    send_as(created.id, create_op{created.znode}, for_contender{created.contender}, basics);
}

void session_requests::create_again(std::vector<creation>&& rest, session_basics& basics) {
    TURNSTILE_CHECK(attached());
    if (!rest.empty()) create_together({std::move(rest), true}, basics);
}

void session_requests::create_together(for_creations&& all, session_basics& basics) {
    const auto& creations = all.creations;
    if (creations.size() == 1) return create_alone(creations.front(), basics);
    auto op = creation_request(creations, "_probe-" + base::make_guid(basics.chance));
    const auto id = basics.tickets.take();
    epoch_->creations.sent(id, creations);
    send_as(id, std::move(op), std::move(all), basics);
}

// ---- retries --------------------------------------------------------------------------------

std::optional<time_point> session_requests::retry_due() const {
    return connection_ ? connection_->retry.due() : std::nullopt;
}

void session_requests::retry_later(time_point now) {
    // place: time_retries
    if (connection_) connection_->retry.later(now + connection_->retry_after);
}

void session_requests::retry_here(const reply& answer, time_point now) {
    if (answer.connection >= epoch_->latest_connection) retry_later(now);
}

void session_requests::on_throttled(std::uint64_t connection, const std::string& server,
                                    session_basics& basics) {
    if (!connection_ || connection != epoch_->latest_connection) return;
    if (!connection_->retry.note_throttled()) return;
    if (!std::exchange(epoch_->throttling_told, true))
        basics.actions.emplace_back(
            warning{server + " throttles: it discards requests that it cannot process soon "
                             "(ZooKeeper: throttled_op_wait_time; Redis: another client's script "
                             "runs for long; a database: a transaction of another program locks a "
                             "row). The client sends the requests again"});
    connection_->retry.pause(basics.now, basics.chance);
}

bool session_requests::retries_now(time_point now) {
    return connection_ && connection_->retry.begin_if_due(now);
}

// ---- a connection that does not answer ------------------------------------------------------

std::optional<time_point> session_requests::silence_due(duration timeout) const {
    return connection_ ? silence_.due(timeout) : std::nullopt;
}

void session_requests::look_elsewhere(session_basics& basics, bool may_move) {
    silence_.look(basics.now);
    if (may_move)
        basics.actions.emplace_back(
            core::look_elsewhere{epoch_->latest_connection, silence_.longest_look(basics.now)});
}

bool session_requests::may_leave_server(time_point now, duration timeout) {
    silence_.found(now);
    return silence_.may_leave(now, timeout);
}

void session_requests::leave_server(session_basics& basics) {
    silence_.leave(basics.now);
    // place: requests_outlive_departure
    basics.actions.emplace_back(core::leave_server{epoch_->latest_connection});
}

}  // namespace turnstile::core
