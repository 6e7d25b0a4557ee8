// SPDX-License-Identifier: Apache-2.0
// proxy_connection: one client's connection through a tcp_proxy: two sockets, two directions.
//
// Thread safety: only the proxy's thread may use it.
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

#include "servers/proxy_lane.hpp"
#include "support/descriptor.hpp"
#include "turnstile/testing/tcp_proxy.hpp"

namespace turnstile::testing::detail {

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
