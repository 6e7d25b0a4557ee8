// SPDX-License-Identifier: Apache-2.0
// trial_pace: decides whether the next call of a multi_lock tries all parts at once (a *trial*) before it waits for a
// part.
//
// A trial that does not get all parts has created znodes in vain, and has woken the contenders behind them. So after a
// failed trial the next call waits for the first part, and tries the other parts only while it holds that part. After
// two failed trials in a row, the next three calls wait for the first part. Each further failure in a row doubles this
// number and adds one, up to 63. Calls for the same locks exclude each other by the first part, so their trials of the
// other parts succeed. After a trial that gets all parts, the next call tries all parts again.
//
// Thread safety: all members from any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/composite/all_of.hpp"

namespace turnstile::detail {

class trial_pace {
public:
    // Decides whether a call that begins now tries all locks of the multi_lock at once.
    [[nodiscard]] core::all_of::course next() noexcept {
        auto left = waiting_calls_.load();
        while (left != 0)
            if (waiting_calls_.compare_exchange_weak(left, left - 1))
                return core::all_of::course::rest_at_once;
        return core::all_of::course::all_at_once;
    }
    // Call this after a call that began by trying all locks at once. `got_all`: whether this try got all locks.
    void on_trial(bool got_all) noexcept {
        if (got_all) {
            failures_ = 0;
            return;
        }
        const auto in_a_row = std::min(failures_.load() + 1, k_most_doublings);
        failures_ = in_a_row;
        waiting_calls_ = (1U << in_a_row) - 1;
    }

private:
    static constexpr std::uint32_t k_most_doublings = 6;

    std::atomic<std::uint32_t> failures_{0};       // consecutive failed trials
    std::atomic<std::uint32_t> waiting_calls_{0};  // calls left that wait for the first part
};

}  // namespace turnstile::detail
