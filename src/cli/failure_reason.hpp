// SPDX-License-Identifier: Apache-2.0
// failure_reason: why no server could be used, taken from the lines of the library's log.
//
//     failure_reason reason;
//     reason.hear(log_level::warning, "redis://a:6379: Connection refused");
//     reason.explain({errc::not_connected, "redis://a:6379"}).message();  // "...: redis://a:6379 (Connection refused)"
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <string>
#include <string_view>

#include "turnstile/error.hpp"
#include "turnstile/log.hpp"

namespace turnstile::cli {

class failure_reason {
public:
    // ZooKeeper's C client tells its trouble at this level.
    static constexpr log_level k_level = log_level::info;

    // The latest line that has a reason counts; a connection ends all trouble before it.
    void hear(log_level level, std::string_view line);
    // The failure with the reason behind its detail, unless that has it already.
    [[nodiscard]] error explain(const error& failure) const;

private:
    std::string latest_;      // "redis://a:6379: Connection refused"
    bool diagnosed_ = false;  // the library has looked itself: the C client knows no better
};

}  // namespace turnstile::cli
