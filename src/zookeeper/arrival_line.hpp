// SPDX-License-Identifier: Apache-2.0
// arrival_line: what has arrived and is not told yet, since a reply in front of it is not complete.
//
// A create without create2 is two requests, and its reply is complete with the second answer. What the servers sent
// between the two is told behind it, so that the order of the seam (core/seam/seam.hpp) is the one in which they sent.
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
    // The reply of `p` is not complete, and has its place here unless it has one already.
    void expect(pending_request& p) {
        if (find(p) == nullptr) all_.push_back({&p, std::nullopt});
    }
    // False: it has no place, and `reply` is as before.
    [[nodiscard]] bool complete(const pending_request& p, core::coordinator_event&& reply) {
        entry* const place = find(p);
        if (place != nullptr) *place = {nullptr, std::move(reply)};
        return place != nullptr;
    }
    // All that are not, by what `reply_to` makes of each.
    template <class F>
    void complete_all(F&& reply_to) {
        for (entry& each : all_)
            if (each.expected != nullptr) each = {nullptr, reply_to(*each.expected)};
    }
    void add(core::coordinator_event&& event) { all_.push_back({nullptr, std::move(event)}); }
    // The first, if it is complete.
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
