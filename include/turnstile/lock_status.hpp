// SPDX-License-Identifier: Apache-2.0
// lock_status: the holder of a lock and its waiters, as any client can ask without holding it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "turnstile/export.hpp"
#include "turnstile/fencing_token.hpp"

namespace turnstile {

// A contender's claims about itself, in its znode. parse() empties what this library would not have written; of other
// libraries only `text` is set. Text may hold any bytes: escape it before a terminal or a page shows it.
struct contender_metadata {
    std::string text{};      // as it stands there, its first 16 KiB
    std::string resource{};  // the lock's path; at most 4,096 bytes
    std::string host{};      // at most 255 bytes, none of them a blank or a control character
    std::string pid{};       // a number from 1 to 2^31 - 1
    std::string thread{};    // the same
    std::string label{};     // at most 1,024 bytes
    std::string owner{};     // as deadlock_detector sees it, see acquire_options; at most 256 bytes
    std::string timeout{};   // of its session, as it asked for: milliseconds, from 1 to an hour
    std::string since{};     // UTC, ISO 8601 to the second, by the contender's clock
    std::string recipe{};    // "job_gate"; empty for all others. At most 32 bytes, a to z and _

    // "host=web1 pid=12 thread=12 label=orders since=2026-11-21T04:38:36Z resource=/locks/orders"
    [[nodiscard]] TURNSTILE_EXPORT std::string to_string() const;
    [[nodiscard]] TURNSTILE_EXPORT static contender_metadata parse(std::string_view text);
};

// What stands in `owner` for the blocking acquisitions of the calling thread, if they name no other:
// 16 hexadecimal digits that no other thread of any process has.
[[nodiscard]] TURNSTILE_EXPORT std::string thread_owner();

// What a contender is there for.
enum class contender_kind {
    mutex,
    latch,       // Curator's LeaderLatch
    reader,      // shared_mutex: with other readers
    writer,      //               alone
    upgradable,  //               with readers, and may become a writer
    upgrade,     //               an upgradable hold that becomes, or is, a writer's
    permit,      // semaphore
};

// "reader"
[[nodiscard]] TURNSTILE_EXPORT const char* to_string(contender_kind kind) noexcept;

struct contender {
    std::size_t position = 0;  // 0 holds (a mutex), 1 is next
    contender_kind kind = contender_kind::mutex;
    std::int32_t permits = 1;  // permit: so many at once
    std::string name{};        // of the znode
    std::int32_t sequence = 0;
    turnstile::fencing_token
        token;  // of its creation; but for a shared_mutex, what its grant carries
    std::int64_t session_id = 0;
    std::chrono::system_clock::time_point created{};  // by the leader's clock
    contender_metadata metadata{};
};

}  // namespace turnstile
