// SPDX-License-Identifier: Apache-2.0
// silence_watch: when a connection on which nothing is answered is left for another one, long before the session itself
// could end. docs/why/silence.md says why that endangers no lease, and why no storm of reconnects comes of it.
//
// | what happens                                   | when the connection is left                            |
// |------------------------------------------------|--------------------------------------------------------|
// | requests are under way, and no answer comes    | after the connection time-out; or after so many of the |
// |                                                | longest round trips seen lately, if that is longer     |
// | it was left for that, and the next is silent   | after twice the time of the one before                 |
// | in any case                                    | after two thirds of the session time-out: servers'     |
// |                                                | clients leave by themselves then                       |
//
// A value. Thread safety: none.
#pragma once

#include <algorithm>
#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::core {

class silence_watch {
public:
    // Round trips: a server that answers slowly is not silent.
    static constexpr int k_trips = 8;
    // One answer takes this part away of what an earlier, longer one showed.
    static constexpr int k_forgetting = 16;

    silence_watch() = default;
    // Zero: no connection is left.
    explicit silence_watch(duration connection_timeout) : timeout_{connection_timeout} {}

    void attached() {
        waiting_since_.reset();
        left_ = false;
    }
    void sent(time_point now) {
        if (!waiting_since_) waiting_since_ = now;
    }
    // `more`: others are under way on this connection.
    void answered(time_point sent, time_point now, bool more) {
        longest_trip_ = std::max(now - sent, longest_trip_ - longest_trip_ / k_forgetting);
        doublings_ = 0;
        waiting_since_ = more ? std::optional{now} : std::nullopt;
    }
    // Nothing: nothing is under way, or it has been left already.
    [[nodiscard]] std::optional<time_point> due(duration session_timeout) const {
        if (!waiting_since_ || left_ || timeout_ == duration{}) return std::nullopt;
        return *waiting_since_ + limit(session_timeout);
    }
    // The next silent one is given twice the time.
    void leave() {
        left_ = true;
        doublings_ = std::min(doublings_ + 1, k_most_doublings);
    }

    friend bool operator==(const silence_watch&, const silence_watch&) = default;

private:
    static constexpr int k_most_doublings = 16;

    [[nodiscard]] duration limit(duration session_timeout) const {
        const auto most = session_timeout * 2 / 3;
        const auto least = std::min(most, std::max(timeout_, k_trips * longest_trip_));
        return std::min(most, least * (1 << doublings_));
    }

    duration timeout_{};
    duration longest_trip_{};
    std::optional<time_point> waiting_since_{};  // on this connection, without an answer
    bool left_ = false;
    int doublings_ = 0;
};

}  // namespace turnstile::core
