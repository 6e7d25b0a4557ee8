// SPDX-License-Identifier: Apache-2.0
// users: named users of the admin page with their roles, from a file with a line for each:
//
//     # NAME      ROLE   SECRET
//     ada         take   scrypt$16384$8$1$...$...     a password, as `turnstile serve --hash-password` prints it
//     dashboard   look   sha256$...                   a program's token: printf %s TOKEN | sha256sum
//     grace       ask    proxy                        whom a trusted proxy names
//     @oncall     take   proxy                        members of a group that the proxy names
//     *           look   proxy                        all others whom it names
//
// Thread safety: a value; const members from any thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/access/password_hash.hpp"
#include "admin/access/role.hpp"

namespace turnstile::admin {

struct user {
    std::string name;
    role may = role::none;
};

class users {
public:
    // `file` is for the messages. Throws std::runtime_error: the line and what is wrong with it.
    [[nodiscard]] static users parse(std::string_view text, const std::string& file);
    // From a file that only its owner can open.
    [[nodiscard]] static users read(const std::string& file);

    [[nodiscard]] bool empty() const noexcept {
        return passwords_.empty() && tokens_.empty() && proxied_.empty();
    }
    [[nodiscard]] bool have_passwords() const noexcept { return !passwords_.empty(); }
    [[nodiscard]] bool have_tokens() const noexcept { return !tokens_.empty(); }
    [[nodiscard]] bool have_proxied() const noexcept { return !proxied_.empty(); }

    // Whether the name has a password.
    [[nodiscard]] bool know(std::string_view name) const;
    // Takes as long for a name that is not known as for a wrong password.
    [[nodiscard]] std::optional<user> with_password(std::string_view name,
                                                    std::string_view password) const;
    [[nodiscard]] std::optional<user> with_token(std::string_view token) const;
    // The role of the name; else the highest of its groups (separated by commas); else that of `*`.
    [[nodiscard]] std::optional<user> from_proxy(std::string_view name,
                                                 std::string_view groups) const;

private:
    struct entry {
        role may = role::none;
        password_hash hash;
    };
    void add(const std::vector<std::string>& words);

    std::map<std::string, entry, std::less<>> passwords_;
    std::map<std::string, user, std::less<>> tokens_;  // by the SHA-256 of the token
    std::map<std::string, role, std::less<>> proxied_;
};

// Whether a text may be a user's name: 1 to 64 letters, digits and . _ - @ + of ASCII.
[[nodiscard]] bool is_user_name(std::string_view text) noexcept;

}  // namespace turnstile::admin
