// SPDX-License-Identifier: Apache-2.0
// role: the rights of a user of the admin page. Each role includes the rights of the roles before it.
//
// Thread safety: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace turnstile::admin {

enum class role {
    none,  // unknown user: no rights
    look,  // read everything
    ask,   // ask a holder to release its lock
    take,  // take a lock away, and cancel an order
};

inline constexpr std::array<const char*, 4> k_roles{"none", "look", "ask", "take"};

[[nodiscard]] inline const char* to_string(role may) noexcept {
    return k_roles[static_cast<std::size_t>(may)];
}

// Returns the role with the name "look", "ask" or "take". Returns nothing for another word.
[[nodiscard]] inline std::optional<role> role_named(std::string_view word) noexcept {
    for (const auto each : {role::look, role::ask, role::take})
        if (word == to_string(each)) return each;
    return std::nullopt;
}

}  // namespace turnstile::admin
