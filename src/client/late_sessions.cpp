// SPDX-License-Identifier: Apache-2.0
#include "client/late_sessions.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/log.hpp"

namespace turnstile::detail {

error no_more_connections(std::size_t attached) {
    return {errc::too_many,
            fmt::format("the servers accept no further session of this client (connected: {}). "
                        "They may allow no more connections from this address (maxClientCnxns, 60 "
                        "by default). Raise maxClientCnxns, or set max_sessions to {}",
                        attached, attached)};
}

void late_sessions::on_timer() {
    const auto all = all_();
    const auto attached =
        static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const auto& session) {
            return session->state() == session_state::connected;
        }));
    const auto late_since = boottime_clock::now() - patience_;
    bool look_again = false;
    const auto expected_since = [](const session_runner& session, auto then) {
        return session.state() == session_state::connecting &&
               session.attach().is_expected_since(then);
    };
    for (const auto& session : all) {
        const bool late = attached != 0 && expected_since(*session, late_since);
        if (late) {
            const auto why = no_more_connections(attached);
            if (!told_.exchange(true)) log::write(log_level::warning, "{}", why.message());
            session->refuse_waiters(why);
        } else {
            look_again |= expected_since(*session, boottime_clock::time_point::max());
        }
    }
    if (look_again) expect();
}

}  // namespace turnstile::detail
