// SPDX-License-Identifier: Apache-2.0
#include "redis/attach_exchange.hpp"

#include <hiredis/hiredis.h>

#include <utility>

#include "redis/server_words.hpp"

namespace turnstile::redis {

std::optional<greeting> subscribe(line& bells, const std::string& channel,
                                  core::time_point deadline, int give_up) {
    const auto reply = bells.ask({"SUBSCRIBE", channel}, deadline, give_up);
    if (!reply) return greeting{.reason = bells.reason()};
    if (reply->type == REDIS_REPLY_ERROR) return refused_by("SUBSCRIBE", *reply);
    return std::nullopt;
}

std::optional<greeting> await_replicas(line& commands, const replica_wait& replicas,
                                       core::time_point deadline, int give_up) {
    if (!replicas.is_needed()) return std::nullopt;
    const auto count = commands.ask(replicas.command(), deadline, give_up);
    if (!count) return greeting{.reason = commands.reason()};
    if (!replicas.accepts(*count)) return greeting{.reason = replicas.refusal()};
    return std::nullopt;
}

attach_reply await_attach(line& commands, const std::string& prefix, core::time_point deadline,
                          int give_up) {
    attach_reply out;
    const auto reply = commands.await_reply(deadline, give_up);
    if (!reply) {
        out.refused = greeting{.reason = commands.reason()};
        return out;
    }
    if (reply->type == REDIS_REPLY_ERROR) {
        out.refused = refused_by("the script that attaches the session", *reply);
        return out;
    }
    auto head = parse_head(*reply);
    if (!head) {
        out.refused =
            greeting{.reason = "the answer to the script that attaches the session is malformed"};
    } else if (head->code == k_other_layout) {
        out.refused =
            greeting{.result = welcome::unfit, .reason = other_layout(prefix, text_at(*reply, 4))};
    } else if (head->code != 0) {
        out.expired = true;
    } else {
        out.head = *std::move(head);
        out.session = text_at(*reply, 4);
        out.mark = text_at(*reply, 5);
        out.history = text_at(*reply, 6);
        out.clock = std::chrono::microseconds{number_at(*reply, 7)};
    }
    return out;
}

}  // namespace turnstile::redis
