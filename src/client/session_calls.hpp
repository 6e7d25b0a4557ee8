// SPDX-License-Identifier: Apache-2.0
// session_calls: the calls of a session whose contenders are not gone. Each call gets the news of its contender.
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
    calls contended;  // other contenders queue behind these

    // Called under no lock: a caller that wakes takes the session's lock as its next step. The workers get each call
    // with user code, which may own the client. The client's destructor joins the timer's or the back end's thread,
    // which may be this thread.
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
    // Passes news that arrived on `connection`. Does nothing if the contender is gone.
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
