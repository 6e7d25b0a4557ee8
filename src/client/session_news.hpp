// SPDX-License-Identifier: Apache-2.0
// session_news: the holds that one step of a session's core affects. The step collects these holds under the session's
// lock, and notifies them after it has released the lock.
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <memory>
#include <vector>

#include "client/session_call.hpp"

namespace turnstile::detail {

struct session_news {
    using holds = std::vector<std::shared_ptr<session_call>>;

    holds lost;       // must trigger `lost()`
    holds woken;      // must be woken; perhaps the last references
    holds contended;  // other contenders queue behind them

    // The stop callbacks do not run on the callback queue, where a running callback may watch the token. They run in
    // parallel, because one may wait for another. Called under the lock: the session also owns the holds, so no hold is
    // destroyed here.
    void trigger_loss_callbacks() {
        for (const auto& hold : lost) hold->post_trigger();
        lost.clear();
    }

    // Notifies the holds. Called under no lock, because a caller that wakes takes the session's lock as its next step.
    // `keep` gets each hold with user code, so that it is destroyed elsewhere: the user code may own the client, and
    // the client's destructor waits for the timer's or the back end's thread, which may be this thread.
    template <class Keep>
    void tell(const Keep& keep) {
        for (const auto& hold : contended) hold->tell_contended();
        for (const auto& hold : woken) hold->wake();
        for (auto& hold : woken)
            if (hold->carries_user_code()) keep(std::move(hold));
    }
};

}  // namespace turnstile::detail
