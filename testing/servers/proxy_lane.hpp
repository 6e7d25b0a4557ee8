// SPDX-License-Identifier: Apache-2.0
// proxy_lane: one direction of a connection through a tcp_proxy.
//
//     bytes in -> whole messages, each with the earliest time at which it may pass -> bytes out
//
// Thread safety: only the proxy's thread may use it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "servers/wire.hpp"
#include "turnstile/testing/frame.hpp"

namespace turnstile::testing::detail {

using proxy_clock = std::chrono::steady_clock;

class proxy_lane {
public:
    // `messages`: the stream consists of messages with a length field. `raw`: the stream never had such messages, or
    // has none from now on.
    enum class format { messages, raw };
    enum class unit { message, chunk, end };

    struct item {
        unit kind;
        proxy_clock::time_point due;
        bytes body;           // without the length field
        bool held = false;    // the filter holds the item until release()
        bool passed = false;  // the filter has let the item pass, and is not called again
    };

    void receive(std::span<const std::byte> data, proxy_clock::time_point due);
    void end(proxy_clock::time_point due);

    [[nodiscard]] format stream() const { return format_; }
    void set_raw() { format_ = format::raw; }

    [[nodiscard]] bool ended() const { return ended_; }
    // Returns the first item, which may pass next. Returns nothing if there is no item, if the filter holds the first
    // item, if the end of the stream has passed, or if the budget of pass() is used up.
    [[nodiscard]] item* front();
    void pop() { items_.pop_front(); }
    [[nodiscard]] bool empty() const { return items_.empty(); }  // true: everything has passed
    [[nodiscard]] bool held() const { return !items_.empty() && items_.front().held; }
    void release();

    // Passes an item on to `output`. A `budget` limits the bytes that may pass. When it is used up, exhausted() returns
    // true.
    void pass(const item& next, std::optional<std::size_t>& budget);
    [[nodiscard]] std::span<const std::byte> output() const { return output_; }
    void consume(std::size_t count);
    void discard();  // the receiver is gone
    [[nodiscard]] bool exhausted() const { return exhausted_; }
    // Returns true if the end of the stream has passed.
    [[nodiscard]] bool finished() const { return finished_; }

private:
    [[nodiscard]] bool take_message(proxy_clock::time_point due);
    void take_rest(proxy_clock::time_point due);
    void put(std::span<const std::byte> data, std::optional<std::size_t>& budget);

    format format_ = format::messages;
    bytes input_;  // an incomplete message
    std::deque<item> items_;
    bytes output_;
    bool ended_ = false;
    bool exhausted_ = false;
    bool finished_ = false;
};

}  // namespace turnstile::testing::detail
