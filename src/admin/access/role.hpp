// SPDX-License-Identifier: Apache-2.0
// role, identity: the user of a request to the admin page, and the user's rights.
//
// Thread safety: values and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::admin {

// The rights of a user of the admin page. Each role includes the rights of the roles before it.
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

struct identity {
    std::string user{};  // a name; "password" or "token" for a shared secret; empty: unknown
    role may = role::none;
    bool shared = false;   // several persons may know the secret
    std::string ticket{};  // the id of the sign-in; empty: none
    std::string csrf{};    // a token that each change must contain; empty: the caller is a program
    std::string from{};    // the address, perhaps from a trusted proxy

    [[nodiscard]] bool known() const noexcept { return may != role::none; }
};

}  // namespace turnstile::admin
