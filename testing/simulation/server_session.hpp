// SPDX-License-Identifier: Apache-2.0
// server_session: a simulated client's session behind the coordinator interface. It sends the requests that keep the
// session, and answers for the servers if they do not. It is a handle (handle.hpp) for an ensemble, and a
// single_session for a single server.
#pragma once

#include <cstdint>
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

namespace turnstile::simulation {

class server_session {
public:
    server_session(client_id owner, std::uint64_t epoch, const scenario& scenario, agenda& future,
                   dice& chance, network& links);
    server_session(const server_session&) = delete;
    server_session& operator=(const server_session&) = delete;
    virtual ~server_session() = default;

    // ---- calls by the code that executes the core's actions ----
    virtual void submit(core::request&& request, core::time_point local_now) = 0;
    virtual void forget_watches(const std::string& path) = 0;
    virtual void seek_leader(std::uint64_t /*number*/) {}
    virtual void look_for_another(const core::look_elsewhere& /*wanted*/) {}
    virtual void leave_server(std::uint64_t /*number*/) {}
    enum class ending { orderly, abandoned, crashed };
    virtual void end(ending how) = 0;
    [[nodiscard]] std::vector<core::coordinator_event> take() { return std::exchange(events_, {}); }

    // ---- events ----
    virtual void connect() = 0;
    virtual void receive(connection_id by, const server_message& message) = 0;
    void notice_break(connection_id by);
    // Gives up the connection after two thirds of the session timeout without a message, as the real clients do.
    void check_silence(connection_id by);
    virtual void learn_role(connection_id /*by*/, server_role /*role*/) {}
    virtual void learn_leader(connection_id /*by*/, std::optional<server_id> /*leader*/) {}
    virtual void find_elsewhere(connection_id /*by*/) {}
    virtual void hear_bell(connection_id /*by*/) {}
    virtual void look_if_due() {}

    // ---- queries ----
    [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }
    [[nodiscard]] bool attached() const noexcept { return attached_; }
    [[nodiscard]] std::optional<connection_id> connection() const noexcept { return connection_; }
    [[nodiscard]] std::size_t watch_count() const { return watches_.list().size(); }
    // Returns the paths whose deletion was reported without delay since the last call.
    [[nodiscard]] std::vector<std::string> take_woken() { return std::exchange(woken_, {}); }

protected:
    // When the client sent the oldest request without an answer; empty: no request is open.
    [[nodiscard]] virtual std::optional<instant> waits_since() const = 0;
    virtual void lose_connection() = 0;

    void expect_answer();
    void drop_connection();
    void connect_later();

    const client_id owner_;
    const std::uint64_t epoch_;
    const scenario& scenario_;
    agenda& agenda_;
    dice& dice_;
    network& network_;

    session_id session_ = 0;
    bool attached_ = false;
    bool dead_ = false;
    bool ended_ = false;
    std::uint64_t number_ = 0;  // the connection's number in the core
    std::optional<connection_id> connection_;
    std::int64_t seen_zxid_ = 0;
    local::client_watches watches_;
    bool silence_planned_ = false;
    std::vector<core::coordinator_event> events_;
    std::vector<std::string> woken_;
};

}  // namespace turnstile::simulation
