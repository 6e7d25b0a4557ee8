// SPDX-License-Identifier: Apache-2.0
// session_errors: what callers and the log are told of a session, for people.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/contender/contender_ahead.hpp"
#include "core/session/client_life.hpp"

namespace turnstile::core {

// Why a deadline passed before `subject` was granted or answered; `ahead`: how many contenders were, `nearest`: the last
// of them, if it was read.
[[nodiscard]] error deadline_error(const client_life& life, const std::string& subject,
                                   std::optional<std::size_t> ahead,
                                   const contender_ahead* nearest = nullptr);
// The same for an acquisition.
[[nodiscard]] error deadline_error(const client_life& life, const acquisition& late);
// That the session's time-out is too short for the server, and what helps; there must be a connection.
[[nodiscard]] std::string short_lease(const client_life& life);
// That the session's server throws requests away; there must be a connection.
[[nodiscard]] std::string throttling(const client_life& life);

}  // namespace turnstile::core
