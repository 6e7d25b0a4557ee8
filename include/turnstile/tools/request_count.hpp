// SPDX-License-Identifier: Apache-2.0
// requests_sent: how many requests a client has handed to its servers, for metrics.
//
// Each read, write and transaction counts once each time it is sent, those that are sent again after a broken connection
// too. Pings of the session and four-letter words are not among them.
//
// Thread safety: from any thread.
#pragma once

#include <cstdint>

#include "turnstile/client.hpp"
#include "turnstile/export.hpp"

namespace turnstile {

// Of all its sessions since it was made; 0 for a client that was moved from.
[[nodiscard]] TURNSTILE_EXPORT std::uint64_t requests_sent(const client& servers) noexcept;

}  // namespace turnstile
