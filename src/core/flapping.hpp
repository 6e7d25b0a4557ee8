// flapping: a session whose connections break before anything is answered on them, again and again.
//
// A server that refuses what the client sends first on each connection (its watches, in one packet above
// jute.maxbuffer) closes it, and has touched the session: it lives for ever, and the znodes of what its process
// lost with it. Nothing but a new session helps. An ensemble that is down does not come so far as to attach it; and
// no hold is lost by it that was not lost before: for a session time-out nothing was answered.
//
// A value. Thread safety: none.
#pragma once

#include "core/seam.hpp"

namespace turnstile::core {

class flapping {
public:
    void attached(time_point now) noexcept {
        if (fruitless_++ == 0) since_ = now;
    }
    void answered() noexcept { fruitless_ = 0; }
    // It is attached, and was so often before, for so long, in vain.
    [[nodiscard]] bool for_ever(time_point now, duration session_timeout) const noexcept {
        return fruitless_ > k_most_fruitless && now - since_ >= session_timeout;
    }
    [[nodiscard]] static constexpr int most() noexcept { return k_most_fruitless; }

    friend bool operator==(const flapping&, const flapping&) = default;

private:
    static constexpr int k_most_fruitless = 8;

    int fruitless_ = 0;  // attaches since the latest answer
    time_point since_{};
};

}  // namespace turnstile::core
