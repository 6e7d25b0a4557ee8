// SPDX-License-Identifier: Apache-2.0
// log_lines: collects the log's lines during its lifetime.
//
// Thread safety: any thread may call all members.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/log.hpp"

namespace turnstile::tests {

class log_lines {
public:
    log_lines() {
        set_log_sink([this](log_level, std::string_view line) {
            const std::lock_guard hold{mutex_};
            lines_.emplace_back(line);
        });
    }
    ~log_lines() { set_log_sink({}); }
    log_lines(const log_lines&) = delete;
    log_lines& operator=(const log_lines&) = delete;
    [[nodiscard]] std::ptrdiff_t with(std::string_view text) const {
        const std::lock_guard hold{mutex_};
        return std::count_if(lines_.begin(), lines_.end(), [text](const std::string& line) {
            return line.find(text) != std::string::npos;
        });
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> lines_;
};

}  // namespace turnstile::tests
