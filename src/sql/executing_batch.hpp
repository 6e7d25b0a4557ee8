// SPDX-License-Identifier: Apache-2.0
// executing_batch: the batch of requests that a session's thread is executing.
//
// Thread safety: a value, for one thread.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "core/seam/seam.hpp"
#include "sql/fetched_news.hpp"

namespace turnstile::sql {

// A request, whose paths include the chroot.
struct submitted_request {
    core::request request;
    bool with_next = false;               // another request follows at once
    std::optional<core::reply> answer{};  // set without the database, or after the commit
    std::vector<queued_event> events{};   // events that come before the answer
    core::time_point sent{};              // just before the request's first statement
};

class executing_batch {
public:
    void begin(std::vector<submitted_request>&& batch) { all_ = std::move(batch); }
    [[nodiscard]] std::vector<submitted_request*> unanswered() {
        std::vector<submitted_request*> open;
        for (submitted_request& each : all_)
            if (!each.answer) open.push_back(&each);
        return open;
    }
    [[nodiscard]] std::vector<queued_event> take_events() {
        std::vector<queued_event> events;
        for (submitted_request& each : all_)
            for (queued_event& event : std::exchange(each.events, {}))
                events.push_back(std::move(event));
        return events;
    }
    [[nodiscard]] std::vector<submitted_request> take_all() { return std::exchange(all_, {}); }
    // Takes the leading requests that have answers: the database executed them before the connection broke.
    [[nodiscard]] std::vector<submitted_request> take_answered() {
        const auto open = std::find_if(all_.begin(), all_.end(),
                                       [](const submitted_request& each) { return !each.answer; });
        std::vector<submitted_request> done{std::make_move_iterator(all_.begin()),
                                            std::make_move_iterator(open)};
        all_.erase(all_.begin(), open);
        return done;
    }
    // Answers all requests with `unknown` or `not_sent`, because the core accepts no other outcome after the event
    // `detached`. The outcome is `unknown` for an executed write, and for a request whose commit was in progress.
    void break_off(bool in_commit) {
        for (submitted_request& each : all_) {
            const bool left = each.sent != core::time_point{};
            const bool in_doubt = each.answer ? core::is_write(each.request.op) : in_commit && left;
            each.answer.emplace().outcome =
                in_doubt ? core::outcome::unknown : core::outcome::not_sent;
        }
    }

private:
    std::vector<submitted_request> all_;
};

}  // namespace turnstile::sql
