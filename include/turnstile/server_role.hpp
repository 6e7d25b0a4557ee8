// SPDX-License-Identifier: Apache-2.0
// server_role: the role of a server in its ensemble, as session_info and server_health report it.
//
// Thread safety: a value and a pure function.
#pragma once

#include <string_view>

#include "turnstile/export.hpp"
#include "turnstile/language.hpp"

namespace turnstile {

// The role of a server in its ensemble. `unknown`: the client has not learned the role.
enum class server_role { unknown, standalone, leader, follower, observer, read_only };

// Returns the name of the role, like "leader".
[[nodiscard]] TURNSTILE_EXPORT std::string_view to_string(server_role role) noexcept;

}  // namespace turnstile
