// SPDX-License-Identifier: Apache-2.0
// secrets: the shared password and token that the page was started with, and its named users.
//
// Thread safety: functions and a value; const members from any thread.
#pragma once

#include <string>
#include <string_view>

#include "admin/access/users.hpp"

namespace turnstile::admin {

// The first line of a file that only its owner can open. Throws std::runtime_error: what is wrong with the file, or a
// line that is shorter than `least` characters.
[[nodiscard]] std::string read_secret_file(const std::string& file, std::size_t least);

// A comparison in constant time: of the two digests, all their bytes.
[[nodiscard]] bool same_secret(std::string_view a, std::string_view b);

// The SHA-256 of a text, in hexadecimal digits.
[[nodiscard]] std::string digest_text(std::string_view text);

// 256 bits of the kernel's randomness, in hexadecimal digits. Throws std::system_error.
[[nodiscard]] std::string random_secret();

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
