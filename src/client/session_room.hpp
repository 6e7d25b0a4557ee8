// SPDX-License-Identifier: Apache-2.0
// session_room: counts the bytes that a session owns at the servers, and refuses more than the limit.
//
// When a session ends, the servers put everything that it owns into one transaction, and they cannot read back a
// transaction that is too long (F38). The core counts what its contenders own. This class counts the rest: room that
// calls have reserved before they reach the core, and ephemeral znodes that commits of this epoch created, or may have
// created.
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/check.hpp"

namespace turnstile::detail {

class session_room {
public:
    // Half of the 256 KiB that are safe: a waiter may have watches on two paths for each path that it owns.
    static constexpr std::size_t k_most_owned = std::size_t{128} * 1024;

    // A new epoch owns nothing that commits of an older epoch created.
    void enter_epoch(std::uint64_t epoch) {
        if (std::exchange(epoch_, epoch) != epoch) written_ = 0;
    }
    // Returns false if so many bytes do not fit beside the bytes that the core counts.
    [[nodiscard]] bool reserve(std::size_t bytes, std::size_t owned) {
        if (owned + reserved_ + written_ + bytes > k_most_owned) return false;
        reserved_ += bytes;
        return true;
    }
    // From now on the core counts these bytes.
    void hand_over(std::size_t bytes) {
        TURNSTILE_CHECK(reserved_ >= bytes);
        reserved_ -= bytes;
    }
    // Counts a commit's znodes. Returns false if there was no room for them. Every commit reports its outcome later.
    [[nodiscard]] bool write(std::size_t bytes, std::size_t owned) {
        written_ += bytes;
        return bytes == 0 || owned + reserved_ + written_ <= k_most_owned;
    }
    // The commit did not write. A commit of an older epoch is no longer counted.
    void take_back(std::size_t bytes) { written_ -= std::min(written_, bytes); }

private:
    std::size_t reserved_ = 0;
    std::size_t written_ = 0;
    std::uint64_t epoch_ = 0;
};

}  // namespace turnstile::detail
