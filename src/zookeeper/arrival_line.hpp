// SPDX-License-Identifier: Apache-2.0
// arrival_line: messages that have arrived and wait for their delivery, because an earlier reply is incomplete.
//
// Without create2 a create consists of two requests, and its reply is complete with the second answer. Messages
// between the two are delivered after it: so the seam's order (core/seam/seam.hpp) is the order of sending.
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
    // The reply of `p` is incomplete, and gets its place here unless it has one already.
    void expect(pending_request& p) {
        if (find(p) == nullptr) all_.push_back({&p, std::nullopt});
    }
    // Returns false if it has no place; then `reply` is unchanged.
    [[nodiscard]] bool complete(const pending_request& p, core::coordinator_event&& reply) {
        entry* const place = find(p);
        if (place != nullptr) *place = {nullptr, std::move(reply)};
        return place != nullptr;
    }
    // Completes all incomplete replies with the result of `reply_to`.
    template <class F>
    void complete_all(F&& reply_to) {
        for (entry& each : all_)
            if (each.expected != nullptr) each = {nullptr, reply_to(*each.expected)};
    }
    void add(core::coordinator_event&& event) { all_.push_back({nullptr, std::move(event)}); }
    // Takes the first message, if it is complete.
    std::optional<core::coordinator_event> take() {
        if (all_.empty() || !all_.front().event) return std::nullopt;
        auto event = std::move(all_.front().event);
        all_.pop_front();
        return event;
    }

private:
    struct entry {
        pending_request* expected;  // null: complete
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
