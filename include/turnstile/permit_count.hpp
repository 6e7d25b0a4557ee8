// SPDX-License-Identifier: Apache-2.0
// permit_count: how many permits of a semaphore, from an integer of any type.
//
//     auto five = connections.acquire(5);
//     auto batches = connections.acquire(turnstile::permit_count{batch.size()}, {.timeout = 2s});
//
// No value wraps round or is cut: the call that it is given to refuses one that is out of range (bad_option, with
// the value and the rule).
//
// Thread safety: a value.
#pragma once

#include "turnstile/language.hpp"

#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>

namespace turnstile {

class permit_count {
public:
    static constexpr std::int32_t k_most = std::numeric_limits<std::int32_t>::max();

    template <std::integral N>
    requires(!std::same_as<N, bool> && !std::same_as<N, char>)
        // NOLINTNEXTLINE(google-explicit-constructor): reads as `acquire(5)`
        constexpr permit_count(N count) noexcept
        : count_{std::in_range<std::int64_t>(count) ? static_cast<std::int64_t>(count)
                                                    : std::numeric_limits<std::int64_t>::max()} {}

    // As it was given; what is beyond std::int64_t is the largest of these.
    [[nodiscard]] constexpr std::int64_t value() const noexcept { return count_; }
    // One at least, and k_most at most.
    [[nodiscard]] constexpr bool in_range() const noexcept {
        return count_ >= 1 && count_ <= k_most;
    }

    friend constexpr bool operator==(permit_count, permit_count) noexcept = default;

private:
    std::int64_t count_;
};

}  // namespace turnstile
