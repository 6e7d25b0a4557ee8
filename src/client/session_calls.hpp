// SPDX-License-Identifier: Apache-2.0
// session_calls: the calls for locks whose contenders are in one session. It keeps each call until the call's contender
// has ended, and passes the contender's events to the call.
//
//     session_news   the calls that a step of the session's core affects; they are notified under no lock
//
// Thread safety: session_calls is a value under the session's lock; session_news is a value of one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <boost/container/flat_map.hpp>

#include "client/client_services.hpp"
#include "client/lease_view.hpp"
#include "client/session_call.hpp"
#include "client/worker_pool.hpp"
#include "core/contender/notice.hpp"

namespace turnstile::detail {

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
