// SPDX-License-Identifier: Apache-2.0
// commit_call: one guarded write of a caller, with its result once the core has answered.
//
// Thread safety: a value under the session's lock. A caller waits, and a handler runs, after that lock is released.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "client/hold.hpp"
#include "core/session/session_messages.hpp"
#include "turnstile/result.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile::detail {

class commit_call {
public:
    // `chroot`: the number of bytes that the chroot adds to each path of the caller.
    commit_call(const transaction& writes, std::size_t chroot);

    // Returns the bytes that the written ephemeral znodes take in the transaction that closes the session.
    [[nodiscard]] std::size_t ephemeral_bytes() const noexcept { return ephemeral_bytes_; }
    // Converts the core's outcome into the caller's result.
    [[nodiscard]] result<commit_result> told(core::commit_outcome&& outcome) const;

    commit_audience listeners;  // without a handler the caller waits in this thread
    std::optional<std::stop_callback<std::function<void()>>> stop;
    std::optional<result<commit_result>> outcome;
    base::condition arrived;

private:
    std::vector<std::string>
        requested_paths_;  // for each part the path that it creates, else empty
    std::size_t ephemeral_bytes_ = 0;
};

}  // namespace turnstile::detail
