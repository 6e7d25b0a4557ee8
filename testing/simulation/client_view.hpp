// SPDX-License-Identifier: Apache-2.0
// client_view: a client as a recorder or a judge sees it, from outside and with the true time.
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
    // The time until which a guard of its session is valid.
    [[nodiscard]] virtual core::time_point valid_until() const = 0;
    // True if its clock stopped in this session: then the guard's values promise nothing (A1 of docs/why/lease.md).
    [[nodiscard]] virtual bool rests_on_a_stopped_clock() const = 0;
    // The time at which its clock last resumed after a stop.
    [[nodiscard]] virtual instant clock_goes_since() const = 0;
    [[nodiscard]] virtual bool runs() const = 0;
    [[nodiscard]] virtual instant awake_since() const = 0;
    // Length of the latest stop of its clock.
    [[nodiscard]] virtual core::duration latest_stop() const = 0;
    // Since when it has been attached by a working connection.
    [[nodiscard]] virtual instant undisturbed_since() const = 0;
    [[nodiscard]] virtual bool closed() const = 0;
    [[nodiscard]] virtual const core::session_core& core() const = 0;

protected:
    ~client_view() = default;
};

}  // namespace turnstile::simulation
