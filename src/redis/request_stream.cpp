// SPDX-License-Identifier: Apache-2.0
#include "redis/request_stream.hpp"

#include <utility>

#include "local/znode_path.hpp"

namespace turnstile::redis {

void request_stream::attach(std::shared_ptr<line> commands) {
    commands_.attach(std::move(commands));
    times_.attached(boottime_clock::now());
}

std::deque<pending_request> request_stream::detach(bool for_ever) {
    state_ = for_ever ? state::dead : state::detached;
    commands_.detach();
    return pending_.take_all();
}

void request_stream::submit(core::request&& request, bool with_next) {
    if (kept_ && send_entry(request)) return;
    if (kept_) send_or_settle(*std::exchange(kept_, std::nullopt));
    if (with_next && may_be_entry(request.op)) {
        kept_ = std::move(request);
        return;
    }
    send_or_settle(std::move(request));
}

// To queue for a lock, a client sends a create and then a list (a read of the folder's children). If `list` belongs to
// the create in `kept_`, sends both as one script and returns true.
bool request_stream::send_entry(core::request& list) {
    if (state_ != state::attached || !are_entry(kept_->op, list.op) ||
        !local::client_accepts(kept_->op) || !local::client_accepts(list.op))
        return false;
    auto create = *std::exchange(kept_, std::nullopt);
    root_.to_server(create.op);
    root_.to_server(list.op);
    const auto call = to_entry(create.op);
    pending_request entry;
    entry.id = create.id;
    entry.op = std::move(create.op);
    entry.list = {list.id, std::move(list.op)};
    send(std::move(entry), call);
    return true;
}

// Answers a list request with the list that came with an event. The server would have returned the same list directly
// after the event. No other request of this session is in progress, so this reply directly follows the event.
bool request_stream::answer_with_along(const core::request& request) {
    if (!along_ || ::pthread_equal(along_for_, ::pthread_self()) == 0 || !pending_.empty())
        return false;
    auto op = request.op;
    root_.to_server(op);
    if (op != along_->to) return false;
    auto reply = std::move(std::exchange(along_, std::nullopt)->reply);
    reply.id = request.id;
    reply.connection = connection_;
    pending_.settle(std::move(reply));
    return true;
}

void request_stream::send_or_settle(core::request&& request) {
    if (state_ == state::dead)
        return settle(request.id, core::outcome::answered, core::server_error::session_expired);
    if (state_ == state::detached)
        return settle(request.id, core::outcome::not_sent, core::server_error::ok);
    if (!local::client_accepts(request.op))
        return settle(request.id, core::outcome::answered, core::server_error::bad_arguments);
    if (answer_with_along(request)) return;
    root_.to_server(request.op);
    const auto call = to_call(request.op);
    pending_request entry;
    entry.id = request.id;
    entry.op = std::move(request.op);
    send(std::move(entry), call);
}

void request_stream::settle(core::ticket id, core::outcome how, core::server_error error) {
    core::reply reply;
    reply.id = id;
    reply.outcome = how;
    reply.error = error;
    reply.connection = connection_;
    reply.sent = boottime_clock::now();
    pending_.settle(std::move(reply));
    signals_.wake();
}

void request_stream::forget_watches(const std::string& path) {
    if (state_ == state::dead) return;
    // The caller may not know yet that the session is detached. The next attach must not set the removed watches again,
    // so the stream records the path.
    if (state_ == state::detached) return given_back_.push_back(root_.to_server(path));
    ask_to_forget(root_.to_server(path));
}

void request_stream::ask_to_forget(std::string&& path) {
    pending_request entry;
    entry.why = purpose::forget;
    entry.path = std::move(path);
    const script_call call{script::forget, {entry.path}};
    send(std::move(entry), call);
}

void request_stream::ask(purpose why, const script_call& call) {
    pending_request entry;
    entry.why = why;
    send(std::move(entry), call);
}

void request_stream::send(pending_request&& request, const script_call& call) {
    request.sent = boottime_clock::now();
    times_.sent(request.sent);
    commands_.append(arguments_.words(call));
    if (replicas_.is_needed()) commands_.append(replicas_.command());
    pending_.add(std::move(request));
}

void request_stream::flush(base::unique_lock& held) {
    if (!commands_.flush(held)) signals_.wake();
}

std::size_t request_stream::say_good_bye(base::unique_lock& held) {
    commands_.await_quiet(held);
    if (!commands_.is_attached()) return 0;
    const auto replies = pending_.unanswered() * (replicas_.is_needed() ? 2 : 1) + 1;
    ask(purpose::close, {script::close, {}});
    return replies;  // without the acknowledgement of the close
}

std::optional<core::time_point> request_stream::awaited_since() const {
    return state_ == state::attached ? pending_.awaited_since() : std::nullopt;
}

void request_stream::complete(core::ticket id, core::time_point sent, core::reply& reply) const {
    reply.id = id;
    if (sent != core::time_point{}) reply.sent = sent;
    reply.connection = connection_;
    root_.to_client(reply);
}

void request_stream::begin_along(std::optional<answer_along>&& along) {
    along_ = std::move(along);
    along_for_ = ::pthread_self();
}

}  // namespace turnstile::redis
