// SPDX-License-Identifier: Apache-2.0
// log_lanes: a bounded number of lines that wait for the sink.
//
//     lanes.push(log_level::info, "...");
//     while (const auto line = lanes.pop()) sink(line->level, line->text);
//
// Lines below `warning` have one queue (a *lane*), and all other lines have another, so that unimportant lines cannot
// push out warnings and errors. A full lane drops its oldest line. So after a blocked sink continues, it gets the
// number of dropped lines first, and then the newest lines. Lines come out in the order in which they were pushed.
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "turnstile/log.hpp"

namespace turnstile::log {

struct waiting_line {
    log_level level = log_level::off;
    std::uint64_t number = 0;  // counts from 1
    std::chrono::system_clock::time_point at{};
    std::string text{};
};

class log_lanes {
public:
    static constexpr std::size_t k_most = 1024;  // in each lane

    void push(log_level level, std::string text);
    // Returns the oldest line. If lines before it were dropped, first returns a line that says so.
    [[nodiscard]] std::optional<waiting_line> pop();

    [[nodiscard]] std::uint64_t last() const noexcept { return last_; }
    [[nodiscard]] bool empty() const noexcept { return urgent_.empty() && ordinary_.empty(); }
    // True if every waiting line has a number greater than `number`.
    [[nodiscard]] bool past(std::uint64_t number) const noexcept;
    void clear() noexcept;

private:
    [[nodiscard]] std::deque<waiting_line>& oldest() noexcept;
    [[nodiscard]] waiting_line tell_dropped();

    std::deque<waiting_line> urgent_;  // `warning` and above
    std::deque<waiting_line> ordinary_;
    std::uint64_t last_ = 0;
    std::uint64_t dropped_urgent_ = 0;
    std::uint64_t dropped_ordinary_ = 0;
};

}  // namespace turnstile::log
