// SPDX-License-Identifier: Apache-2.0
// lock_survey: all locks below a path, of every kind, for operators and for pages that show them.
//
//     const auto survey = turnstile::locks_below(servers, "/locks").value();
//     for (const auto& lock : survey.locks)
//         print(lock.path, to_string(lock.kind), lock.holders.size(), lock.contenders);
//
// A lock is a znode with contenders below it. One that is free is a znode like any other, and is not found. Contenders
// of different kinds at one path are different locks. Those of other libraries are found, too:
//
// | kind         | contenders of                                                                               |
// |--------------|---------------------------------------------------------------------------------------------|
// | mutex        | mutex, recursive_mutex, job_gate, leader; Curator's InterProcessMutex; Go's Lock     |
// | latch        | leader with `latch`; Curator's LeaderLatch                                                         |
// | shared_mutex | shared_mutex; Curator's InterProcessReadWriteLock                                           |
// | semaphore    | semaphore; Curator's InterProcessSemaphoreV2, in its folder `leases`                        |
// | kazoo        | kazoo's Lock, ReadLock and WriteLock as they are: apart from all others                     |
//
// Nothing is watched or written. The locks are read one after the other: what is said of different locks is of different
// instants, each between the call and its return.
//
// Thread safety: from any thread. Calls block; each wait is a Boost interruption point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/export.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

enum class lock_kind { mutex, latch, shared_mutex, semaphore, kazoo };

// "shared_mutex"
[[nodiscard]] TURNSTILE_EXPORT const char* to_string(lock_kind kind) noexcept;

struct surveyed_lock {
    std::string path;
    lock_kind kind = lock_kind::mutex;
    std::size_t contenders = 0;  // all of them, holders and waiters
    // In the order of arrival, as far as they were read. A semaphore that has shrunk: those that fit into it now.
    std::vector<contender> holders;
    std::vector<contender> waiters;
    // A semaphore's limit, where it is known.
    std::optional<std::int32_t> permits{};
};

struct lock_survey {
    std::vector<surveyed_lock> locks;     // by path
    std::vector<std::string> unreadable;  // folders that an ACL keeps from us, by path
};

struct survey_options {
    wait_limit timeout{};    // for the whole call; default: the session time-out for each request
    std::stop_token stop{};  // ends the call with `cancelled`
    // Of each lock so many contenders are read, first come first: each costs a request. The others are counted.
    std::size_t most_read = std::numeric_limits<std::size_t>::max();
};

// The locks at `folder` and below it; "/" for all but those of the servers' own ("/zookeeper"). A contender whose
// znode may not be read is there with its name alone. Errors: bad_path; too_many (more than 100,000 folders);
// timeout, not_connected, cancelled, interrupted, closed, forked, auth_failed, protocol.
[[nodiscard]] TURNSTILE_EXPORT result<lock_survey> locks_below(const client& servers,
                                                               std::string_view folder,
                                                               const survey_options& options = {});

// The locks at this very path. Errors: the same, and no_permission.
[[nodiscard]] TURNSTILE_EXPORT result<std::vector<surveyed_lock>> locks_at(
    const client& servers, std::string_view path, const survey_options& options = {});

}  // namespace turnstile
