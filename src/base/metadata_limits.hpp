// SPDX-License-Identifier: Apache-2.0
// metadata_limits: the longest texts that a client of this library writes into its contenders' znodes.
// contender_metadata::parse ignores longer texts, because no contender of this library can have written them.
//
// Thread safety: constants.
#pragma once

#include <chrono>
#include <cstddef>

namespace turnstile::detail {

inline constexpr std::chrono::milliseconds k_longest_session_timeout = std::chrono::hours{1};
// The following limits are in bytes.
inline constexpr std::size_t k_longest_label = 1024;
inline constexpr std::size_t k_longest_owner = 256;

}  // namespace turnstile::detail
