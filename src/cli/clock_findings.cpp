// SPDX-License-Identifier: Apache-2.0
#include "cli/clock_findings.hpp"

#include <sys/timex.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "cli/duration.hpp"

namespace turnstile::cli {
namespace {

// The network's delay cannot explain a difference larger than this between the servers' clock and this machine's clock.
// If the difference is larger than this, the displayed ages of contenders are wrong.
constexpr std::chrono::milliseconds k_clock_difference{1'000};

std::string percent_text(double part) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3f %%", part * 100);
    return text.data();
}

}  // namespace

std::optional<host_clock> read_host_clock() {
    timex state{};
    if (::adjtimex(&state) < 0) return std::nullopt;
    // In the kernel's answer to adjtimex(), `freq` is in parts per million, with 16 fractional bits. `tick` also
    // changes the rate of the clock: its nominal value is a second divided by the number of ticks per second.
    constexpr double k_part_per_million = 65'536.0 * 1e6;
    constexpr double k_second_us = 1e6;
    const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
    const double slewed = static_cast<double>(state.tick) * ticks_per_second / k_second_us - 1;
    return host_clock{.synchronised = (state.status & STA_UNSYNC) == 0,
                      .rate = static_cast<double>(state.freq) / k_part_per_million + slewed};
}

findings clock_findings(const examination& seen) {
    findings found;
    if (seen.trial && seen.trial->clock) {
        const auto& clock = *seen.trial->clock;
        const std::chrono::milliseconds apart{std::abs(clock.ahead.count())};
        if (apart - clock.uncertainty > k_clock_difference)
            found.push_back({severity::warning, "clocks_differ", "this host",
                             "its wall clock is " + exact_text(apart) +
                                 (clock.ahead.count() > 0 ? " behind" : " ahead of") +
                                 (is_zookeeper(seen.settings) ? " that of the servers' leader"
                                                              : " that of the servers") +
                                 ": times of this host and of the servers cannot be compared; "
                                 "ages in queues and holds are not affected",
                             "run a time daemon (chrony) here and on the servers"});
    }
    if (!seen.clock) return found;
    if (!seen.clock->synchronised)
        found.push_back(
            {severity::note, "clock_not_synchronised", "this host",
             "its kernel reports that no time daemon synchronizes the clock",
             "run a time daemon (chrony) here, or on the host of this virtual machine"});
    const auto allowed = lease_settings{}.clock_drift;
    if (std::abs(seen.clock->rate) > allowed)
        found.push_back({severity::problem, "clock_rate", "this host",
                         "its clock is slewed by " + percent_text(seen.clock->rate) +
                             ": more than the " + percent_text(allowed) + " that leases allow for",
                         "limit the time daemon's slew rate (chrony: maxslewrate 500)"});
    return found;
}

}  // namespace turnstile::cli
