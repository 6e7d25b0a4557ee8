// SPDX-License-Identifier: Apache-2.0
// guardian_notice: reports a session and its servers to the guardian, the process that closes the session after a crash
// of this process.
//
// Thread safety: `add` before all other members, which any thread may call.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "guardian/guardian_link.hpp"
#include "zookeeper/addresses.hpp"

namespace turnstile::zookeeper {

class guardian_notice {
public:
    // `guardian`: null if this process has no guardian.
    explicit guardian_notice(std::shared_ptr<guardian::guardian_link> guardian)
        : guardian_{std::move(guardian)} {}

    [[nodiscard]] bool is_wanted() const noexcept { return guardian_ != nullptr; }
    void add(const std::vector<socket_address>& servers) {
        for (const auto& each : servers) servers_.push_back(endpoint_of(each));
    }
    // Reports the session to the guardian. Called when the session is attached to `server`.
    void begin(const core::session_identity& own, core::duration timeout,
               const server_security* security, const socket_address& server) const {
        if (!guardian_) return;
        guardian::guard_session told;
        told.id = own.id;
        told.secret = own.password;
        told.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
        if (security != nullptr) {
            told.security = security->tls;
            told.sasl = security->sasl;
        }
        if (server.length > 0) told.servers.push_back(endpoint_of(server));
        told.servers.insert(told.servers.end(), servers_.begin(), servers_.end());
        guardian_->tell(told);
    }
    void end(std::int64_t session) const {
        if (guardian_ && session != 0) guardian_->tell(guardian::forget_session{session});
    }

private:
    [[nodiscard]] static guardian::endpoint endpoint_of(const socket_address& server) {
        return {server.storage, server.length, server.host};
    }

    const std::shared_ptr<guardian::guardian_link> guardian_;
    std::vector<guardian::endpoint> servers_;
};

}  // namespace turnstile::zookeeper
