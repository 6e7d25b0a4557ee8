// SPDX-License-Identifier: Apache-2.0
// permit_count: a number of a semaphore's permits. It can be made from an integer of any type.
//
//     auto five = connections.acquire(5);
//     auto batches = connections.acquire(turnstile::permit_count{batch.size()}, {.timeout = 2s});
//
// No value wraps round or is truncated. If a number is out of range, the call that gets the permit_count returns or
// throws `bad_option`; the message names the value and the rule.
//
// Thread safety: a value.
#pragma once

#include "turnstile/language.hpp"

#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>

namespace turnstile {

// A number of permits.
class permit_count {
public:
    // The largest number of permits that a semaphore can have.
    static constexpr std::int32_t k_most = std::numeric_limits<std::int32_t>::max();

    // Makes a number from `count`, an integer of any type. A number out of range is refused later, by the call that
    // gets it.
    template <std::integral N>
    requires(!std::same_as<N, bool> && !std::same_as<N, char>)
        // NOLINTNEXTLINE(google-explicit-constructor): reads as `acquire(5)`
        constexpr permit_count(N count) noexcept
        : count_{std::in_range<std::int64_t>(count) ? static_cast<std::int64_t>(count)
                                                    : std::numeric_limits<std::int64_t>::max()} {}

    // Returns the number. A number that std::int64_t cannot represent becomes the largest std::int64_t.
    [[nodiscard]] constexpr std::int64_t value() const noexcept { return count_; }
    // Returns whether the number is from 1 to k_most.
    [[nodiscard]] constexpr bool in_range() const noexcept {
        return count_ >= 1 && count_ <= k_most;
    }

    friend constexpr bool operator==(permit_count, permit_count) noexcept = default;

private:
    std::int64_t count_;
};

}  // namespace turnstile
