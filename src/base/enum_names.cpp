// SPDX-License-Identifier: Apache-2.0
// The names of the values of small enumerations.
#include <array>
#include <cstddef>

#include "turnstile/lock_status.hpp"
#include "turnstile/server_role.hpp"
#include "turnstile/session_state.hpp"

namespace turnstile {

const char* to_string(contender_kind kind) noexcept {
    switch (kind) {
        case contender_kind::mutex: return "mutex";
        case contender_kind::latch: return "latch";
        case contender_kind::reader: return "reader";
        case contender_kind::writer: return "writer";
        case contender_kind::upgradable: return "upgradable";
        case contender_kind::upgrade: return "upgrade";
        case contender_kind::permit: return "permit";
    }
    return "unknown";
}

std::string_view to_string(server_role role) noexcept {
    constexpr std::array<std::string_view, 6> names{"unknown",  "standalone", "leader",
                                                    "follower", "observer",   "read_only"};
    return names.at(static_cast<std::size_t>(role));
}

std::string_view to_string(session_state state) noexcept {
    constexpr std::array<std::string_view, 7> names{
        "connecting", "connected", "suspended", "lost", "read_only", "auth_failed", "closed"};
    return names.at(static_cast<std::size_t>(state));
}

}  // namespace turnstile
