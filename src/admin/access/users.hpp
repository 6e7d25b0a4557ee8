// SPDX-License-Identifier: Apache-2.0
// users: the named users of the admin page, with their roles. secrets: these users, and the shared secrets.
//
// Thread safety: a value; const members from any thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/access/role.hpp"
#include "admin/access/secret_text.hpp"

namespace turnstile::admin {

struct user {
    std::string name;
    role may = role::none;
};

// The users file has a line for each user:
//
//     # NAME      ROLE   SECRET
//     ada         take   scrypt$16384$8$1$...$...     a password, from `turnstile serve --hash-password`
//     dashboard   look   sha256$...                   a program's token: printf %s TOKEN | sha256sum
//     grace       ask    proxy                        a user that a trusted proxy names
//     @oncall     take   proxy                        members of a group that the proxy names
//     *           look   proxy                        all other users that the proxy names
class users {
public:
    // Parses the text of a users file. `file`: the file's name, for messages. Throws std::runtime_error; the message
    // names the line and the error.
    [[nodiscard]] static users parse(std::string_view text, const std::string& file);
    // Reads a file that only its owner may open.
    [[nodiscard]] static users read(const std::string& file);

    [[nodiscard]] bool empty() const noexcept {
        return passwords_.empty() && tokens_.empty() && proxied_.empty();
    }
    [[nodiscard]] bool have_passwords() const noexcept { return !passwords_.empty(); }
    [[nodiscard]] bool have_tokens() const noexcept { return !tokens_.empty(); }
    [[nodiscard]] bool have_proxied() const noexcept { return !proxied_.empty(); }

    // True if the users file has a password for the user `name`.
    [[nodiscard]] bool know(std::string_view name) const;
    // Returns the user with this name and password. The check takes as long for an unknown name as for a wrong
    // password, so that its duration does not reveal which names exist.
    [[nodiscard]] std::optional<user> with_password(std::string_view name,
                                                    std::string_view password) const;
    [[nodiscard]] std::optional<user> with_token(std::string_view token) const;
    // Returns the user that a proxy names. `groups`: the user's groups, separated by commas. The user gets the role in
    // the file's line for this name, else the highest role of the groups, else the role of the line `*`.
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

// True if the text may be a user's name: 1 to 64 ASCII letters, digits and . _ - @ +
[[nodiscard]] bool is_user_name(std::string_view text) noexcept;

// The admin page's shared password and shared token, and its named users.
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
