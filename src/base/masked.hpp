// SPDX-License-Identifier: Apache-2.0
// Connect strings without their passwords:
//
//     masked            as it may be shown, in a message, a page or a log
//     without_password  as it names the servers
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace turnstile::base {

// With "***" for the password of its "user:password@" (for all of it, where there is no colon) and for the value of each
// parameter whose name sounds like a secret's. Passwords of strings that no parser takes are hidden, too: one that should
// have been escaped (but for one with "?name=" in it in a database's form, which reads like a parameter), one without
// "@host" behind it (but for a number, which reads like a port), and one behind a scheme with too few slashes.
[[nodiscard]] std::string masked(std::string_view connect_string);

// Without ":password" before the host: the same servers, for each user.
[[nodiscard]] std::string without_password(std::string_view connect_string);

}  // namespace turnstile::base
