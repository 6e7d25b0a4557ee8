// SPDX-License-Identifier: Apache-2.0
// identity: the user of a request, and the user's role.
//
// Thread safety: a value.
#pragma once

#include <string>

#include "admin/access/role.hpp"

namespace turnstile::admin {

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
