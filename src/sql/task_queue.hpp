// SPDX-License-Identifier: Apache-2.0
// task_queue: the requests and the removals of watches that wait for the session's thread.
//
// Thread safety: all members from any thread.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/mutex.hpp"
#include "core/seam/seam.hpp"
#include "local/chroot.hpp"
#include "sql/executing_batch.hpp"
#include "sql/request_batch.hpp"
#include "support/wake_up.hpp"

namespace turnstile::sql {

struct forgotten {
    std::string path;
};
// Requests, or removals of watches, that share a transaction.
using task_batch = std::variant<std::vector<submitted_request>, std::vector<forgotten>>;

class task_queue {
public:
    // `longest_path`: the length of the longest path that the database can store, in bytes.
    task_queue(local::chroot root, std::size_t longest_path)
        : root_{std::move(root)}, longest_path_{longest_path} {}

    // `with_next`: the caller submits another request at once, which will wake the thread.
    void submit(core::request&& request, bool with_next) EXCLUDES(mutex_);
    void forget_watches(const std::string& path) EXCLUDES(mutex_);
    // Takes the requests that the next transaction executes. `most`: the largest weight of these requests (their number
    // of operations, request_batch.hpp).
    [[nodiscard]] std::optional<task_batch> take(std::size_t most) EXCLUDES(mutex_);

    // Makes the descriptor fd() readable for ever, so that a thread that waits for tasks notices the session's end.
    void close() noexcept EXCLUDES(mutex_);
    // Returns a descriptor that is readable when there may be a task, and after close().
    [[nodiscard]] int fd() const noexcept { return changed_.fd(); }

private:
    using task = std::variant<submitted_request, forgotten>;

    [[nodiscard]] bool overtakes(const core::operation& op) const REQUIRES(mutex_);
    [[nodiscard]] std::vector<submitted_request> take_asked(std::size_t most) REQUIRES(mutex_);
    [[nodiscard]] std::vector<forgotten> take_forgotten(std::size_t most) REQUIRES(mutex_);

    const local::chroot root_;
    const std::size_t longest_path_;
    support::wake_up changed_;
    base::mutex mutex_;
    bool closed_ GUARDED_BY(mutex_) = false;
    std::deque<task> tasks_ GUARDED_BY(mutex_);
    std::deque<submitted_request> confirmations_ GUARDED_BY(mutex_);  // sent before the tasks
};

}  // namespace turnstile::sql
