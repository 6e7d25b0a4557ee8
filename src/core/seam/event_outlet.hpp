// SPDX-License-Identifier: Apache-2.0
// event_outlet: passes the events of a session to the session's user, until the user closes the session.
//
// Thread safety: any thread may call any member.
#pragma once

#include <atomic>
#include <utility>

#include "core/seam/coordinator.hpp"

namespace turnstile::core {

class event_outlet {
public:
    explicit event_outlet(session_sink& sink) : sink_{sink} {}

    void deliver(coordinator_event&& event) noexcept {
        if (!is_closed()) sink_.deliver(std::move(event));
    }
    // If `orderly` is true, the session also ends at the server. Otherwise the server lets the session expire.
    void close(bool orderly) noexcept { state_ = orderly ? state::orderly : state::abandoned; }
    [[nodiscard]] bool is_closed() const noexcept { return state_ != state::open; }
    [[nodiscard]] bool is_orderly() const noexcept { return state_ == state::orderly; }

private:
    enum class state { open, orderly, abandoned };

    session_sink& sink_;
    std::atomic<state> state_{state::open};
};

}  // namespace turnstile::core
