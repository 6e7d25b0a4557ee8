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
#include <utility>
#include <vector>

#include "core/seam/seam.hpp"
#include "local/client_watches.hpp"
#include "simulation/agenda.hpp"
#include "simulation/dice.hpp"
#include "simulation/drifting_clock.hpp"
#include "simulation/network.hpp"
#include "simulation/scenario.hpp"
#include "simulation/server_session.hpp"

namespace turnstile::simulation {

class handle final : public server_session {
public:
    handle(client_id owner, std::uint64_t epoch, const scenario& scenario, agenda& future,
           dice& chance, network& links);

    // ---- calls by the code that executes the core's actions ----
    void submit(core::request&& request, core::time_point local_now) override;
    void forget_watches(const std::string& path) override;
    void seek_leader(std::uint64_t number) override;
    void look_for_another(const core::look_elsewhere& wanted) override;
    void leave_server(std::uint64_t number) override;
    void end(ending how) override;
    [[nodiscard]] std::vector<core::coordinator_event> take() override {
        return std::exchange(events_, {});
    }

    // ---- events ----
    void connect() override;
    void receive(connection_id by, const server_message& message) override;
    void notice_break(connection_id by) override;
    void check_silence(connection_id by) override;
    void learn_role(connection_id by, server_role role) override;
    void learn_leader(connection_id by, std::optional<server_id> leader) override;
    void find_elsewhere(connection_id by) override;

    // ---- questions ----
    [[nodiscard]] std::uint64_t epoch() const noexcept override { return epoch_; }
    [[nodiscard]] bool attached() const noexcept override { return attached_; }
    [[nodiscard]] std::optional<connection_id> connection() const noexcept override {
        return connection_;
    }
    [[nodiscard]] std::size_t watch_count() const override;
    [[nodiscard]] std::vector<std::string> take_woken() override {
        return std::exchange(woken_, {});
    }

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
    void drop_connection();
    void lose_connection();
    void connect_later();
    void emit(core::coordinator_event&& event) { events_.push_back(std::move(event)); }
    void emit_late();
    [[nodiscard]] core::reply reply_to(const open_request& request, core::outcome how) const;
    void emit_link(core::link_kind kind, server_role role = server_role::unknown);
    void expect_answer();
    void move_when_idle();

    client_id owner_;
    std::uint64_t epoch_;
    const scenario& scenario_;
    agenda& agenda_;
    dice& dice_;
    network& network_;

    session_id session_ = 0;
    bool refused_ = false;  // true: every server refuses the session for ever
    bool attached_ = false;
    bool dead_ = false;
    bool ended_ = false;
    std::uint64_t number_ = 0;  // the connection's number in the core
    std::optional<connection_id> connection_;
    server_id server_ = 0;
    std::int64_t seen_zxid_ = 0;
    local::client_watches watches_;
    std::deque<open_request> open_;
    std::vector<core::reply> late_;  // answers `unknown` that arrive after the next attach
    bool silence_planned_ = false;
    // The leader, if the client wants to move there. The client moves when it is attached and no request is open.
    std::optional<server_id> leader_;
    std::vector<core::coordinator_event> events_;
    std::vector<std::string> woken_;
};

}  // namespace turnstile::simulation
