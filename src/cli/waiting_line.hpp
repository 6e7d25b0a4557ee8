// SPDX-License-Identifier: Apache-2.0
// waiting_line: what a person sees who waits: "/locks/orders: 3rd of 7; web-2, pid 4711, holds it for 12 s".
//
// Thread safety: pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/lock_status.hpp"

namespace turnstile::cli {

// "1st", "22nd", "113th".
[[nodiscard]] std::string ordinal(std::size_t number);

// `ahead` contenders come first; `queue` may be empty, where it is not known. The text is printable.
[[nodiscard]] std::string waiting_line(std::string_view path, std::size_t ahead,
                                       const std::vector<contender>& queue,
                                       std::chrono::system_clock::time_point now);

}  // namespace turnstile::cli
