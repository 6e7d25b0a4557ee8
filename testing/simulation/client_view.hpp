// SPDX-License-Identifier: Apache-2.0
// client_view: what a recorder or a judge sees of a client, from outside and with the true time.
#pragma once

#include "core/session/session_core.hpp"
#include "simulation/messages.hpp"

namespace turnstile::simulation {

class client_view {
public:
    client_view() = default;
    client_view(const client_view&) = default;
    client_view& operator=(const client_view&) = default;
    [[nodiscard]] virtual core::time_point local_now() const = 0;
    [[nodiscard]] virtual instant true_time(core::time_point local) const = 0;
    // Until when a guard of its session says that it is valid.
    [[nodiscard]] virtual core::time_point valid_until() const = 0;
    // Its clock stood still in this session: nothing that it shows is promised (A1 of docs/why/lease.md).
    [[nodiscard]] virtual bool rests_on_a_stopped_clock() const = 0;
    // When its clock, having stood still, went on last.
    [[nodiscard]] virtual instant clock_goes_since() const = 0;
    [[nodiscard]] virtual bool runs() const = 0;
    [[nodiscard]] virtual instant awake_since() const = 0;
    // How long it had stood still before.
    [[nodiscard]] virtual core::duration latest_stop() const = 0;
    // Since when it has been attached by a connection that works.
    [[nodiscard]] virtual instant undisturbed_since() const = 0;
    [[nodiscard]] virtual bool closed() const = 0;
    [[nodiscard]] virtual const core::session_core& core() const = 0;

protected:
    ~client_view() = default;
};

}  // namespace turnstile::simulation
