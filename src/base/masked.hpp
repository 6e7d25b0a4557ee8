// SPDX-License-Identifier: Apache-2.0
// Connect strings without their passwords:
//
//     masked            the text for a message, a page or a log
//     masked_refusal    the text for the message that refuses it
//     refused_connect_string  the error with that message
//     without_password  the text that names the servers
//     has_password      whether there is a password at all
//     quoted_part       a part of the text, for the message that refuses it
//     chroot_fault      the sentence that refuses the chroot
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "turnstile/error.hpp"

namespace turnstile::base {

// The text with "***" for the password in "user:password@" (all before '@' if there is no colon), up to the last '@',
// and for the value of each parameter with a secret's name, which may be percent-encoded. In strings that no parser
// takes it hides, too: a password with characters to escape (not one with "?name=" in a database's form, read as a
// parameter), one without "@host" behind it (not a number, read as a port), one behind a scheme that lacks its colon
// or its slashes, and in a path all from a colon without a port to the last '@'.
[[nodiscard]] std::string masked(std::string_view connect_string);

// Returns the text for a message that refuses the string. A refused string may contain an unescaped password anywhere,
// so "***" also replaces all text between the scheme and the last '@'.
[[nodiscard]] std::string masked_refusal(std::string_view connect_string);

// Returns bad_connect_string with masked_refusal()'s text and the rule that the string breaks.
[[nodiscard]] error refused_connect_string(std::string_view connect_string, std::string_view rule);

// True for a password behind "user:", for a password without a host, and for a value of a secret parameter. False for
// a user alone, for a path and for the name of a secret's file, though masked() hides them: a user may be a password
// without its colon.
[[nodiscard]] bool has_password(std::string_view connect_string);

// The text without ":password" before the host: it names the same servers for each user.
[[nodiscard]] std::string without_password(std::string_view connect_string);

// The part in printable ASCII, shortened, without quotes; "***" if masked_refusal() does not show it. A password
// with unescaped characters falls into pieces, which parsers take for hosts, names of options and paths.
[[nodiscard]] std::string quoted_part(std::string_view connect_string, std::string_view part);

// The rule of paths (base/path.hpp) that the chroot breaks; empty if it breaks none.
[[nodiscard]] std::string chroot_fault(std::string_view connect_string, std::string_view chroot);

}  // namespace turnstile::base
