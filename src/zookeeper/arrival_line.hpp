// SPDX-License-Identifier: Apache-2.0
// arrival_line: keeps messages that have arrived until an earlier, incomplete reply is complete.
//
// Without create2 a create needs two requests, and its reply is complete with the second answer. Messages that arrive
// between the two answers are delivered after the reply. So the session delivers replies in the order of the requests
// (core/seam/seam.hpp).
//
// Thread safety: one thread at a time.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "core/seam/seam.hpp"
#include "zookeeper/pending.hpp"

namespace turnstile::zookeeper {

class arrival_line {
public:
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    // Reserves a place in the line for the incomplete reply of `p`, unless the line has one already.
    void expect(pending_request& p) {
        if (find(p) == nullptr) all_.push_back({&p, std::nullopt});
    }
    // Puts the reply of `p` into its place. If `p` has no place, returns false and leaves `reply` unchanged.
    [[nodiscard]] bool complete(const pending_request& p, core::coordinator_event&& reply) {
        entry* const place = find(p);
        if (place != nullptr) *place = {nullptr, std::move(reply)};
        return place != nullptr;
    }
    // Completes each incomplete reply with the result of `reply_to`.
    template <class F>
    void complete_all(F&& reply_to) {
        for (entry& each : all_)
            if (each.expected != nullptr) each = {nullptr, reply_to(*each.expected)};
    }
    void add(core::coordinator_event&& event) { all_.push_back({nullptr, std::move(event)}); }
    // Removes and returns the first message, if it is complete.
    std::optional<core::coordinator_event> take() {
        if (all_.empty() || !all_.front().event) return std::nullopt;
        auto event = std::move(all_.front().event);
        all_.pop_front();
        return event;
    }

private:
    struct entry {
        pending_request* expected;  // the request of an incomplete reply; else null
        std::optional<core::coordinator_event> event;
    };
    entry* find(const pending_request& p) {
        const auto place = std::find_if(all_.begin(), all_.end(),
                                        [&](const entry& each) { return each.expected == &p; });
        return place == all_.end() ? nullptr : &*place;
    }

    std::deque<entry> all_;
};

}  // namespace turnstile::zookeeper
