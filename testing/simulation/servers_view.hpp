// SPDX-License-Identifier: Apache-2.0
// servers_view: interface of modelled servers of every kind. The simulated world drives the servers, and the judges,
// which check the promises, read the servers' state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "local/tree.hpp"
#include "simulation/drifting_clock.hpp"
#include "simulation/messages.hpp"

namespace turnstile::simulation {

class servers_view {
public:
    servers_view() = default;
    servers_view(const servers_view&) = delete;
    servers_view& operator=(const servers_view&) = delete;

    // Returns the committed state of the tree.
    [[nodiscard]] virtual const local::tree& truth() const noexcept = 0;
    // True if all servers run and reach each other.
    [[nodiscard]] virtual bool healthy() const = 0;
    [[nodiscard]] virtual std::size_t watch_count() const = 0;
    // Returns the instant until which the servers are busy with closing expired sessions.
    [[nodiscard]] virtual instant expiring_until() const noexcept { return {}; }
    // Returns the instant until which the servers keep this session if they receive nothing more from it. Returns
    // nothing if the instant is unknown, or if the session has ended or is about to end.
    [[nodiscard]] virtual std::optional<instant> deadline(session_id /*session*/) const {
        return std::nullopt;
    }
    // Returns the number of packets that the servers refused because of their size.
    [[nodiscard]] virtual std::uint64_t refused_packets() const noexcept { return 0; }
    [[nodiscard]] virtual instant disturbed_until() const noexcept = 0;

protected:
    ~servers_view() = default;
};

}  // namespace turnstile::simulation
