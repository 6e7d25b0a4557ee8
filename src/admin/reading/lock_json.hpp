// SPDX-License-Identifier: Apache-2.0
// Converts locks, contenders and times to JSON, for `turnstile ls -o json` and the page's interface.
//
// Sessions and tokens are text, because they do not fit into a double. Times are UTC in ISO 8601 with milliseconds.
// printed() replaces invalid UTF-8 by U+FFFD.
//
// Thread safety: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "turnstile/lock_survey.hpp"

namespace turnstile::admin {

using json = nlohmann::ordered_json;

// Returns a text such as "2026-11-21T04:38:36.123Z".
[[nodiscard]] std::string utc(std::chrono::system_clock::time_point time);

[[nodiscard]] json json_of(const contender& each);
[[nodiscard]] json json_of(const std::vector<contender>& contenders);
[[nodiscard]] json json_of(const surveyed_lock& lock);

[[nodiscard]] std::string printed(const json& value);

}  // namespace turnstile::admin
