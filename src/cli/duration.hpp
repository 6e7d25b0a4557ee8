// SPDX-License-Identifier: Apache-2.0
// duration: parses durations as people type them: "500ms", "2.5s", "10m", "1h", or plain seconds.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::cli {

// Parses a duration. Returns nothing if the text has no number, has a sign or an unknown unit, or means more than ten
// years.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

// Returns the span in its two largest units: "12 s", "5 min 3 s", "3 h 20 min", "2 d 4 h".
[[nodiscard]] std::string duration_text(std::chrono::seconds span);

// Returns the span as text, exact to the millisecond below one minute: "300 ms", "2.5 s", "12 s".
[[nodiscard]] std::string exact_text(std::chrono::milliseconds span);

}  // namespace turnstile::cli
