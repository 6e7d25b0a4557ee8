// SPDX-License-Identifier: Apache-2.0
// session_room: counts the bytes that a session owns at the servers, and refuses more than the limit.
//
// When a session ends, the servers put all znodes of the session into one transaction, and they cannot read back a
// transaction that is too long (docs/reference/failures.md, F38). The core counts the znodes of contenders. This class
// counts the rest: the room that calls have reserved before they reach the core, and the ephemeral znodes of commits.
// It counts only commits of this epoch (the life of one session), also commits whose outcome is unknown.
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
    // Far below the servers' limit for a transaction, 1 MiB by default. The limit is so low because the watches of the
    // session's waiters must fit into one packet, too (core::watch_limits).
    static constexpr std::size_t k_most_owned = std::size_t{128} * 1024;

    // Starts again at zero for a new session at the servers (epoch), which owns no znodes of earlier commits.
    void enter_epoch(std::uint64_t epoch) {
        if (std::exchange(epoch_, epoch) != epoch) written_ = 0;
    }
    // Reserves room for `bytes` bytes of znodes. Returns false if the session would then own more than k_most_owned
    // bytes. `owned`: the bytes of the contenders' znodes, which the core counts.
    [[nodiscard]] bool reserve(std::size_t bytes, std::size_t owned) {
        if (owned + reserved_ + written_ + bytes > k_most_owned) return false;
        reserved_ += bytes;
        return true;
    }
    // Called when the core begins to count the bytes that were reserved.
    void hand_over(std::size_t bytes) {
        TURNSTILE_CHECK(reserved_ >= bytes);
        reserved_ -= bytes;
    }
    // Counts `bytes` bytes: the ephemeral znodes that a commit creates. Returns false, and counts nothing, if the
    // session would then own more than k_most_owned bytes.
    [[nodiscard]] bool write(std::size_t bytes, std::size_t owned) {
        if (bytes != 0 && owned + reserved_ + written_ + bytes > k_most_owned) return false;
        written_ += bytes;
        return true;
    }
    // Called if a commit certainly wrote nothing: subtracts the commit's bytes from the count. If the same step of the
    // core has begun the next session (epoch), the count started again at zero, and may be smaller than `bytes`.
    void take_back(std::size_t bytes) { written_ -= std::min(written_, bytes); }

private:
    std::size_t reserved_ = 0;
    std::size_t written_ = 0;
    std::uint64_t epoch_ = 0;
};

}  // namespace turnstile::detail
