// SPDX-License-Identifier: Apache-2.0
// pause: lets the calling thread wait until a deadline, a stop token or a Boost interruption.
#pragma once

#include <stop_token>
#include <string>

#include "turnstile/clock.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// `cancelled` or `interrupted`, with the subject; success when the time has come. Thread safety:
// any thread.
[[nodiscard]] result<void> pause_until(boottime_clock::time_point end, const std::stop_token& stop,
                                       const std::string& subject);

}  // namespace turnstile::detail
