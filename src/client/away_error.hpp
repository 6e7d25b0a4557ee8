// SPDX-License-Identifier: Apache-2.0
// away_error: what a caller is told that has no session: with the cause that the back end knows.
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

// The error says no more than that no session could be had (`not_connected`, `auth_failed`), or that the chroot is missing.
[[nodiscard]] bool lacks_cause(const error& why) noexcept;

// An error that lacks its cause gets the code of the cause, and its text in brackets; `no_chroot` gets the servers, whose
// name has the chroot. Any other error stays as it is.
[[nodiscard]] error with_cause(const error& away, const std::string& servers,
                               const std::optional<error>& cause);

}  // namespace turnstile::detail
