// SPDX-License-Identifier: Apache-2.0
// connection_failures: when a session sends requests again that failed on a living connection (retry), and when it
// leaves a connection that does not answer (silence_watch).
//
// Thread safety: none, values.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "base/back_off.hpp"
#include "base/random.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

// retry: the time at which requests that failed on a living connection are sent again. Each connection has one `retry`
// object.
//
// After a link event the session sends all failed requests again. If no link event comes after a lost answer, a timer
// makes the session send them. A server that throttles discards requests, and reports that. Then the session sends all
// requests again together after a pause; the pauses grow while the server throttles.
class retry {
public:
    retry() = default;
    retry(duration first, duration longest) : pauses_{first, longest} {}

    [[nodiscard]] std::optional<time_point> due() const noexcept { return due_; }
    // True during a pause. The session pauses its requests when the server discards requests.
    [[nodiscard]] bool is_throttled() const noexcept { return pauses_.under_way(); }

    // Called when a request failed: all failed requests are sent again at `then`, or earlier.
    void later(time_point then) {
        if (!due_) due_ = then;
    }
    // Notes that the server discarded a request. Returns true for the first discarded request since the last pause;
    // then the caller must call pause().
    [[nodiscard]] bool note_throttled() noexcept { return !std::exchange(throttled_, true); }
    void pause(time_point now, base::random& chance) {
        const auto then = now + pauses_.draw(chance);
        due_ = std::min(then, due_.value_or(then));
    }
    void answered() noexcept {
        if (!throttled_) pauses_.reset();
    }
    // Returns true if failed requests must be sent again now. Then the caller sends all of them again.
    [[nodiscard]] bool begin_if_due(time_point now) {
        if (!due_ || *due_ > now) return false;
        due_.reset();
        throttled_ = false;
        return true;
    }

    friend bool operator==(const retry&, const retry&) = default;

private:
    std::optional<time_point> due_;
    base::back_off pauses_;   // runs while the server throttles
    bool throttled_ = false;  // since the last pause
};

// silence_watch: detects a connection that does not answer. Decides when the client then asks other servers for a
// leader (a *look*), and when the client may leave the connection. docs/why/silence.md argues that no lease is at risk,
// and that clients do not move back and forth.
//
// | event                                     | reaction                                                         |
// |-------------------------------------------|------------------------------------------------------------------|
// | requests in progress, but no answer       | a look, after limit(): the connection timeout, or a multiple of  |
// |                                           | the longest recent round trip. Further looks follow, each after  |
// |                                           | a longer pause than the look before                              |
// | a look finds a leader that answers        | the client may leave the connection if it is still silent        |
// | the connection was left                   | no look for a whole session timeout                              |
// | two thirds of the session timeout passed  | no look: the C client leaves the connection by itself            |
class silence_watch {
public:
    // A connection counts as silent only after this multiple of its longest recent round trip. So a server that only
    // answers slowly does not count as silent.
    static constexpr int k_trips = 8;
    // With each answer the remembered longest round trip shrinks by a sixteenth.
    static constexpr int k_forgetting = 16;
    // The connection timeout is at most a sixth of the session timeout.
    static constexpr int k_part = 6;

    silence_watch() = default;
    // `connection_timeout`: zero if the client shall never leave a silent connection.
    explicit silence_watch(duration connection_timeout) : timeout_{connection_timeout} {}

    // Counts the time from leaving a connection to the start of the next connection as a round trip.
    void attached(time_point now) {
        if (leaving_since_) longest_trip_ = std::max(longest_trip_, now - *leaving_since_);
        leaving_since_.reset();
        hear_nothing_yet();
    }
    void sent(time_point now) {
        if (!waiting_since_ && timeout_ != duration{}) waiting_since_ = now;
    }
    // Called when an answer arrives to a request that was sent at `sent`. `more`: true if other requests on this
    // connection have no answer yet.
    void answered(time_point sent, time_point now, bool more) {
        if (timeout_ == duration{}) return;
        longest_trip_ = std::max(now - sent, longest_trip_ - longest_trip_ / k_forgetting);
        hear_nothing_yet();
        if (more) waiting_since_ = now;
    }
    // Returns the time at which the client asks other servers for a leader again (a look); nothing if no request is in
    // progress, or if it is too late for a look.
    [[nodiscard]] std::optional<time_point> due(duration session_timeout) const {
        if (!waiting_since_ || looks_ == k_most_looks) return std::nullopt;
        const auto first = limit(session_timeout);
        const auto pause =
            std::min(first * (1 << looks_), std::max(first, session_timeout / k_part));
        const auto when =
            may_leave_from(looked_at_.value_or(*waiting_since_) + pause, session_timeout);
        if (when >= *waiting_since_ + session_timeout * 2 / 3) return std::nullopt;
        return when;
    }
    // The client asks other servers for a leader (a look). It may leave its silent connection only if the answer comes
    // within the returned time. A slower answer would raise limit() above the time for which the connection has been
    // silent.
    [[nodiscard]] duration longest_look(time_point now) const {
        return waiting_since_ ? (now - *waiting_since_) / k_trips : duration{};
    }
    void look(time_point now) {
        looked_at_ = now;
        ++looks_;
    }
    void found(time_point now) {
        if (looked_at_) longest_trip_ = std::max(longest_trip_, now - *looked_at_);
    }
    // True if the connection has been silent for longer than limit(), and has given no answer since the client last
    // asked other servers for a leader (a look).
    [[nodiscard]] bool may_leave(time_point now, duration session_timeout) const {
        return waiting_since_ && looked_at_ &&
               now >= may_leave_from(*waiting_since_ + limit(session_timeout), session_timeout);
    }
    void leave(time_point now) {
        left_at_ = leaving_since_ = now;
        hear_nothing_yet();
    }
    [[nodiscard]] duration limit(duration session_timeout) const {
        return std::max(std::min(timeout_, session_timeout / k_part), k_trips * longest_trip_);
    }

    friend bool operator==(const silence_watch&, const silence_watch&) = default;

private:
    static constexpr int k_most_looks = 16;

    [[nodiscard]] time_point may_leave_from(time_point silent, duration session_timeout) const {
        return left_at_ ? std::max(silent, *left_at_ + session_timeout) : silent;
    }
    void hear_nothing_yet() {
        waiting_since_.reset();
        looked_at_.reset();
        looks_ = 0;
    }

    duration timeout_{};
    duration longest_trip_{};
    std::optional<time_point> waiting_since_{};  // the start of this connection's silence
    std::optional<time_point> looked_at_{};      // when the client last asked other servers
    int looks_ = 0;
    std::optional<time_point> left_at_{};  // when the client last left a silent connection
    std::optional<time_point> leaving_since_{};
};

}  // namespace turnstile::core
