// SPDX-License-Identifier: Apache-2.0
// identity: the user that a request comes from, and what the user may do.
//
// Thread safety: a value.
#pragma once

#include <string>

#include "admin/access/role.hpp"

namespace turnstile::admin {

struct identity {
    std::string user{};  // a name; "password" or "token" for a shared secret; empty: not known
    role may = role::none;
    bool shared = false;   // the secret does not say which person it is
    std::string ticket{};  // of a sign-in; empty: none
    std::string csrf{};    // that each change carries; empty: a program, which needs none
    std::string from{};    // the address, as a trusted proxy tells it

    [[nodiscard]] bool known() const noexcept { return may != role::none; }
};

}  // namespace turnstile::admin
