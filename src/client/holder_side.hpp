// SPDX-License-Identifier: Apache-2.0
// holder_side: the state of a call that only a holder needs: the listeners to the loss, and the time of the grant.
//
// Thread safety: a value under the call's lock.
#pragma once

#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"

namespace turnstile::detail {

class holder_side {
public:
    using loss_callback = std::function<void(const error&)>;

    void add(loss_callback&& listener) { callbacks_.push_back(std::move(listener)); }
    [[nodiscard]] bool has_callbacks() const noexcept { return !callbacks_.empty(); }
    [[nodiscard]] std::vector<loss_callback> take_callbacks() noexcept {
        return std::exchange(callbacks_, {});
    }
    // The first call makes the token. If the hold is lost already, that call also requests a stop.
    [[nodiscard]] std::stop_token token(bool is_lost) {
        if (!lost_.stop_possible()) {
            lost_ = std::stop_source{};
            if (is_lost) lost_.request_stop();  // the new token has no listener yet
        }
        return lost_.get_token();
    }
    // Returns a source without a stop state if token() was not called yet.
    [[nodiscard]] const std::stop_source& lost() const noexcept { return lost_; }

    void note_grant(boottime_clock::time_point now) noexcept { granted_at_ = now; }
    [[nodiscard]] boottime_clock::time_point granted_at() const noexcept { return granted_at_; }

private:
    std::vector<loss_callback> callbacks_;
    std::stop_source lost_{std::nostopstate};
    boottime_clock::time_point granted_at_{};
};

}  // namespace turnstile::detail
