// SPDX-License-Identifier: Apache-2.0
// position: a state of the search, in 24 bytes. It has the numbers that the interner gave to the clients and to the
// servers, and counts the faults and timers that may still happen.
#pragma once

#include <array>
#include <cstdint>

#include "verification/search/bounds.hpp"
#include "verification/search/digest.hpp"
#include "verification/search/interner.hpp"
#include "verification/search/names.hpp"

namespace turnstile::search {

// A client that still waits after so many `pass` steps (timers that run because nothing else can happen) waits for
// ever.
inline constexpr std::uint8_t k_most_passes = 12;

struct position {
    std::array<value_id, k_most_clients> clients{};
    value_id servers = 0;
    std::uint8_t faults = 0;        // faults that may still happen
    std::uint8_t early_timers = 0;  // early timers that may still happen
    std::uint8_t passes = 0;        // `pass` steps that have happened
    contender_number last_grant = 0;

    friend bool operator==(const position&, const position&) = default;

    [[nodiscard]] std::uint64_t hash() const noexcept {
        digest sum;
        sum.add((std::uint64_t{clients[0]} << 32U) | clients[1]);
        sum.add((std::uint64_t{clients[2]} << 32U) | servers);
        sum.add((unsigned{faults} << 24U) | (unsigned{early_timers} << 16U) |
                (unsigned{passes} << 8U) | last_grant);
        return sum.value();
    }
};

}  // namespace turnstile::search
