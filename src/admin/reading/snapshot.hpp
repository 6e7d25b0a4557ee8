// SPDX-License-Identifier: Apache-2.0
// snapshot: the result of one read of all locks (a survey), with totals that are computed once.
//
// Thread safety: a value; shared as const.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "turnstile/lock_survey.hpp"

namespace turnstile::admin {

using wall_time = std::chrono::system_clock::time_point;

struct lock_totals {
    std::size_t locks = 0;
    std::size_t held = 0;       // counts every unread lock as held
    std::size_t contended = 0;  // locks with a waiter
    std::size_t contenders = 0;
    std::size_t sessions = 0;  // sessions of the contenders that were read
    std::size_t unreadable = 0;
    friend bool operator==(const lock_totals&, const lock_totals&) = default;
};

struct snapshot {
    std::uint64_t version = 0;  // increases
    wall_time as_of{};
    std::chrono::milliseconds reading{};
    std::chrono::milliseconds oldest{};  // age of the oldest read of a lock
    std::size_t unread = 0;              // contenders not read yet
    lock_survey survey{};
    lock_totals totals{};
    // For each lock of survey.locks: since when its oldest present holder has held the lock.
    std::vector<std::optional<wall_time>> held_since{};
};

using shared_snapshot = std::shared_ptr<const snapshot>;

[[nodiscard]] lock_totals totals_of(const lock_survey& survey);

// Returns the lock's index in survey.locks; nothing if it is not there.
[[nodiscard]] std::optional<std::size_t> place_of(const lock_survey& survey, std::string_view path,
                                                  lock_kind kind);

// Returns true if a user would see the same queue twice: the same contenders in the same order, with the same text in
// their znodes.
[[nodiscard]] bool same_queue(const surveyed_lock& a, const surveyed_lock& b);

// Parses a kind such as "mutex". Returns nothing for another word.
[[nodiscard]] std::optional<lock_kind> lock_kind_of(std::string_view word);

// True if none of the lock's contenders was read, so that its holders are unknown.
[[nodiscard]] bool is_unread(const surveyed_lock& lock) noexcept;

// The number of waiters. An unread lock counts as having one holder.
[[nodiscard]] std::size_t waiters_of(const surveyed_lock& lock) noexcept;

}  // namespace turnstile::admin
