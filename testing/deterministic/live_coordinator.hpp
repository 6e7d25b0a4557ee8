// SPDX-License-Identifier: Apache-2.0
// live_coordinator: opens the sessions of ZooKeeper connect strings in a deterministic run. It ignores the hosts in a
// connect string, and uses the simulated servers (live_servers.hpp). It creates the chroot if that is missing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/seam/coordinator.hpp"
#include "deterministic/live_servers.hpp"
#include "local/chroot.hpp"

namespace turnstile::deterministic {

class live_coordinator final : public core::coordinator {
public:
    // Throws std::system_error with bad_connect_string.
    live_coordinator(live_servers& servers, std::string_view connect_string);

    std::unique_ptr<core::coordinator_session> open(const core::session_settings& settings,
                                                    core::session_sink& sink) override;
    [[nodiscard]] std::string_view chroot() const noexcept override { return root_.prefix(); }
    [[nodiscard]] turnstile::promises promises() const override;
    [[nodiscard]] std::string describe() const override { return text_; }
    [[nodiscard]] std::string diagnose() const override { return "the servers are simulated"; }

private:
    live_servers& servers_;
    const std::string text_;
    const local::chroot root_;
};

}  // namespace turnstile::deterministic
