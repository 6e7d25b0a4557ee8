// SPDX-License-Identifier: Apache-2.0
// Connect strings without their passwords:
//
//     masked            the text for a message, the admin page or the log
//     masked_refusal    the text for a message that refuses the connect string
//     refused_connect_string  the error with that message
//     without_password  the text that identifies the servers and the user
//     has_password      true if the connect string has a password
//     quoted_part       a part of the connect string, for a message that refuses the connect string
//     chroot_fault      the rule that the chroot breaks
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "turnstile/error.hpp"

namespace turnstile::base {

// Returns the text with "***" for each password. A password is the text in "user:password@" up to the last '@' (all
// text before the '@' if there is no colon). The value of a parameter with a secret's name is a password, too; the name
// may be percent-encoded. The function also hides passwords in strings that every parser refuses:
// - a password with unescaped characters (but in a database's connect string, text after "?name=" is a parameter);
// - a password without "@host" behind it, except a number, which is read as a port;
// - a password behind a scheme that lacks its colon or its slashes;
// - in a path, all text from a colon without a port to the last '@'.
[[nodiscard]] std::string masked(std::string_view connect_string);

// Returns the text for a message that refuses the string. A refused string may contain an unescaped password anywhere,
// so "***" also replaces all text between the scheme and the last '@'.
[[nodiscard]] std::string masked_refusal(std::string_view connect_string);

// Returns bad_connect_string with masked_refusal()'s text and the rule that the string breaks.
[[nodiscard]] error refused_connect_string(std::string_view connect_string, std::string_view rule);

// True for a password behind "user:", for a password without a host, and for a value of a secret parameter. False for a
// user alone, for a path, and for the name of a secret's file. masked() may hide these three, too: for example, a user
// alone may be a password whose colon was forgotten.
[[nodiscard]] bool has_password(std::string_view connect_string);

// Returns the text without ":password" before the host, so that a user has the same text with any password.
[[nodiscard]] std::string without_password(std::string_view connect_string);

// Returns `part` in printable ASCII, shortened, without quotes; "***" if masked_refusal() hides that part. Parsers take
// pieces of a password with unescaped characters for hosts, names of options and paths, so messages must not quote
// every part.
[[nodiscard]] std::string quoted_part(std::string_view connect_string, std::string_view part);

// Returns the rule of paths (base/path.hpp) that the chroot breaks; empty if the chroot breaks none.
[[nodiscard]] std::string chroot_fault(std::string_view connect_string, std::string_view chroot);

}  // namespace turnstile::base
