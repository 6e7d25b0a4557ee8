// SPDX-License-Identifier: Apache-2.0
// connection: a client for commands that only read locks, and the servers' clock, by which such a command shows ages.
//
//     servers_clock   the servers' wall clock
#pragma once

#include <chrono>
#include <functional>

#include "cli/servers.hpp"
#include "turnstile/client.hpp"
#include "turnstile/result.hpp"

namespace turnstile::cli {

// Determines the servers, connects, and calls `work`. Returns the exit code of `work`. Prints an error as one line on
// stderr.
[[nodiscard]] int with_client(server_settings& settings,
                              const std::function<result<int>(client& servers)>& work);

// The servers' wall clock. The servers set the times of znodes by this clock, and this machine's clock may differ by
// hours. The session has learned the servers' time when it was opened (session_info::servers_time), so no request is
// necessary. If the session does not know that time, this class uses the machine's clock.
//
// Thread safety: a value.
class servers_clock {
public:
    // Uses this machine's clock.
    servers_clock() = default;
    explicit servers_clock(const client& servers) {
        const auto shown = servers.session().servers_time;
        theirs_ = shown.has_value();
        if (shown) ahead_ = *shown - std::chrono::system_clock::now();
    }

    [[nodiscard]] std::chrono::system_clock::time_point now() const {
        return std::chrono::system_clock::now() + ahead_;
    }
    // False if now() uses this machine's clock.
    [[nodiscard]] bool is_theirs() const noexcept { return theirs_; }

private:
    std::chrono::system_clock::duration ahead_{0};
    bool theirs_ = false;
};

}  // namespace turnstile::cli
