// SPDX-License-Identifier: Apache-2.0
// requests_sent: the number of requests that a client has sent to its servers, for metrics.
//
// Each read, write and transaction counts each time that the client sends it. So a request counts again if the client
// sends it again after a broken connection. Pings of the session and four-letter words do not count.
//
// Thread safety: any thread may call requests_sent().
#pragma once

#include <cstdint>

#include "turnstile/client.hpp"
#include "turnstile/export.hpp"

namespace turnstile {

// Returns the number of requests of all sessions of the client since the client's construction; 0 if `servers` was
// moved from.
[[nodiscard]] TURNSTILE_EXPORT std::uint64_t requests_sent(const client& servers) noexcept;

}  // namespace turnstile
