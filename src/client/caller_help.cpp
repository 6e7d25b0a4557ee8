// SPDX-License-Identifier: Apache-2.0
#include "client/caller_help.hpp"

#include <algorithm>

#include "base/interruption.hpp"

namespace turnstile::detail {

caller_help::caller_help(answer_reader* session) noexcept
    : session_{session != nullptr && session->takes_help() ? session : nullptr} {}

// This function is no interruption point. The caller notices an interruption when it waits for the condition variable.
bool caller_help::go_on(base::unique_lock& held, boottime_clock::time_point deadline) {
    if (session_ == nullptr) return false;
    const auto now = boottime_clock::now();
    if (until_ == boottime_clock::time_point{}) until_ = now + k_longest;
    const auto until = std::min(until_, deadline);
    if (until <= now || base::interruption_requested()) {
        session_ = nullptr;
        return false;
    }
    const base::disable_interruption uninterrupted;
    held.unlock();
    if (!session_->help(until)) session_ = nullptr;
    held.lock();
    return true;
}

}  // namespace turnstile::detail
