// SPDX-License-Identifier: Apache-2.0
// session_calls: the calls for locks whose contenders are in one session. It keeps each call until the call's contender
// has ended, and passes the contender's events to the call.
//
//     session_call   one of these calls, as the session sees it
//     session_news   the calls that a step of the session's core affects; they are notified under no lock
//
// Thread safety: session_calls is a value under the session's lock; session_news is a value of one thread.
// session_call: all members from any thread, except members that need the session's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <boost/container/flat_map.hpp>

#include "client/call.hpp"
#include "client/client_services.hpp"
#include "client/session_parts.hpp"
#include "client/worker_pool.hpp"
#include "core/contender/notice.hpp"

namespace turnstile::detail {

// The interface by which a session reports the events of a contender to the contender's call. session_hold implements
// it.
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

struct session_news {
    using calls = std::vector<std::shared_ptr<session_call>>;

    calls woken;      // perhaps the last references to these calls
    calls contended;  // other contenders queue behind the contenders of these calls

    // Notifies the calls. Called under no lock, because a caller that wakes takes the session's lock as its next step.
    // If a call contains user code, a worker destroys the call, because the user code may own the client. The client's
    // destructor joins the threads of the timer and of the back end, and the thread that runs tell() may be one of
    // these threads.
    void tell(worker_pool& workers) {
        for (const auto& call : contended) call->tell_contended();
        for (const auto& call : woken) call->wake();
        for (auto& call : woken)
            if (call->carries_user_code()) workers.post([last = std::move(call)] {});
    }
};

class session_calls {
public:
    void add(core::contender_id id, const std::shared_ptr<session_call>& call) {
        calls_.emplace(id, call);
    }
    [[nodiscard]] std::vector<core::contender_id> ids() const;
    // Passes an event of a contender to the contender's call. `connection`: the number of the connection on which the
    // event arrived. Does nothing if the contender has no call any more.
    void tell(const core::notice& news, const std::shared_ptr<lease_view>& lease,
              std::uint64_t connection, contender_counts& counts);
    // Triggers `lost()` of the lost calls. Returns the calls to notify after the session's lock is released.
    [[nodiscard]] session_news take_news();

private:
    boost::container::flat_map<core::contender_id, std::shared_ptr<session_call>> calls_;
    std::vector<std::shared_ptr<session_call>> lost_;  // since the last take_news()
    session_news news_;
};

}  // namespace turnstile::detail
