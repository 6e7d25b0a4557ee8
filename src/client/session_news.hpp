// SPDX-License-Identifier: Apache-2.0
// session_news: what a step of a session's core has for the holds, collected under the session's lock and told when it
// is free again.
//
// Thread safety: a value; one thread at a time.
#pragma once

#include <memory>
#include <vector>

#include "client/session_call.hpp"

namespace turnstile::detail {

struct session_news {
    using holds = std::vector<std::shared_ptr<session_call>>;

    holds lost;       // `lost()` is to be triggered
    holds woken;      // whose last user this may be
    holds contended;  // to be told that others queue

    void swap(session_news& other) noexcept {
        lost.swap(other.lost);
        woken.swap(other.woken);
        contended.swap(other.contended);
    }

    // The callbacks run off the callback queue, where one under way may watch the token, and side by side, as one may
    // wait for another. Called under the lock: the session refers to the holds, too, so none ends here.
    void trigger_loss_callbacks() {
        for (const auto& hold : lost) hold->post_trigger();
        lost.clear();
    }

    // Under no lock: a caller that wakes asks for it as its next step. `keep` is given each hold with code of the user's:
    // it may own the client, whose end joins the very thread that this may be, the timer's or one of the back end's.
    template <class Keep>
    void tell(const Keep& keep) {
        for (const auto& hold : contended) hold->tell_contended();
        for (const auto& hold : woken) hold->wake();
        for (auto& hold : woken)
            if (hold->carries_user_code()) keep(std::move(hold));
    }
};

}  // namespace turnstile::detail
