// SPDX-License-Identifier: Apache-2.0
// request_window: limits the number of contenders' requests in progress, so that a burst of acquires does not delay the
// requests that keep the session alive.
//
// The servers answer a request after all requests that were sent before it. A confirmation (the write that extends the
// lease) behind ten thousand creates would be answered too late. So a contender that must enter its queue, or find its
// position on a new connection, waits while the window is full. Confirmations, removals, commits, and requests of
// contenders that know their position do not wait.
//
// On each connection the window starts small, so that a session that was lost under its own load does not overload the
// servers again. While contenders wait for room, the window measures how long one request at a time waits for its
// answer. It picks the latest request, because the answer to that request comes after all other answers. A timely
// answer doubles the window, and a late answer halves it.
//
// Thread safety: none, a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "core/seam/seam.hpp"

namespace turnstile::core {

// A contender enters with two requests: it creates its znode, and lists the folder's children. So at first 16
// contenders enter at once, and later at most 64.
inline constexpr std::size_t k_first_window = 32;
inline constexpr std::size_t k_most_window = 128;
// An answer is late if it takes longer than an eighth of the session timeout. A confirmation (a write that extends the
// lease) waits about as long as the requests ahead of it. It must not wait for a fifth of the session timeout, because
// then the next confirmation is due.
inline constexpr int k_timely_part = 8;

struct window_limits {
    std::size_t first = k_first_window;
    std::size_t most = k_most_window;
    friend bool operator==(const window_limits&, const window_limits&) = default;
};

class request_window {
public:
    explicit request_window(const window_limits& limits = {})
        : limits_{limits}, size_{limits.first} {}

    // True if another request fits into the window. `gathered`: number of creates that will be sent in one request
    // (batches.hpp).
    [[nodiscard]] bool has_room(std::size_t gathered = 0) const noexcept {
        return under_way_ + gathered < size_;
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    // Called when a contender waits for room in the window. The window starts to time the latest request.
    void is_wanted() noexcept {
        if (!timed_) timed_ = latest_;
    }

    // `room`: the number of contenders' requests that this request carries.
    void sent(ticket request, time_point now, std::size_t room = 1) {
        under_way_ += room;
        latest_ = {request, now};
    }
    void answered(ticket request, time_point now, duration session_timeout, std::size_t room = 1) {
        under_way_ -= room;
        if (latest_ && latest_->request == request) latest_.reset();
        if (!timed_ || timed_->request != request) return;
        const bool timely = now - timed_->at <= session_timeout / k_timely_part;
        size_ = timely ? std::min(2 * size_, limits_.most) : std::max<std::size_t>(size_ / 2, 1);
        timed_.reset();
    }
    // Called at a new connection. Requests of earlier connections stay in progress until their answers come.
    void reattached() noexcept {
        size_ = limits_.first;
        latest_.reset();
        timed_.reset();
    }

    friend bool operator==(const request_window&, const request_window&) = default;

private:
    struct timed_request {
        ticket request{};
        time_point at{};
        friend bool operator==(const timed_request&, const timed_request&) = default;
    };

    window_limits limits_;
    std::size_t size_ = 0;
    std::size_t under_way_ = 0;
    std::optional<timed_request> latest_;
    std::optional<timed_request> timed_;
};

}  // namespace turnstile::core
