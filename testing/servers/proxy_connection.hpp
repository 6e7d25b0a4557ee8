// SPDX-License-Identifier: Apache-2.0
// proxy_connection: one client's connection through a tcp_proxy: two sockets, two directions.
//
// Thread safety: only the proxy's thread may use a connection and its lanes.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "servers/wire.hpp"
#include "support/descriptor.hpp"
#include "turnstile/testing/frame.hpp"
#include "turnstile/testing/tcp_proxy.hpp"

namespace turnstile::testing::detail {

using proxy_clock = std::chrono::steady_clock;

// proxy_lane: one direction of a connection through a tcp_proxy.
//
//     bytes in -> whole messages, each with the earliest time at which it may pass -> bytes out
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

constexpr std::size_t index(direction way) {
    return way == direction::to_server ? 0 : 1;
}

// Settings of one direction, from the owner of the proxy.
struct direction_settings {
    std::chrono::milliseconds delay{0};
    bool black_hole = false;
    std::optional<std::size_t> bytes_left;  // bytes that pass before the cut
    std::shared_ptr<const tcp_proxy::frame_filter> filter;
};

struct proxy_settings {
    std::array<direction_settings, 2> ways;
    std::map<std::int32_t, std::uint64_t> requests;
    std::uint64_t watch_events = 0;

    direction_settings& of(direction way) { return ways.at(index(way)); }
};

class proxy_connection {
public:
    proxy_connection(std::uint64_t number, support::descriptor client, support::descriptor server,
                     traffic carried);

    // Moves all bytes that can move now. Returns when to try again, or nothing if no byte waits for a time.
    [[nodiscard]] std::optional<proxy_clock::time_point> pump(proxy_settings& settings);

    void strand() { stranded_ = true; }
    void cut() { cut_ = true; }
    // True if the connection was cut, or both ends closed it.
    [[nodiscard]] bool over() const;
    void release_held();
    [[nodiscard]] std::size_t held() const;
    [[nodiscard]] bool keeps(direction way) const { return !lanes_.at(index(way)).empty(); }

    [[nodiscard]] int client() const { return ends_[0].socket.get(); }
    [[nodiscard]] int server() const { return ends_[1].socket.get(); }
    // client_interest() and server_interest() return the epoll events for which the client's and the server's socket
    // wait. 0 means no event, not even the end of the connection.
    [[nodiscard]] std::uint32_t client_interest() const { return interest(0); }
    [[nodiscard]] std::uint32_t server_interest() const { return interest(1); }

private:
    struct end {
        support::descriptor socket;
        bool writable_side_closed = false;
    };
    enum class passage { moved, waits };

    // Returns the events for socket i. Lane i leads from end i to the other end.
    [[nodiscard]] std::uint32_t interest(std::size_t i) const;
    void finish_connecting();
    void read(std::size_t i, proxy_settings& settings);
    [[nodiscard]] std::optional<proxy_clock::time_point> pass(direction way,
                                                              proxy_settings& settings);
    passage pass_one(direction way, proxy_lane::item& item, proxy_settings& settings);
    [[nodiscard]] verdict ask(direction way, proxy_lane::item& item, proxy_settings& settings);
    [[nodiscard]] frame classify(direction way, bytes body, proxy_settings& settings);
    [[nodiscard]] std::int32_t answered_request(std::int32_t xid);
    void write(std::size_t i);

    std::uint64_t number_;
    std::array<end, 2> ends_;
    std::array<proxy_lane, 2> lanes_;
    std::array<bool, 2> greeted_{};  // true: the handshake has passed in this direction
    struct sent_request {
        std::int32_t xid;
        std::int32_t op;
    };
    std::deque<sent_request> unanswered_;
    bool connecting_ = true;
    bool stranded_ = false;
    bool cut_ = false;
};

}  // namespace turnstile::testing::detail
