// SPDX-License-Identifier: Apache-2.0
#include "redis/sentinel_inquiry.hpp"

#include <fmt/core.h>
#include <hiredis/hiredis.h>

#include <utility>

#include "redis/plain_words.hpp"
#include "redis/requests.hpp"

namespace turnstile::redis {
namespace {

// Returns the value after `name` in a list in which names and values alternate.
std::string_view value_of(const redisReply& list, std::string_view name) {
    if (list.type != REDIS_REPLY_ARRAY) return {};
    for (std::size_t i = 0; i + 1 < list.elements; i += 2)
        if (text_at(list, i) == name) return text_at(list, i + 1);
    return {};
}

}  // namespace

std::int64_t epoch_in(const redisReply& answer) {
    return plain_number<std::int64_t>(value_of(answer, "config-epoch")).value_or(0);
}

std::optional<server_address> master_in(const redisReply& answer) {
    return claimed_address(text_at(answer, 0), text_at(answer, 1));
}

sentinel_inquiry::sentinel_inquiry(server_address sentinel, const redis_address& where,
                                   const tls::context* tls, int give_up,
                                   const std::optional<server_address>& at)
    : sentinel_{std::move(sentinel)},
      where_{where},
      line_{at.value_or(sentinel_), tls, give_up, sentinel_.host} {}

void sentinel_inquiry::ask() {
    next_.emplace();
    next_->result = welcome::ok;
    const auto& [user, password] = where_.sentinel_login;
    if (!std::exchange(logged_in_, true) && !password.empty()) {
        if (user.empty())
            line_.append({"AUTH", password});
        else
            line_.append({"AUTH", user, password});
        open_.push_back(question::login);
    }
    line_.append({"SENTINEL", "MASTER", where_.master});
    open_.push_back(question::epoch);
    line_.append({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", where_.master});
    open_.push_back(question::address);
}

void sentinel_inquiry::go_on() {
    if (!waits()) return;
    line_.go_on();
    while (waits()) {
        const auto reply = line_.next();
        if (!reply) break;
        const auto asked = open_.front();
        open_.pop_front();
        if (next_->result == welcome::ok) handle(asked, *reply);
    }
    if (waits() && line_.broken()) {
        open_.clear();
        refuse(line_.is_refused() ? welcome::unfit : welcome::away, line_.reason());
    }
    if (!waits()) answer_ = *std::exchange(next_, std::nullopt);
}

void sentinel_inquiry::handle(question asked, const redisReply& reply) {
    if (reply.type == REDIS_REPLY_ERROR) {
        const auto why = refused_by(
            asked == question::login ? std::string{"AUTH"} : "SENTINEL MASTER " + where_.master,
            reply);
        return refuse(why.result, why.reason);
    }
    switch (asked) {
        case question::login: return;
        case question::epoch: next_->epoch = epoch_in(reply); return;
        case question::address: break;
    }
    auto master = master_in(reply);
    if (!master)
        return refuse(welcome::unfit,
                      "the sentinel knows no address of the master " + where_.master);
    next_->master = *std::move(master);
}

void sentinel_inquiry::refuse(welcome result, const std::string& reason) {
    next_->result = result;
    next_->reason = fmt::format("sentinel {}: {}", to_string(sentinel_), reason);
}

}  // namespace turnstile::redis
