// SPDX-License-Identifier: Apache-2.0
// session_call: the interface by which a session reports the events of a contender to the contender's call.
// session_hold implements it.
//
// Thread safety: all members from any thread, except members that need the session's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "client/call.hpp"
#include "client/lease_view.hpp"
#include "core/contender/notice.hpp"

namespace turnstile::detail {

class session_call : public call {
public:
    // Records an event of the contender. `connection`: the number of the connection on which the event arrived. Called
    // in the order of the events, under the session's lock. Returns true if a caller may be blocked in a wait for this
    // event. Then the session must call `wake` under no lock that the caller needs.
    [[nodiscard]] virtual bool tell(const core::notice& news,
                                    const std::shared_ptr<lease_view>& lease,
                                    std::uint64_t connection) = 0;
    // Reports that another contender queues behind this call's contender. Called under no lock, instead of `tell`.
    virtual void tell_contended() const = 0;
    // Makes another thread trigger `lost()`, because stop callbacks are user code. That thread also ends the hold that
    // is tied to this hold (session_hold_ties.cpp). Returns false if the client has closed, and so has no such thread.
    virtual bool post_trigger() = 0;
    using call::wake;

    // ---- called under the session's lock ---------------------------------------------------
    // Called when another contender is ahead of this call's contender. Returns true only the first time.
    [[nodiscard]] bool begins_to_wait() noexcept { return !std::exchange(waited_, true); }
    // Called when a znode of this call's contender was created. Returns true only the first time.
    [[nodiscard]] bool enters_first() noexcept { return !std::exchange(entered_, true); }
    [[nodiscard]] bool has_entered() const noexcept { return entered_; }

protected:
    using call::call;

private:
    bool waited_ = false;
    bool entered_ = false;
};

}  // namespace turnstile::detail
