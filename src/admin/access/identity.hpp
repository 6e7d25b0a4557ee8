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
    std::string ticket{};  // the sign-in's; empty: none
    std::string csrf{};    // each change must carry it; empty: a program, which needs none
    std::string from{};    // the address, perhaps from a trusted proxy

    [[nodiscard]] bool known() const noexcept { return may != role::none; }
};

}  // namespace turnstile::admin
