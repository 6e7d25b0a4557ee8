// SPDX-License-Identifier: Apache-2.0
// patience: the time limit for all answers in a transaction. When close() waits for the session's thread, the limit
// becomes shorter.
//
// Thread safety: one thread at a time, except for closing_signal.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "support/wake_up.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::sql {

// A flag that ends a database object's waits for its server when the session closes. Thread safety: all members from
// any thread.
struct closing_signal {
    support::wake_up closing;  // becomes readable when the session closes, and stays readable
    std::atomic<bool> begun{false};
    // True if the session exists in the database, so that close() should remove it. In this case, the session's thread
    // may wait two more seconds for the database when the session closes.
    std::atomic<bool> has_session{false};
};

class patience {
public:
    // `closing` may be null.
    patience(std::chrono::milliseconds length, std::shared_ptr<closing_signal> closing);

    void begin() noexcept { begin(length_); }
    void begin(std::chrono::milliseconds length) noexcept;
    // While an object of this class exists, the time limit is shorter: the remaining time divided by `parts`. So one
    // host that does not answer leaves time for the other hosts.
    class part {
    public:
        part(patience& whole, std::size_t parts);
        ~part();
        part(const part&) = delete;
        part& operator=(const part&) = delete;

    private:
        patience& whole_;
        const boottime_clock::time_point until_;
    };
    // Waits until the socket is ready, and returns its events. Returns 0 when the time has passed.
    [[nodiscard]] short await(int socket, short events);
    // True if the time has passed or close() has begun.
    [[nodiscard]] bool is_over() const noexcept {
        return is_closing() || boottime_clock::now() >= until_;
    }
    [[nodiscard]] bool is_closing() const noexcept { return closing_ && closing_->begun.load(); }
    // Returns the instant at which a wait of this length ends. This instant is not after the time limit.
    [[nodiscard]] boottime_clock::time_point end_of(std::chrono::milliseconds wait) const noexcept {
        return std::min(until_, boottime_clock::now() + wait);
    }
    [[nodiscard]] std::chrono::milliseconds length() const noexcept { return length_; }

private:
    const std::chrono::milliseconds length_;
    const std::shared_ptr<closing_signal> closing_;
    boottime_clock::time_point until_{};
    std::optional<boottime_clock::time_point> closing_until_;  // the limit that close() has set
};

}  // namespace turnstile::sql
