// SPDX-License-Identifier: Apache-2.0
// first_attach: records whether a session was ever attached to a server. A session whose first attach takes too long
// refuses its waiters (late_sessions.hpp). The first_attach object then has the error for these waiters.
//
// | state    | next state: the call that causes it     |
// |----------|-----------------------------------------|
// | expected | refused: refuse(); attached: attach()   |
// | refused  | attached: attach()                      |
// | attached | none, even if the session is lost       |
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

    // True if the session has waited for its first attach since `then` or longer, and has refused no waiter yet.
    [[nodiscard]] bool is_expected_since(boottime_clock::time_point then) const {
        return !attached_ && !refusal_ && expected_since_ <= then;
    }
    // Returns the error for all present and later waiters of this session; nothing if they are not refused.
    [[nodiscard]] const std::optional<error>& refusal() const noexcept { return refusal_; }

    // Makes the session refuse its waiters. Returns false, and changes nothing, if the session was attached before.
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
