// SPDX-License-Identifier: Apache-2.0
// server_session: a simulated client's session behind the coordinator interface. It sends the requests that keep the
// session, and answers for the servers if they do not. It is a handle (handle.hpp) for an ensemble, and a
// single_session for a single server.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/seam/seam.hpp"
#include "simulation/drifting_clock.hpp"
#include "simulation/messages.hpp"

namespace turnstile::simulation {

class server_session {
public:
    server_session() = default;
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
    [[nodiscard]] virtual std::vector<core::coordinator_event> take() = 0;

    // ---- events ----
    virtual void connect() = 0;
    virtual void receive(connection_id by, const server_message& message) = 0;
    virtual void notice_break(connection_id by) = 0;
    virtual void check_silence(connection_id by) = 0;
    virtual void learn_role(connection_id /*by*/, server_role /*role*/) {}
    virtual void learn_leader(connection_id /*by*/, std::optional<server_id> /*leader*/) {}
    virtual void find_elsewhere(connection_id /*by*/) {}
    virtual void hear_bell(connection_id /*by*/) {}
    virtual void look_if_due() {}

    // ---- questions ----
    [[nodiscard]] virtual std::uint64_t epoch() const noexcept = 0;
    [[nodiscard]] virtual bool attached() const noexcept = 0;
    [[nodiscard]] virtual std::optional<connection_id> connection() const noexcept = 0;
    [[nodiscard]] virtual std::size_t watch_count() const = 0;
    // Returns the paths whose deletion was reported without delay since the last call.
    [[nodiscard]] virtual std::vector<std::string> take_woken() = 0;
};

}  // namespace turnstile::simulation
