// SPDX-License-Identifier: Apache-2.0
// stop_signal: the std::stop_token of a call's options.
//
//     std::stop_source stop;
//     auto hold = orders.acquire({.timeout = 2s, .stop = stop.get_token()});
//
// It is made from a std::stop_token and turns into one again; a header of locks need not know that class for it.
//
// Thread safety: that of std::stop_token: const members from any thread.
#pragma once

#include <utility>

#include "turnstile/export.hpp"
#include "turnstile/standard_parts.hpp"

namespace turnstile {

class stop_signal {
public:
    stop_signal() noexcept = default;  // never triggered
    // NOLINTNEXTLINE(google-explicit-constructor): reads as `.stop = source.get_token()`
    TURNSTILE_EXPORT stop_signal(std::stop_token token) noexcept;
    ~stop_signal() {
        if (state_ != nullptr) let_go();
    }
    stop_signal(const stop_signal& other) noexcept : state_{other.copied()} {}
    stop_signal(stop_signal&& other) noexcept : state_{std::exchange(other.state_, nullptr)} {}
    stop_signal& operator=(const stop_signal& other) noexcept { return *this = stop_signal{other}; }
    stop_signal& operator=(stop_signal&& other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }

    // NOLINTNEXTLINE(google-explicit-constructor): it is one
    TURNSTILE_EXPORT operator std::stop_token() const noexcept;
    [[nodiscard]] bool stop_requested() const noexcept { return state_ != nullptr && requested(); }
    [[nodiscard]] bool stop_possible() const noexcept { return state_ != nullptr && possible(); }

private:
    [[nodiscard]] void* copied() const noexcept { return state_ == nullptr ? nullptr : share(); }
    [[nodiscard]] TURNSTILE_EXPORT void* share() const noexcept;
    TURNSTILE_EXPORT void let_go() noexcept;
    [[nodiscard]] TURNSTILE_EXPORT bool requested() const noexcept;
    [[nodiscard]] TURNSTILE_EXPORT bool possible() const noexcept;

    void* state_ =
        nullptr;  // the bytes of a std::stop_token, which is one pointer; none: of an empty one
};

}  // namespace turnstile
