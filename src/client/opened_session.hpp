// SPDX-License-Identifier: Apache-2.0
// opened_session: a session that the coordinator has opened, and the sink for its events.
//
//     session_opening   the epoch of the session that is being opened, if there is one
//
// Thread safety: values under the session's lock; `session_opening::is_for` from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "core/seam/coordinator.hpp"
#include "core/session/session_messages.hpp"
#include "turnstile/error.hpp"

namespace turnstile::detail {

struct opened_session {
    std::shared_ptr<core::session_sink> sink;           // must outlive the handle, which calls it
    std::shared_ptr<core::coordinator_session> handle;  // callers that help the session share it

    // Closes the session, if there is one. May block for seconds.
    void close(core::close_session::how manner) noexcept {
        if (!handle) return;
        if (manner == core::close_session::how::orderly) {
            handle->close();
        } else {
            handle->abandon();
        }
        handle.reset();
    }
};

class session_opening {
public:
    // True while the coordinator opens the session of this epoch. The session's first events may come before it
    // returns.
    [[nodiscard]] bool is_for(std::uint64_t epoch) const noexcept { return epoch_ == epoch; }
    void begin(std::uint64_t epoch) noexcept { epoch_ = epoch; }
    // Called when the coordinator has returned a session or thrown.
    void end() noexcept { epoch_ = k_none; }

private:
    static constexpr std::uint64_t k_none = 0;  // the first epoch is 1

    std::atomic<std::uint64_t> epoch_{k_none};
};

}  // namespace turnstile::detail
