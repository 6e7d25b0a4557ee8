// SPDX-License-Identifier: Apache-2.0
// session_arguments: the common first arguments of all commands of a session. The handshake and the attach provide
// them.
//
// Thread safety: none. The session's lock guards the object.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "redis/connect_string.hpp"
#include "redis/requests.hpp"
#include "redis/scripts.hpp"

namespace turnstile::redis {

class session_arguments {
public:
    session_arguments(const redis_address& where, const core::session_settings& settings);

    // Call this before the attach. `digests`: the digests under which the server knows the scripts.
    void greeted(const std::array<std::string, k_script_count>& digests);
    // Call this after the attach. `mark`: the session's entry at the server, which contains its password
    // (lua/attach.lua).
    void attached(std::string_view session, std::string_view mark,
                  std::optional<core::clock_reading> clock);

    // Returns the words of the command. They are views into this object and into `call`.
    [[nodiscard]] std::vector<std::string_view> words(const script_call& call) const;
    // The proof with which the guardian, a process that outlives a crash of this process, ends the session
    // (orphan.hpp).
    [[nodiscard]] std::string proof() const;
    // The session's id in digits; empty: no session yet.
    [[nodiscard]] const std::string& session() const noexcept { return session_; }
    [[nodiscard]] const std::string& mark() const noexcept { return mark_; }
    [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }
    [[nodiscard]] core::session_identity identity() const;
    // The server's clock, from the answer to the latest attach.
    [[nodiscard]] const std::optional<core::clock_reading>& clock() const noexcept {
        return clock_;
    }

private:
    const std::string prefix_;
    const std::string znodes_;  // the two keys of every script
    const std::string deadlines_;
    const std::string identity_;  // digest of the credentials; empty without credentials
    const std::string password_;  // in hex
    const std::string timeout_;   // in microseconds
    std::string session_;
    std::string mark_;
    std::array<std::string, k_script_count> digests_;
    std::optional<core::clock_reading> clock_;
};

}  // namespace turnstile::redis
