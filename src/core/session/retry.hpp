// SPDX-License-Identifier: Apache-2.0
// retry: the time at which requests that failed on a living connection are sent again. Each connection has one `retry`
// object.
//
// After a link event the session sends all failed requests again. If no link event comes after a lost answer, a timer
// makes the session send them. A server that throttles discards requests, and reports that. Then the session sends all
// requests again together after a pause; the pauses grow while the server throttles.
//
// Thread safety: none, a value.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "base/back_off.hpp"
#include "base/random.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

class retry {
public:
    retry() = default;
    retry(duration first, duration longest) : pauses_{first, longest} {}

    [[nodiscard]] std::optional<time_point> due() const noexcept { return due_; }
    // True during a pause. The session pauses its requests when the server discards requests.
    [[nodiscard]] bool is_throttled() const noexcept { return pauses_.under_way(); }

    // Called when a request failed: all failed requests are sent again at `then`, or earlier.
    void later(time_point then) {
        if (!due_) due_ = then;
    }
    // Notes that the server discarded a request. Returns true for the first discarded request since the last pause;
    // then the caller must call pause().
    [[nodiscard]] bool note_throttled() noexcept { return !std::exchange(throttled_, true); }
    void pause(time_point now, base::random& chance) {
        const auto then = now + pauses_.draw(chance);
        due_ = std::min(then, due_.value_or(then));
    }
    void answered() noexcept {
        if (!throttled_) pauses_.reset();
    }
    // Returns true if failed requests must be sent again now. Then the caller sends all of them again.
    [[nodiscard]] bool begin_if_due(time_point now) {
        if (!due_ || *due_ > now) return false;
        due_.reset();
        throttled_ = false;
        return true;
    }

    friend bool operator==(const retry&, const retry&) = default;

private:
    std::optional<time_point> due_;
    base::back_off pauses_;   // runs while the server throttles
    bool throttled_ = false;  // since the last pause
};

}  // namespace turnstile::core
