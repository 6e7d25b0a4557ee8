// SPDX-License-Identifier: Apache-2.0
// requests_sent: the number of requests that a client has sent to its servers, for metrics.
//
// Each read, write and transaction counts each time that it is sent; so a request that is sent again after a broken
// connection counts again. Pings of the session and four-letter words do not count.
//
// Thread safety: any thread may call it.
#pragma once

#include <cstdint>

#include "turnstile/client.hpp"
#include "turnstile/export.hpp"

namespace turnstile {

// Returns the number for all sessions of the client since its construction; 0 for a client that was moved from.
[[nodiscard]] TURNSTILE_EXPORT std::uint64_t requests_sent(const client& servers) noexcept;

}  // namespace turnstile
