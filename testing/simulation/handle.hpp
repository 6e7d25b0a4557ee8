// SPDX-License-Identifier: Apache-2.0
// handle: models ZooKeeper's C client behind the coordinator interface: a session with one connection after another,
// and the client's own answers when the servers give none.
//
// When a connection breaks, its open requests get the answer `unknown`. The coordinator interface allows these answers
// before the event that reports the break, after that event, or only after the next attach. After a re-attach, the
// client sends its watches again. Not modelled: the client's pings (the core's keep-alives replace them), read-only
// servers, and authentication.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/seam/seam.hpp"
#include "simulation/server_session.hpp"

namespace turnstile::simulation {

class handle final : public server_session {
public:
    using server_session::server_session;

    // ---- calls by the code that executes the core's actions ----
    void submit(core::request&& request, core::time_point local_now) override;
    void forget_watches(const std::string& path) override;
    void seek_leader(std::uint64_t number) override;
    void look_for_another(const core::look_elsewhere& wanted) override;
    void leave_server(std::uint64_t number) override;
    void end(ending how) override;

    // ---- events ----
    void connect() override;
    void receive(connection_id by, const server_message& message) override;
    void learn_role(connection_id by, server_role role) override;
    void learn_leader(connection_id by, std::optional<server_id> leader) override;
    void find_elsewhere(connection_id by) override;

private:
    struct open_request {
        core::ticket id{};
        core::operation op;
        core::time_point sent;
        instant asked_at;
        bool watch_forgotten = false;
    };

    void lose_session();
    void attach(connection_id by, const connect_answer& answer);
    void answer(const request_answer& response);
    void hear(const watch_fired& watch);
    void lose_connection() override;
    void emit(core::coordinator_event&& event) { events_.push_back(std::move(event)); }
    void emit_late();
    [[nodiscard]] core::reply reply_to(const open_request& request, core::outcome how) const;
    void emit_link(core::link_kind kind, server_role role = server_role::unknown);
    [[nodiscard]] std::optional<instant> waits_since() const override;
    void move_when_idle();

    bool refused_ = false;  // true: every server refuses the session for ever
    server_id server_ = 0;
    std::deque<open_request> open_;
    std::vector<core::reply> late_;  // answers `unknown` that arrive after the next attach
    // The leader, if the client wants to move there. The client moves when it is attached and no request is open.
    std::optional<server_id> leader_;
};

}  // namespace turnstile::simulation
