// SPDX-License-Identifier: Apache-2.0
// snapshot: all locks as one survey found them, with what is counted once for all that look at it.
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
    std::size_t held = 0;       // of those that were not read: all
    std::size_t contended = 0;  // with a waiter
    std::size_t contenders = 0;
    std::size_t sessions = 0;  // of the contenders that were read
    std::size_t unreadable = 0;
    friend bool operator==(const lock_totals&, const lock_totals&) = default;
};

struct snapshot {
    std::uint64_t version = 0;  // counts up
    wall_time as_of{};
    std::chrono::milliseconds reading{};
    std::chrono::milliseconds oldest{};  // since the lock that was looked at longest ago was
    std::size_t unread = 0;              // contenders that are to be read, and were not yet
    lock_survey survey{};
    lock_totals totals{};
    // Of survey.locks, one each: since when the holder that holds longest does.
    std::vector<std::optional<wall_time>> held_since{};
};

using shared_snapshot = std::shared_ptr<const snapshot>;

[[nodiscard]] lock_totals totals_of(const lock_survey& survey);

// The place in survey.locks; nothing if it is not there.
[[nodiscard]] std::optional<std::size_t> place_of(const lock_survey& survey, std::string_view path,
                                                  lock_kind kind);

// Whether a person would see another queue: other contenders, another order, or other words in a znode.
[[nodiscard]] bool same_queue(const surveyed_lock& a, const surveyed_lock& b);

// "mutex" and so on; nothing for another word.
[[nodiscard]] std::optional<lock_kind> lock_kind_of(std::string_view word);

// None of its contenders has been read: which of them hold is not known.
[[nodiscard]] bool is_unread(const surveyed_lock& lock) noexcept;

// How many waiters a lock has. One that is unread is taken to have one holder.
[[nodiscard]] std::size_t waiters_of(const surveyed_lock& lock) noexcept;

}  // namespace turnstile::admin
