// SPDX-License-Identifier: Apache-2.0
// retry: when requests that came to nothing on a living connection are sent again. Belongs to one connection.
//
// A link event makes all requests go again. Where an answer was lost and no such event comes, time does. A server that
// throttles throws requests away and says so: then all go again after a pause, together, and the pauses grow while
// that comes to nothing.
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
    // The server throws requests away, as far as is known.
    [[nodiscard]] bool is_throttled() const noexcept { return pauses_.under_way(); }

    // A request came to nothing.
    void later(time_point then) {
        if (!due_) due_ = then;
    }
    // Notes that the server threw a request away. True for the first one since the last pause: the caller then calls
    // pause().
    [[nodiscard]] bool note_throttled() noexcept { return !std::exchange(throttled_, true); }
    void pause(time_point now, base::random& chance) {
        const auto then = now + pauses_.draw(chance);
        due_ = std::min(then, due_.value_or(then));
    }
    // The server answered a request.
    void answered() noexcept {
        if (!throttled_) pauses_.reset();
    }
    // True if the time has come: then all go again now.
    [[nodiscard]] bool begin_if_due(time_point now) {
        if (!due_ || *due_ > now) return false;
        due_.reset();
        throttled_ = false;
        return true;
    }

    friend bool operator==(const retry&, const retry&) = default;

private:
    std::optional<time_point> due_;
    base::back_off pauses_;   // under way while the server throttles
    bool throttled_ = false;  // since the last pause
};

}  // namespace turnstile::core
