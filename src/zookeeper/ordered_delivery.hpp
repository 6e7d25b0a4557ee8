// SPDX-License-Identifier: Apache-2.0
// ordered_delivery: passes a session's events to its sink, the later ones after an earlier, incomplete reply
// (arrival_line.hpp).
//
// Thread safety: none. The lock that lets one thread deliver at a time guards the object.
#pragma once

#include <utility>

#include "core/seam/coordinator.hpp"
#include "zookeeper/arrival_line.hpp"

namespace turnstile::zookeeper {

class ordered_delivery {
public:
    explicit ordered_delivery(core::session_sink& sink) : sink_{sink} {}

    void deliver(core::coordinator_event&& event) {
        if (!line_.empty()) return line_.add(std::move(event));
        pass(std::move(event));
    }
    // Reserves a place for the incomplete reply of `p`.
    void expect(pending_request& p) { line_.expect(p); }
    // Puts the reply of `p` into its place. If `p` has no place, returns false and leaves `reply` unchanged.
    [[nodiscard]] bool complete(const pending_request& p, core::coordinator_event&& reply) {
        return line_.complete(p, std::move(reply));
    }
    // Answers the incomplete creates. On a dead handle, the C client answers their second requests only when it closes
    // the handle.
    void give_up_incomplete() {
        line_.complete_all([](pending_request& p) {
            p.why = pending_request::purpose::witness;  // serves no caller any more
            core::reply lost;
            lost.id = p.answer.id;
            lost.connection = p.answer.connection;
            lost.sent = p.answer.sent;
            lost.outcome = core::outcome::unknown;
            return lost;
        });
    }
    // Delivers what no longer waits for an incomplete reply.
    void deliver_complete() {
        while (auto next = line_.take()) pass(std::move(*next));
    }
    // From now on the sink gets nothing.
    void silence() noexcept { silent_ = true; }
    [[nodiscard]] bool is_silent() const noexcept { return silent_; }

private:
    void pass(core::coordinator_event&& event) {
        if (!silent_) sink_.deliver(std::move(event));
    }

    core::session_sink& sink_;
    arrival_line line_;
    bool silent_ = false;
};

}  // namespace turnstile::zookeeper
