// SPDX-License-Identifier: Apache-2.0
// Functions for connect strings: read them from the environment or a file, and hide their passwords.
//
//     const auto servers = turnstile::servers_in_environment();
//     print("locks at", turnstile::masked(servers));
//
// Thread safety: masked() and has_password() are pure. The other functions read the environment or files: do not call
// them while another thread changes the environment.
#pragma once

#include <string>
#include <string_view>

#include "turnstile/export.hpp"
#include "turnstile/language.hpp"

namespace turnstile {

// The name of the environment variable that contains a connect string.
inline constexpr const char* k_servers_variable = "TURNSTILE_SERVERS";
// The name of the environment variable that contains the path of a file whose first line is a connect string.
inline constexpr const char* k_servers_file_variable = "TURNSTILE_SERVERS_FILE";

// Returns the first line of the file `file`. Throws std::runtime_error if the file cannot be read, if users other than
// its owner can open it, or if its first line is empty.
[[nodiscard]] TURNSTILE_EXPORT std::string servers_in_file(const std::string& file);

// Returns the value of TURNSTILE_SERVERS. If this variable is not set, returns the first line of the file that
// TURNSTILE_SERVERS_FILE names; empty if neither is set. Throws like servers_in_file(). client::from_environment() uses
// this function.
[[nodiscard]] TURNSTILE_EXPORT std::string servers_in_environment();

// Returns the connect string with "***" in place of its passwords, for messages, pages and logs. If the string is not a
// valid connect string, "***" also replaces text that may be a password.
[[nodiscard]] TURNSTILE_EXPORT std::string masked(std::string_view connect_string);

// Returns true if `connect_string` has a password behind "user:" (even if no host follows), or a value for a parameter
// that is a secret. A user without a password does not count. (masked() hides such a user, because it may be a password
// whose colon is missing.)
[[nodiscard]] TURNSTILE_EXPORT bool has_password(std::string_view connect_string);

}  // namespace turnstile
