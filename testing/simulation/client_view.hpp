// SPDX-License-Identifier: Apache-2.0
// client_view: shows a client's state to the code that records and checks a history, and converts the client's local
// times to the true time.
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
    [[nodiscard]] virtual core::time_point valid_until() const = 0;
    // Returns true if the client's clock stopped in this session. The client's guards then promise nothing (assumption
    // A1 of docs/why/lease.md).
    [[nodiscard]] virtual bool rests_on_a_stopped_clock() const = 0;
    // Returns when the client's clock last resumed after a stop.
    [[nodiscard]] virtual instant clock_goes_since() const = 0;
    [[nodiscard]] virtual bool runs() const = 0;
    [[nodiscard]] virtual instant awake_since() const = 0;
    // Returns the length of the latest stop of the client's clock.
    [[nodiscard]] virtual core::duration latest_stop() const = 0;
    // Returns the time since which the client has been attached by a working connection.
    [[nodiscard]] virtual instant undisturbed_since() const = 0;
    [[nodiscard]] virtual bool closed() const = 0;
    [[nodiscard]] virtual const core::session_core& core() const = 0;

protected:
    ~client_view() = default;
};

}  // namespace turnstile::simulation
