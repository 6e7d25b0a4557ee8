// SPDX-License-Identifier: Apache-2.0
// session_room: what one session may own, in bytes, as a value.
//
// The servers put all that a session owns into one transaction when it ends, and one that is too long cannot be read
// back (F38). The core counts what it has; here are the calls that are about to acquire, which have reserved their
// room, and the ephemeral znodes that commits made in this epoch, or may have made.
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
    // Half of the 256 KiB that are safe, since a waiter may have watches on two paths for each that it owns.
    static constexpr std::size_t k_most_owned = std::size_t{128} * 1024;

    // A new epoch owns nothing that commits of an older one made.
    void enter_epoch(std::uint64_t epoch) {
        if (std::exchange(epoch_, epoch) != epoch) written_ = 0;
    }
    // False if there is no room for so much beside what the core has.
    [[nodiscard]] bool reserve(std::size_t bytes, std::size_t owned) {
        if (owned + reserved_ + written_ + bytes > k_most_owned) return false;
        reserved_ += bytes;
        return true;
    }
    // The core counts it from now on.
    void hand_over(std::size_t bytes) {
        TURNSTILE_CHECK(reserved_ >= bytes);
        reserved_ -= bytes;
    }
    // By a commit, which is told in any case how it ended. False: there was no room for it.
    [[nodiscard]] bool write(std::size_t bytes, std::size_t owned) {
        written_ += bytes;
        return bytes == 0 || owned + reserved_ + written_ <= k_most_owned;
    }
    // It was not written. A commit of an older epoch is not counted any more.
    void take_back(std::size_t bytes) { written_ -= std::min(written_, bytes); }

private:
    std::size_t reserved_ = 0;
    std::size_t written_ = 0;
    std::uint64_t epoch_ = 0;
};

}  // namespace turnstile::detail
