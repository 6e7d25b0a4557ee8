// SPDX-License-Identifier: Apache-2.0
// servers_clock: the wall clock of the servers, by which contenders' znodes are dated. This machine's clock may be hours
// away from it.
//
// ZooKeeper tells its time only in what it writes. So the servers are asked by one empty znode beside a lock, which is
// removed at once (path_trial.hpp); without that right, or an answer within a second, this machine's clock stands in.
//
// Thread safety: a value.
#pragma once

#include <chrono>
#include <string>

#include "turnstile/client.hpp"
#include "turnstile/lock_survey.hpp"

namespace turnstile::cli {

class servers_clock {
public:
    // This machine's clock.
    servers_clock() = default;
    // Asks beside the lock. Blocks for up to a second.
    servers_clock(const client& servers, const std::string& lock_path);

    [[nodiscard]] std::chrono::system_clock::time_point now() const {
        return std::chrono::system_clock::now() + ahead_;
    }
    // False: now() is by this machine's clock.
    [[nodiscard]] bool is_theirs() const noexcept { return theirs_; }

private:
    std::chrono::milliseconds ahead_{0};
    bool theirs_ = false;
};

}  // namespace turnstile::cli
