// SPDX-License-Identifier: Apache-2.0
// proxy_lane: one direction of one connection through a tcp_proxy: bytes that arrived, items that may pass, bytes
// that were sent.
//
// bytes in -> whole messages, each with the earliest time at which it may pass -> bytes out
//
// Thread safety: none; only the proxy's thread uses it.
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
    // `raw`: the stream does not consist of messages, or not any more.
    enum class format { messages, raw };
    enum class unit { message, chunk, end };

    struct item {
        unit kind;
        proxy_clock::time_point due;
        bytes body;           // a message without its length
        bool held = false;    // held by the filter; waits for release()
        bool passed = false;  // the filter has passed it, and is not called again
    };

    // Takes bytes that were read from the sender.
    void receive(std::span<const std::byte> data, proxy_clock::time_point due);
    void end(proxy_clock::time_point due);

    [[nodiscard]] format stream() const { return format_; }
    void set_raw() { format_ = format::raw; }

    [[nodiscard]] bool ended() const { return ended_; }
    // Returns the next item that may pass. Nothing if there is none, it is held, or the last has passed.
    [[nodiscard]] item* front();
    void pop() { items_.pop_front(); }
    [[nodiscard]] bool empty() const { return items_.empty(); }  // everything has passed
    [[nodiscard]] bool held() const { return !items_.empty() && items_.front().held; }
    void release();

    // Passes an item to the receiver, which reads with `output` and `consume`. With a budget, passes only that many
    // more bytes; `exhausted` once they are used up.
    void pass(const item& next, std::optional<std::size_t>& budget);
    [[nodiscard]] std::span<const std::byte> output() const { return output_; }
    void consume(std::size_t count);
    void discard();  // the receiver is gone
    [[nodiscard]] bool exhausted() const { return exhausted_; }
    // True if the end has passed: there will be no further output.
    [[nodiscard]] bool finished() const { return finished_; }

private:
    [[nodiscard]] bool take_message(proxy_clock::time_point due);
    void take_rest(proxy_clock::time_point due);
    void put(std::span<const std::byte> data, std::optional<std::size_t>& budget);

    format format_ = format::messages;
    bytes input_;  // the start of a message
    std::deque<item> items_;
    bytes output_;
    bool ended_ = false;
    bool exhausted_ = false;
    bool finished_ = false;
};

}  // namespace turnstile::testing::detail
