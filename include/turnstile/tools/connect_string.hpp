// SPDX-License-Identifier: Apache-2.0
// Connect strings as programs have them: where they come from, and how they are shown.
//
//     const auto servers = turnstile::servers_in_environment();
//     print("locks at", turnstile::masked(servers));
//
// Thread safety: masked() and has_password() are pure. The others read the environment and files: do not call them
// while another thread changes the environment.
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

// Returns the first line of the file, which only its owner may be able to open. Throws std::runtime_error if the file
// cannot be read, if other users can open it, or if its first line is empty.
[[nodiscard]] TURNSTILE_EXPORT std::string servers_in_file(const std::string& file);

// Returns the content of TURNSTILE_SERVERS, or else of the file that TURNSTILE_SERVERS_FILE names; empty if neither is
// set. Throws as servers_in_file does. client::from_environment() uses this function.
[[nodiscard]] TURNSTILE_EXPORT std::string servers_in_environment();

// Returns the connect string in a form that a message, a page or a log may show: "***" in place of its passwords. In a
// string that is no valid connect string, "***" also replaces text that may be a password.
[[nodiscard]] TURNSTILE_EXPORT std::string masked(std::string_view connect_string);

// Returns true if `connect_string` has a password behind "user:", a password without a host, or a parameter with a
// secret's name that has a value. A user alone is no password, though masked() hides it: it may be a password without
// its colon.
[[nodiscard]] TURNSTILE_EXPORT bool has_password(std::string_view connect_string);

}  // namespace turnstile
