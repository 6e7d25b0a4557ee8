// SPDX-License-Identifier: Apache-2.0
// first_attach: records whether a session has ever been attached to a server. If the first attach takes too long, it
// has the error with which the session refuses its waiters (late_sessions.hpp).
//
// | state    | leads to                                |
// |----------|-----------------------------------------|
// | expected | refused: refuse(); attached: attach()   |
// | refused  | attached: attach()                      |
// | attached | nothing: the session may be lost, later |
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <optional>

#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"

namespace turnstile::detail {

class first_attach {
public:
    explicit first_attach(boottime_clock::time_point expected_since)
        : expected_since_{expected_since} {}

    // True if the session has waited since `then` or longer, and has refused no waiter yet.
    [[nodiscard]] bool is_expected_since(boottime_clock::time_point then) const {
        return !attached_ && !refusal_ && expected_since_ <= then;
    }
    // The error for everything that waits in this session now or later.
    [[nodiscard]] const std::optional<error>& refusal() const noexcept { return refusal_; }

    // Returns false if the session has been attached: then nothing is refused.
    [[nodiscard]] bool refuse(const error& why) {
        if (attached_) return false;
        refusal_ = why;
        return true;
    }
    void attach() {
        attached_ = true;
        refusal_.reset();
    }

private:
    boottime_clock::time_point expected_since_;
    bool attached_ = false;
    std::optional<error> refusal_;
};

}  // namespace turnstile::detail
