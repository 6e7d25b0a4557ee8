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
    TURNSTILE_EXPORT stop_signal(std::stop_token token);
    ~stop_signal() {
        if (kept_ != nullptr) let_go();
    }
    stop_signal(const stop_signal& other)
        : kept_{other.kept_ == nullptr ? nullptr : other.copied()} {}
    stop_signal(stop_signal&& other) noexcept : kept_{std::exchange(other.kept_, nullptr)} {}
    stop_signal& operator=(const stop_signal& other) { return *this = stop_signal{other}; }
    stop_signal& operator=(stop_signal&& other) noexcept {
        std::swap(kept_, other.kept_);
        return *this;
    }

    // NOLINTNEXTLINE(google-explicit-constructor): it is one
    TURNSTILE_EXPORT operator std::stop_token() const noexcept;
    [[nodiscard]] bool stop_requested() const noexcept { return kept_ != nullptr && requested(); }
    [[nodiscard]] bool stop_possible() const noexcept { return kept_ != nullptr && possible(); }

private:
    struct kept_token;

    [[nodiscard]] TURNSTILE_EXPORT kept_token* copied() const;
    TURNSTILE_EXPORT void let_go() noexcept;
    [[nodiscard]] TURNSTILE_EXPORT bool requested() const noexcept;
    [[nodiscard]] TURNSTILE_EXPORT bool possible() const noexcept;

    kept_token* kept_ = nullptr;  // none: of a token that is never triggered
};

}  // namespace turnstile
