// SPDX-License-Identifier: Apache-2.0
// pause: blocks the calling thread until a deadline, a stop request or a Boost interruption.
#pragma once

#include <stop_token>
#include <string>

#include "turnstile/clock.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// Returns success at `end`, or else the error `cancelled` or `interrupted`, which names `subject`. Thread safety: any
// thread.
[[nodiscard]] result<void> pause_until(boottime_clock::time_point end, const std::stop_token& stop,
                                       const std::string& subject);

}  // namespace turnstile::detail
