// SPDX-License-Identifier: Apache-2.0
// request_times: decides when a session sends its own requests, which keep the session alive, fetch events and remove
// empty container znodes.
//
// Thread safety: none. The session's lock guards the object.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>

#include "core/seam/seam.hpp"

namespace turnstile::redis {

class request_times {
public:
    // `container_interval`: the time between the session's checks for empty containers.
    request_times(core::duration session_timeout, core::duration container_interval)
        : keep_alive_{session_timeout / k_keep_alive_part},
          silence_{std::max<core::duration>(session_timeout * k_silent_thirds / 3,
                                            std::chrono::milliseconds{100})},
          container_interval_{container_interval} {}

    void attached(core::time_point now) noexcept {
        sent(now);
        check_at_ = now + container_interval_;
    }
    // Call this after each request. Its reply brings all queued events, so no separate fetch is necessary.
    void sent(core::time_point now) noexcept {
        sent_ = now;
        fetch_by_ = core::time_point::max();
    }
    // Call this when the server has announced an event. Plans a fetch, because the server may have further events.
    void event_came(core::time_point now) noexcept { fetch_by_ = now + k_fetch_pause; }

    [[nodiscard]] bool is_poll_due(core::time_point now) const noexcept {
        return now >= fetch_by_ || now >= sent_ + keep_alive_;
    }
    // Returns true if the session must check for empty containers now, and schedules the next check.
    [[nodiscard]] bool take_check(core::time_point now) noexcept {
        if (now < check_at_) return false;
        check_at_ = now + container_interval_;
        return true;
    }
    // The argument of the script that removes containers: how long a container must be empty before its removal.
    [[nodiscard]] std::string check_span() const {
        return std::to_string(
            std::chrono::ceil<std::chrono::microseconds>(container_interval_).count());
    }
    // True if a request that was sent at `sent` has waited too long for a reply.
    [[nodiscard]] bool is_silent(core::time_point sent, core::time_point now) const noexcept {
        return now - sent > silence_;
    }
    [[nodiscard]] core::time_point next() const noexcept {
        return std::min({sent_ + keep_alive_, check_at_, fetch_by_});
    }

private:
    static constexpr int k_keep_alive_part = 3;  // ZooKeeper's clients use the same part
    // A server that sends no reply for this number of thirds of the session timeout counts as silent.
    static constexpr int k_silent_thirds = 2;
    // The pause between the announcement of an event and the fetch of further events. If the session sends a request
    // during the pause, the reply brings these events, and no fetch is needed.
    static constexpr core::duration k_fetch_pause = std::chrono::milliseconds{5};

    const core::duration keep_alive_;
    const core::duration silence_;
    const core::duration container_interval_;
    core::time_point sent_{};
    core::time_point check_at_{};
    // The latest time for fetching the events that may follow an announced event; max: there is nothing to fetch.
    core::time_point fetch_by_ = core::time_point::max();
};

}  // namespace turnstile::redis
