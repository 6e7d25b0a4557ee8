// SPDX-License-Identifier: Apache-2.0
// position: a state of the search, in 24 bytes. It has the numbers that the interner gave to the clients and to the
// servers, and counts the faults and timers that may still happen.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>

#include "verification/search/bounds.hpp"
#include "verification/search/digest.hpp"
#include "verification/search/names.hpp"

namespace turnstile::search {

using value_id = std::uint32_t;

// interner: keeps each distinct value once and gives it a separate number. So a state of the search is a few numbers,
// and two states are equal exactly if their numbers are equal. (SPIN calls this collapse compression: G. Holzmann,
// "State compression in SPIN", 1997.)
//
//     interner<client, hash_of_client> clients;
//     const value_id a = clients.id_of(std::move(value));
//     use(clients[a]);
//
// `Hash` returns a std::uint64_t. Equal values must have equal hashes. Not thread-safe.
template <class T, class Hash>
class interner {
public:
    [[nodiscard]] value_id id_of(T&& value) {
        const auto hash = Hash{}(value);
        const auto [first, last] = by_hash_.equal_range(hash);
        for (auto at = first; at != last; ++at) {
            if (values_[at->second] == value) return at->second;
        }
        const auto id = static_cast<value_id>(values_.size());
        values_.push_back(std::move(value));
        by_hash_.emplace(hash, id);
        return id;
    }

    [[nodiscard]] const T& operator[](value_id id) const { return values_[id]; }
    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }

private:
    std::deque<T> values_;
    std::unordered_multimap<std::uint64_t, value_id> by_hash_;
};

// Caches the result of an event on a value. The caller names the event and the value by their numbers.
template <class Result>
class memo {
public:
    template <class F>
    const Result& get(value_id value, value_id event, F&& compute) {
        const auto key = (std::uint64_t{value} << 32U) | event;
        if (const auto found = known_.find(key); found != known_.end()) return found->second;
        return known_.emplace(key, compute()).first->second;
    }

private:
    std::unordered_map<std::uint64_t, Result> known_;
};

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
