// SPDX-License-Identifier: Apache-2.0
// duration: "500ms", "2.5s", "10m", "1h" or plain seconds, as people type them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::cli {

// Nothing for what is no duration: no number, a sign, an unknown unit, more than ten years.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

// "12 s", "5 min 3 s", "3 h 20 min", "2 d 4 h": as people say it, in the two largest units.
[[nodiscard]] std::string duration_text(std::chrono::seconds span);

// "300 ms", "2.5 s", "12 s": to the millisecond, below a minute.
[[nodiscard]] std::string exact_text(std::chrono::milliseconds span);

}  // namespace turnstile::cli
