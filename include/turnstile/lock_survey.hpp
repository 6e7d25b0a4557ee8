// SPDX-License-Identifier: Apache-2.0
// lock_survey: finds all locks below a path, of every kind, with their holders and waiters.
//
// Use it in tools and pages for operators.
//
//     const auto survey = turnstile::locks_below(servers, "/locks").value();
//     for (const auto& lock : survey.locks)
//         print(lock.path, to_string(lock.kind), lock.holders.size(), lock.contenders);
//
// A lock is a znode that has contenders as children. A free lock looks like any other znode, so the survey does not
// find it. Contenders of different kinds at one path are different locks. The survey also finds locks of other
// libraries:
//
// | kind         | locks whose contenders have this kind                                                       |
// |--------------|---------------------------------------------------------------------------------------------|
// | mutex        | mutex, recursive_mutex, job_gate, leader; Curator's InterProcessMutex; Go's Lock            |
// | latch        | leader with `latch`; Curator's LeaderLatch                                                  |
// | shared_mutex | shared_mutex; Curator's InterProcessReadWriteLock                                           |
// | semaphore    | semaphore; Curator's InterProcessSemaphoreV2, in its folder `leases`                        |
// | kazoo        | kazoo's Lock, ReadLock and WriteLock, which share no queue with the other kinds             |
//
// The survey only reads, and sets no watch. It reads the locks one after the other. So the result for each lock was
// true at some instant during the call, and these instants differ.
//
// Thread safety: any thread may call these functions. They block; each wait is a Boost interruption point.
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

// The kind of a lock, see the table at the top of this file.
enum class lock_kind { mutex, latch, shared_mutex, semaphore, kazoo };

// Returns the name of the kind, like "shared_mutex".
[[nodiscard]] TURNSTILE_EXPORT const char* to_string(lock_kind kind) noexcept;

// A lock with its contenders.
struct surveyed_lock {
    std::string path;                   // path of the lock
    lock_kind kind = lock_kind::mutex;  // kind of the lock
    std::size_t contenders = 0;         // number of all contenders, holders and waiters
    // The holders and the waiters that were read, in the order of arrival. If the number of permits of a semaphore has
    // shrunk, `holders` has only contenders whose permits fit into the new number.
    std::vector<contender> holders;
    std::vector<contender> waiters;
    // The number of permits of a semaphore, if that number is known.
    std::optional<std::int32_t> permits{};
};

// The result of a survey.
struct lock_survey {
    std::vector<surveyed_lock> locks;     // sorted by path
    std::vector<std::string> unreadable;  // folders that an ACL forbids to read, sorted by path
};

// The options of a survey.
struct survey_options {
    wait_limit timeout{};    // for the whole call; default: the session timeout for each request
    std::stop_token stop{};  // ends the call with `cancelled`
    // The number of contenders of each lock that the survey reads, from the head of the queue. Each of these contenders
    // costs one request. The survey only counts the contenders behind them.
    std::size_t most_read = std::numeric_limits<std::size_t>::max();
};

// Returns the locks at `folder` and below it. "/" means all paths except "/zookeeper", which belongs to the servers. If
// an ACL forbids the client to read a contender's znode, the result has only the contender's name. Errors: `bad_path`;
// `too_many` (more than 100,000 folders); `timeout`, `not_connected`, `cancelled`, `interrupted`, `closed`, `forked`,
// `auth_failed`, `protocol`.
[[nodiscard]] TURNSTILE_EXPORT result<lock_survey> locks_below(const client& servers,
                                                               std::string_view folder,
                                                               const survey_options& options = {});

// Returns the locks at exactly the path `path`. Errors: the errors of locks_below(), and `no_permission`.
[[nodiscard]] TURNSTILE_EXPORT result<std::vector<surveyed_lock>> locks_at(
    const client& servers, std::string_view path, const survey_options& options = {});

// Returns the locks below `folder`, with a timeout or a deadline in place of options.
template <waiting_time W>
[[nodiscard]] result<lock_survey> locks_below(const client& servers, std::string_view folder,
                                              const W& limit) {
    return locks_below(servers, folder, {.timeout = limit});
}
// Returns the locks at `path`, with a timeout or a deadline in place of options: locks_at(servers, path, 2s).
template <waiting_time W>
[[nodiscard]] result<std::vector<surveyed_lock>> locks_at(const client& servers,
                                                          std::string_view path, const W& limit) {
    return locks_at(servers, path, {.timeout = limit});
}

}  // namespace turnstile
