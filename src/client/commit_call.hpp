// SPDX-License-Identifier: Apache-2.0
// commit_call: one guarded write of a caller, from the request to the result.
//
// The caller waits, or has a handler. The handler runs where the hold's callbacks run.
//
// Thread safety: all members from any thread. Lock order: the session's lock, then this lock, then the queues' locks.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "client/caller_help.hpp"
#include "client/client_services.hpp"
#include "client/hold.hpp"
#include "core/session/session_messages.hpp"
#include "turnstile/result.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile::detail {

class commit_call : public std::enable_shared_from_this<commit_call> {
public:
    // `chroot`: the bytes that the chroot adds to each of the caller's paths. Without a handler the caller waits.
    commit_call(const transaction& writes, std::size_t chroot, commit_audience&& listeners = {});

    // Returns how many bytes the created ephemeral znodes add to the transaction by which the servers close the
    // session.
    [[nodiscard]] std::size_t ephemeral_bytes() const noexcept { return ephemeral_bytes_; }
    // Calls `cancel` when a stop is requested, until the caller has the result. Called under no lock, before the commit
    // is sent: `cancel` may run at once, in this thread.
    void listen(const std::stop_token& stop, std::function<void()> cancel);
    // Passes the core's outcome to the caller. Called once; may be called under the session's lock.
    void answer(core::commit_outcome&& outcome, const client_services& services);
    // Blocks until answered. A Boost interruption point: returns false if the thread was interrupted.
    [[nodiscard]] bool await(caller_help help);
    // Returns the result of an answered commit. Called once, and under no lock, because take() waits for a running
    // `cancel`.
    [[nodiscard]] result<commit_result> take();

private:
    std::vector<std::string>
        requested_paths_;  // for each part the path that it creates, else empty
    std::size_t ephemeral_bytes_ = 0;
    const commit_audience listeners_;
    std::optional<std::stop_callback<std::function<void()>>> stop_;
    base::mutex mutex_;
    base::condition_variable answered_;
    std::optional<result<commit_result>> outcome_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
