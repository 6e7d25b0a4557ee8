// SPDX-License-Identifier: Apache-2.0
#include <sys/timex.h>
#include <unistd.h>

#include "cli/path_findings.hpp"

namespace turnstile::cli {

std::optional<host_clock> read_host_clock() {
    timex state{};
    if (::adjtimex(&state) < 0) return std::nullopt;
    // `freq` is in parts per million, with 16 fractional bits. `tick` also changes the rate: its nominal value is a
    // second divided by the number of ticks per second.
    constexpr double k_part_per_million = 65'536.0 * 1e6;
    constexpr double k_second_us = 1e6;
    const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
    const double slewed = static_cast<double>(state.tick) * ticks_per_second / k_second_us - 1;
    return host_clock{.synchronised = (state.status & STA_UNSYNC) == 0,
                      .rate = static_cast<double>(state.freq) / k_part_per_million + slewed};
}

}  // namespace turnstile::cli
