// SPDX-License-Identifier: Apache-2.0
// session_outlet: delivers a session's replies and events to the sink, the core's receiver, until the session closes.
// Drops events for which the client no longer has a watch.
//
// Thread safety: `close`, `is_closed` and `is_orderly` from any thread, the other members from one thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "core/seam/event_outlet.hpp"
#include "local/chroot.hpp"
#include "local/client_watches.hpp"
#include "sql/executing_batch.hpp"
#include "sql/rows.hpp"

namespace turnstile::sql {

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
