// SPDX-License-Identifier: Apache-2.0
// executing_batch: the batch of requests that a session's thread is executing, and the delivery of its replies.
//
// Thread safety: values, for one thread, except for some members of session_outlet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "core/seam/seam.hpp"
#include "local/chroot.hpp"
#include "local/client_watches.hpp"
#include "sql/fetched_news.hpp"
#include "sql/rows.hpp"

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

// Delivers a session's replies and events to the sink, the core's receiver, until the session closes. Drops events for
// which the client no longer has a watch.
//
// Thread safety: `close`, `is_closed` and `is_orderly` from any thread, the other members from one thread.
class session_outlet {
public:
    // `server`: the server's name, for messages.
    session_outlet(core::session_sink& sink, local::chroot root, std::string server,
                   core::duration timeout)
        : outlet_{sink}, root_{std::move(root)}, server_{std::move(server)}, timeout_{timeout} {}

    void close(bool orderly) noexcept { outlet_.close(orderly); }
    [[nodiscard]] bool is_closed() const noexcept { return outlet_.is_closed(); }
    [[nodiscard]] bool is_orderly() const noexcept { return outlet_.is_orderly(); }

    void begin_connection() noexcept { ++connection_; }
    void tell(core::link_kind kind, session_id session) {
        core::link_event event;
        event.kind = kind;
        event.connection = connection_;
        event.session_id = session;
        event.timeout = timeout_;
        event.role = server_role::standalone;
        event.server = server_;
        outlet_.deliver(std::move(event));
    }
    void deliver(const std::vector<queued_event>& events) {
        for (const queued_event& each : events)
            if (watches_.on_event(each.kind, each.path))
                outlet_.deliver(
                    core::watch_event{each.kind, root_.to_client(each.path), connection_});
    }
    // Delivers the replies. The events that come before a reply are delivered first.
    void reply(const std::vector<submitted_request>& all) {
        for (const submitted_request& each : all) {
            deliver(each.events);
            core::reply answer = *each.answer;
            if (answer.outcome == core::outcome::answered)
                watches_.on_reply(each.request.op, answer.error);
            root_.to_client(answer);
            answer.id = each.request.id;
            answer.sent = each.sent;
            answer.connection = connection_;
            outlet_.deliver(std::move(answer));
        }
    }
    void forget_watches(const std::string& path) { watches_.forget_watches(path); }
    [[nodiscard]] const local::client_watch_list& watches() const noexcept {
        return watches_.list();
    }

private:
    core::event_outlet outlet_;
    const local::chroot root_;
    const std::string server_;
    const core::duration timeout_;
    local::client_watches watches_;
    std::uint64_t connection_ = 0;
};

}  // namespace turnstile::sql
