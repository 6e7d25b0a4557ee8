// SPDX-License-Identifier: Apache-2.0
// away_error: if a caller has no usable session, adds to the caller's error the cause that the back end knows.
//
//     with_cause({errc::not_connected, "/locks/a, at redis://a:6379"}, "redis://a:6379", cause)
//     // no server could be used in time: /locks/a, at redis://a:6379 (Connection refused)
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>

#include "turnstile/error.hpp"

namespace turnstile::detail {

// True if the error says only that there is no session (`not_connected`, `auth_failed`), or that the chroot is missing.
[[nodiscard]] bool lacks_cause(const error& why) noexcept;

// If lacks_cause(away), returns the error with the cause's code, and with the cause's text appended in brackets.
// `auth_failed` keeps its code. A `no_chroot` error also gets the servers' name, which contains the chroot. Returns any
// other error unchanged.
[[nodiscard]] error with_cause(const error& away, const std::string& servers,
                               const std::optional<error>& cause);

}  // namespace turnstile::detail
