// SPDX-License-Identifier: Apache-2.0
// lock_status: the holders and the waiters of a lock. Any client can read them; it need not hold the lock.
//
// The queries queue(), holder() and holders() of the locks, and locks_below(), return contenders.
//
// Thread safety: values and pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "turnstile/export.hpp"
#include "turnstile/fencing_token.hpp"

namespace turnstile {

// The claims of a contender about itself, from its znode. Nothing verifies these claims. parse() leaves a field empty
// if this library would not have written its value. For a contender of another library parse() sets only `text`. `text`
// may contain any bytes: escape it before you show it on a terminal or a page.
struct contender_metadata {
    std::string text{};      // the data of the znode, its first 16 KiB
    std::string resource{};  // the lock's path; at most 4,096 bytes
    std::string host{};      // at most 255 bytes, without blanks and control characters
    std::string pid{};       // a number from 1 to 2^31 - 1
    std::string thread{};    // a number from 1 to 2^31 - 1
    std::string label{};     // at most 1,024 bytes
    std::string owner{};     // the owner, see acquire_options::owner; at most 256 bytes
    // The session timeout that the contender's client requested: milliseconds, from 1 to an hour.
    std::string timeout{};
    // Start of the call: UTC, ISO 8601 to the second, on the contender's clock.
    std::string since{};
    std::string recipe{};  // "job_gate"; empty for all others. At most 32 bytes, a to z and _

    // Returns a text like "host=web1 pid=12 thread=12 label=orders since=2026-11-21T04:38:36Z resource=/locks/orders".
    [[nodiscard]] TURNSTILE_EXPORT std::string to_string() const;
    // Reads `text`, the data of a contender's znode.
    [[nodiscard]] TURNSTILE_EXPORT static contender_metadata parse(std::string_view text);
};

// Returns the name of the owner that the library uses for blocking acquisitions of the calling thread, if the options
// name no owner (acquire_options::owner): 16 hexadecimal digits that no other thread of any process has.
[[nodiscard]] TURNSTILE_EXPORT std::string thread_owner();

// The kind of hold that a contender has or waits for.
enum class contender_kind {
    mutex,
    latch,       // Curator's LeaderLatch
    reader,      // shared_mutex: holds together with other readers
    writer,      // shared_mutex: holds alone
    upgradable,  // shared_mutex: holds together with readers, and may become a writer
    upgrade,     // shared_mutex: an upgradable hold that becomes, or is, a writer's
    permit,      // a semaphore's contender
};

// Returns the name of the kind, like "reader".
[[nodiscard]] TURNSTILE_EXPORT const char* to_string(contender_kind kind) noexcept;

// A contender of a lock: a holder or a waiter.
struct contender {
    std::size_t position = 0;  // number of contenders ahead; 0 is the holder of a mutex
    // Kind of the contender, from the name of its znode.
    contender_kind kind = contender_kind::mutex;
    std::int32_t permits = 1;  // number of permits that the contender requests
    std::string name{};        // name of the contender's znode
    // The number that the servers appended to the name. It is not a fencing token.
    std::int32_t sequence = 0;
    // The fencing token from the znode's creation. For a shared_mutex: the token of the contender's grant.
    turnstile::fencing_token token;
    // The servers' id of the session that owns the znode.
    std::int64_t session_id = 0;
    std::chrono::system_clock::time_point created{};  // on the servers' leader's clock
    contender_metadata metadata{};                    // data that the contender wrote about itself
};

}  // namespace turnstile
