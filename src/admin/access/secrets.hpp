// SPDX-License-Identifier: Apache-2.0
// secrets: the admin page's shared password and shared token, and its named users.
//
// Thread safety: a value; const members from any thread.
#pragma once

#include <string>
#include <string_view>

#include "admin/access/secret_text.hpp"
#include "admin/access/users.hpp"

namespace turnstile::admin {

struct secrets {
    std::string password;  // for people; empty: none
    std::string token;     // for programs; empty: none
    users named{};

    [[nodiscard]] bool any() const noexcept {
        return !password.empty() || !token.empty() || !named.empty();
    }
    [[nodiscard]] bool takes_tokens() const noexcept {
        return !token.empty() || named.have_tokens();
    }
    [[nodiscard]] bool is_password(std::string_view said) const {
        return !password.empty() && same_secret(said, password);
    }
    [[nodiscard]] bool is_token(std::string_view said) const {
        return !token.empty() && same_secret(said, token);
    }
};

}  // namespace turnstile::admin
