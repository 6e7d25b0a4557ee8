// SPDX-License-Identifier: Apache-2.0
#include "base/log_lanes.hpp"

#include <fmt/core.h>

#include <utility>

namespace turnstile::log {

void log_lanes::push(log_level level, std::string text) {
    const bool urgent = level >= log_level::warning;
    auto& lane = urgent ? urgent_ : ordinary_;
    lane.push_back({level, last_ + 1, std::chrono::system_clock::now(), std::move(text)});
    ++last_;
    if (lane.size() <= k_most) return;
    lane.pop_front();
    ++(urgent ? dropped_urgent_ : dropped_ordinary_);
}

std::deque<waiting_line>& log_lanes::oldest() noexcept {
    if (ordinary_.empty()) return urgent_;
    if (urgent_.empty()) return ordinary_;
    return urgent_.front().number < ordinary_.front().number ? urgent_ : ordinary_;
}

std::optional<waiting_line> log_lanes::pop() {
    if (empty()) return std::nullopt;
    if (dropped_urgent_ + dropped_ordinary_ != 0) return tell_dropped();
    auto& lane = oldest();
    auto line = std::move(lane.front());
    lane.pop_front();
    return line;
}

waiting_line log_lanes::tell_dropped() {
    const auto urgent = std::exchange(dropped_urgent_, 0);
    const auto ordinary = std::exchange(dropped_ordinary_, 0);
    // The report of dropped lines gets the number of the oldest line that was not dropped.
    return {log_level::warning, oldest().front().number, std::chrono::system_clock::now(),
            fmt::format(
                "the log sink was too slow. Lines dropped: {}; warnings or errors among them: {}",
                urgent + ordinary, urgent)};
}

bool log_lanes::past(std::uint64_t number) const noexcept {
    return (urgent_.empty() || urgent_.front().number > number) &&
           (ordinary_.empty() || ordinary_.front().number > number);
}

void log_lanes::clear() noexcept {
    urgent_.clear();
    ordinary_.clear();
    dropped_urgent_ = dropped_ordinary_ = 0;
}

}  // namespace turnstile::log
