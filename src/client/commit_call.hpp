// SPDX-License-Identifier: Apache-2.0
// commit_call: one guarded write of a caller, from the request to the result.
//
// The caller waits, or has a handler. The handler runs where the hold's callbacks run.
//
//     open_commits   the guarded writes of a session that have no outcome yet
//
// Thread safety: all members from any thread. Lock order: the session's lock, then this lock, then the queues' locks.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/mutex.hpp"
#include "client/caller_help.hpp"
#include "client/client_services.hpp"
#include "client/hold.hpp"
#include "client/session_parts.hpp"
#include "core/session/session_messages.hpp"
#include "turnstile/error.hpp"
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

// The guarded writes of a session that have no outcome yet. Reserves room for their ephemeral znodes.
//
// Thread safety: a value under the session's lock.
class open_commits {
public:
    // `room` must outlive this object.
    explicit open_commits(session_room& room) : room_{room} {}

    // Adds a commit, and reserves room for its znodes. Returns an error, and reserves nothing, if the room is too
    // small. `owned`: the bytes of the contenders' znodes, which the core counts.
    [[nodiscard]] std::optional<error> add(core::commit_id id,
                                           const std::shared_ptr<commit_call>& caller,
                                           std::size_t owned) {
        const auto bytes = caller->ephemeral_bytes();
        if (!room_.write(bytes, owned))
            return error{
                errc::too_many,
                fmt::format("the commit would add {} bytes of paths of ephemeral znodes, and the "
                            "session can safely own {} bytes in all",
                            bytes, session_room::k_most_owned)};
        callers_.emplace(id, caller);
        return std::nullopt;
    }
    // Passes the outcome to the caller. Frees the reserved room if the commit certainly wrote nothing.
    void answer(core::commit_answer& message, const client_services& services) {
        const auto found = callers_.extract(message.id);
        if (!found) return;
        const auto& caller = found.mapped();
        const auto* const why = std::get_if<error>(&message.outcome);
        if (why != nullptr && *why != errc::outcome_unknown)
            room_.take_back(caller->ephemeral_bytes());
        caller->answer(std::move(message.outcome), services);
    }

private:
    session_room& room_;
    std::map<core::commit_id, std::shared_ptr<commit_call>> callers_;
};

}  // namespace turnstile::detail
