// SPDX-License-Identifier: Apache-2.0
#include "base/span_check.hpp"

#include <fmt/core.h>

#include "base/duration_text.hpp"

namespace turnstile::base {

result<void> check_span(std::string_view option, boottime_clock::duration value) {
    if (value >= value.zero() && value <= k_longest_span) return {};
    return error{errc::bad_option,
                 fmt::format("{} {}: must not be negative, nor longer than ten years", option,
                             duration_text(value))};
}

result<std::int64_t> checked_milliseconds(std::string_view option, boottime_clock::duration value) {
    if (const auto good = check_span(option, value); !good) return good.error();
    return std::chrono::ceil<std::chrono::milliseconds>(value).count();
}

}  // namespace turnstile::base
