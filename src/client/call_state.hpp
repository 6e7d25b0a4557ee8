// SPDX-License-Identifier: Apache-2.0
// call_state: the phase of a call for a lock, as a value.
//
// | phase    | the caller                                          | entered by             |
// |----------|-----------------------------------------------------|------------------------|
// | waiting  | waits for the lock                                  | the start of the call  |
// | held     | has a guard, or will be handed one                  | grant(), from waiting  |
// | refused  | has an error, or will get one                       | refuse(), from waiting |
// | lost     | has a guard that is not valid; if the caller has no | lose(), from held      |
// |          | guard yet, it will get the loss as an error         |                        |
//
// Three facts are stored beside the phase. Each becomes true once, and stays true. `answered`: the caller has its
// outcome. `handed`: the outcome was a guard. `given up`: the caller no longer wants the lock.
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "base/cold.hpp"
#include "turnstile/error.hpp"

namespace turnstile::detail {

class call_state {
public:
    // The audience of a user's callback: a waiter listens until its call is answered, a holder until it gives up the
    // hold.
    enum class audience : std::uint8_t { waiter, holder };

    void grant() {
        TURNSTILE_CHECK(waits());
        phase_ = phase::held;
    }
    void refuse(const error& why) {
        TURNSTILE_CHECK(waits());
        phase_ = phase::refused;
        why_.change() = why;
    }
    // Records the loss of the hold. Returns false, and changes nothing, if the hold was lost before.
    bool lose(const error& why) {
        if (is_lost()) return false;
        TURNSTILE_CHECK(is_held());
        phase_ = phase::lost;
        why_.change() = why;
        return true;
    }
    void answer() noexcept { answered_ = true; }
    void hand_over() {
        TURNSTILE_CHECK(is_held());
        answered_ = true;
        handed_ = true;
    }
    // Records that the caller no longer wants the lock. Returns false if that was recorded before.
    bool give_up() noexcept { return !std::exchange(given_up_, true); }

    [[nodiscard]] bool waits() const noexcept { return phase_ == phase::waiting; }
    [[nodiscard]] bool is_held() const noexcept { return phase_ == phase::held; }
    [[nodiscard]] bool is_lost() const noexcept { return phase_ == phase::lost; }
    [[nodiscard]] bool is_handed() const noexcept { return handed_; }
    [[nodiscard]] bool is_given_up() const noexcept { return given_up_; }
    [[nodiscard]] bool may_tell(audience listener) const noexcept {
        return !given_up_ && (listener == audience::holder || !answered_);
    }
    // Returns the reason of the refusal or of the loss; empty before that.
    [[nodiscard]] const std::optional<error>& why() const noexcept { return *why_; }

private:
    enum class phase : std::uint8_t { waiting, held, refused, lost };

    phase phase_ = phase::waiting;
    bool answered_ = false;
    bool handed_ = false;
    bool given_up_ = false;
    base::cold<std::optional<error>> why_;  // empty for each of perhaps many waiters
};

}  // namespace turnstile::detail
