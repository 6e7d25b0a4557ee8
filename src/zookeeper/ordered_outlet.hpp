// SPDX-License-Identifier: Apache-2.0
// ordered_outlet: delivers the events of a session in order. An event waits while an earlier reply is incomplete.
//
// On a server without the request create2, the client creates a znode with two requests. The reply to the caller is
// complete only with the second answer, and messages that arrive before that answer wait. So the session delivers
// replies in the order of the requests (core/seam/seam.hpp).
//
// Thread safety: none. The lock that lets one thread deliver at a time guards the object.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "core/seam/event_outlet.hpp"
#include "zookeeper/outstanding_requests.hpp"

namespace turnstile::zookeeper {

class ordered_outlet {
public:
    explicit ordered_outlet(core::session_sink& sink) : outlet_{sink} {}

    void deliver(core::coordinator_event&& event) {
        if (line_.empty()) return outlet_.deliver(std::move(event));
        line_.push_back({nullptr, std::move(event)});
    }
    // Reserves a place in the order of delivery for the incomplete reply to the request `p`, unless the reply has a
    // place already.
    void expect(outstanding_request& p) {
        if (find(p) == nullptr) line_.push_back({&p, std::nullopt});
    }
    // Puts the reply to the request `p` into the place that expect() reserved. If no place was reserved, returns false
    // and leaves `reply` unchanged.
    [[nodiscard]] bool complete(const outstanding_request& p, core::coordinator_event&& reply) {
        entry* const place = find(p);
        if (place != nullptr) *place = {nullptr, std::move(reply)};
        return place != nullptr;
    }
    // Answers each incomplete create with an unknown outcome. An incomplete create waits for the answer to its second
    // request, the read of the Stat. On a dead handle, the C client gives that answer only when the session closes the
    // handle.
    void give_up_incomplete() {
        for (entry& each : line_) {
            if (each.expected == nullptr) continue;
            each.expected->why = outstanding_request::purpose::witness;  // no caller waits any more
            core::reply lost;
            lost.id = each.expected->answer.id;
            lost.connection = each.expected->answer.connection;
            lost.sent = each.expected->answer.sent;
            lost.outcome = core::outcome::unknown;
            each = {nullptr, std::move(lost)};
        }
    }
    // Delivers all events that no longer wait for an incomplete reply.
    void deliver_complete() {
        for (; !line_.empty() && line_.front().event; line_.pop_front())
            outlet_.deliver(std::move(*line_.front().event));
    }
    // From now on the user of the session gets no event and no reply.
    void close() noexcept { outlet_.close(true); }
    [[nodiscard]] bool is_closed() const noexcept { return outlet_.is_closed(); }

private:
    struct entry {
        outstanding_request* expected;  // the request of an incomplete reply; else null
        std::optional<core::coordinator_event> event;
    };
    entry* find(const outstanding_request& p) {
        const auto place = std::find_if(line_.begin(), line_.end(),
                                        [&](const entry& each) { return each.expected == &p; });
        return place == line_.end() ? nullptr : &*place;
    }

    core::event_outlet outlet_;
    std::deque<entry> line_;
};

}  // namespace turnstile::zookeeper
