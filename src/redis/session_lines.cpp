// SPDX-License-Identifier: Apache-2.0
#include "redis/session_lines.hpp"

#include <hiredis/hiredis.h>

#include <string>
#include <utility>

#include "base/out_of_memory.hpp"

namespace turnstile::redis {

bool command_stream::flush(base::unique_lock& held) {
    if (sending_) return true;
    sending_ = true;
    bool all = true;
    for (std::string text; all && to_ != nullptr && !(text = to_->take_unsent()).empty();) {
        const auto to = to_;
        held.unlock();
        const auto done =
            base::finish_or_end("a request to a Redis server", [&] { return to->write(text); });
        held.lock();
        all = done == text.size();
        if (!all) to->put_back(std::string_view{text}.substr(done));
    }
    sending_ = false;
    if (awaited_) quiet_.notify_all();
    return all;
}

int command_stream::send_rest() {
    return sending_ || to_->send() ? -1 : to_->fd();
}

void command_stream::await_quiet(base::unique_lock& held) {
    awaited_ = true;
    while (sending_) quiet_.wait(held);
}

void server_lines::attach(std::shared_ptr<line> answers, std::unique_ptr<line> bells) {
    answers_ = std::move(answers);
    bells_ = std::move(bells);
    unacknowledged_.reset();
}

void server_lines::detach() {
    answers_.reset();
    bells_.reset();
    reason_.clear();
}

// If replicas must acknowledge writes, the server sends two replies to a request: the script's reply, and the number of
// replicas that have the writes. If too few replicas have them, the request counts as unanswered. If the script's reply
// is an error, the number does not matter, because the script has written nothing.
owned_reply server_lines::next() {
    auto reply = answers_->next();
    if (!reply || !replicas_.is_needed()) return reply;
    if (!unacknowledged_) {
        unacknowledged_ = std::move(reply);
        reply = answers_->next();
        if (!reply) return reply;
    }
    auto found = std::exchange(unacknowledged_, nullptr);
    if (found->type == REDIS_REPLY_ERROR || replicas_.accepts(*reply)) return found;
    leave(replicas_.refusal());
    return {};
}

bool server_lines::skip(core::time_point deadline) {
    return answers_->await_reply(deadline, -1) != nullptr;
}

owned_reply server_lines::latest_bell() {
    bells_->receive();
    owned_reply last;
    while (auto next = bells_->next()) last = std::move(next);
    if (bells_->broken()) leave(bells_->reason());
    return last;
}

void server_lines::leave_if_cut() {
    if (answers_->broken()) leave(answers_->reason());
}

}  // namespace turnstile::redis
