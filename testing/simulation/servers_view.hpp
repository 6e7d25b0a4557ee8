// SPDX-License-Identifier: Apache-2.0
// servers_view: what a world and its judges see of the servers of a history, whatever their kind.
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

    // The committed state.
    [[nodiscard]] virtual const local::tree& truth() const noexcept = 0;
    // All of them serve, and reach each other.
    [[nodiscard]] virtual bool healthy() const = 0;
    [[nodiscard]] virtual std::size_t watch_count() const = 0;
    // Until then they are busy with closing sessions whose time was over.
    [[nodiscard]] virtual instant expiring_until() const noexcept { return {}; }
    // Until when the servers keep a session that they do not hear of again; nothing if that is not known, or if the
    // session is over or about to be.
    [[nodiscard]] virtual std::optional<instant> deadline(session_id /*session*/) const {
        return std::nullopt;
    }
    // Packets that were above what the servers take.
    [[nodiscard]] virtual std::uint64_t refused_packets() const noexcept { return 0; }
    [[nodiscard]] virtual instant disturbed_until() const noexcept = 0;

protected:
    ~servers_view() = default;
};

}  // namespace turnstile::simulation
