// SPDX-License-Identifier: Apache-2.0
// session_call: a call as its session sees it: what the session tells of an acquisition. session_hold is the one kind.
//
// Thread safety: all members from any thread, but for those that are called under the session's lock.
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
    // Records news, which came on `connection`; called in order, under the session's lock. Returns true if a caller
    // waits for it: the session then calls `wake` under no lock that the caller needs.
    [[nodiscard]] virtual bool tell(const core::notice& news,
                                    const std::shared_ptr<lease_view>& lease,
                                    std::uint64_t connection) = 0;
    // Tells that others queue behind it; under no lock, instead of `tell`.
    virtual void tell_contended() const = 0;
    // Triggers `lost()`, and what is lost with this hold, elsewhere: callbacks are user code. False: the client has
    // closed, and there is no thread for it any more.
    virtual bool post_trigger() = 0;
    using call::wake;

    // ---- under the session's lock ----------------------------------------------------------
    // The first call with others ahead of this hold answers true, each later one false.
    [[nodiscard]] bool begins_to_wait() noexcept { return !std::exchange(waited_, true); }
    // The first call, when the hold's first znode is created, answers true, each later call false.
    [[nodiscard]] bool enters_first() noexcept { return !std::exchange(entered_, true); }
    [[nodiscard]] bool has_entered() const noexcept { return entered_; }

protected:
    using call::call;

private:
    bool waited_ = false;
    bool entered_ = false;
};

}  // namespace turnstile::detail
