// SPDX-License-Identifier: Apache-2.0
#include "turnstile/session_state.hpp"

#include <array>

namespace turnstile {

std::string_view to_string(session_state state) noexcept {
    constexpr std::array<std::string_view, 7> names{
        "connecting", "connected", "suspended", "lost", "read_only", "auth_failed", "closed"};
    return names.at(static_cast<std::size_t>(state));
}

}  // namespace turnstile
