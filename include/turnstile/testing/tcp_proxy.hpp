// SPDX-License-Identifier: Apache-2.0
// tcp_proxy: a proxy between a client and a ZooKeeper server, which produces network faults.
//
// Use it to cut connections, and to stall, delay, drop or count messages, for each direction separately:
//
//     tcp_proxy proxy{servers.connect_string(0)};
//     turnstile::client client{proxy.address()};
//     // The request to create a znode reaches the server; the reply is lost together with the connection.
//     proxy.filter(direction::to_client, [](frame& reply) {
//         return reply.is(frame_kind::reply, opcode::create2) ? verdict::cut_connection
//                                                             : verdict::forward;
//     });
//
// The proxy sends a message on when it has received the whole message, the message's delay has passed, the direction is
// not black-holed, no earlier message waits, and the filter has returned `forward`.
//
// Filters and counters do not apply to connections that start with a four-letter word, nor to connections of a proxy
// with `traffic::bytes`, which is for servers with another protocol. Delay, black hole, cut and refusal apply to these
// connections too.
//
// Threads: each proxy has one thread, which also runs the filters. Thread safety: any thread may call any member, and
// so may a filter. A call returns when it has taken effect. Exception: a call from a filter returns before that.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "turnstile/testing/frame.hpp"

namespace turnstile::testing {

// The decision of a filter about a message.
enum class verdict {
    forward,
    // This message is lost; the messages after it pass.
    drop,
    // This message is lost, and its connection is closed in both directions.
    cut_connection,
    // This message, and the messages after it in this direction, wait for release_held().
    hold,
};

// The protocol of the connections.
enum class traffic {
    zookeeper,  // ZooKeeper's messages
    bytes,      // any protocol: all received bytes pass
};

// A proxy in front of one server.
class tcp_proxy {
public:
    // A filter: a function that runs on the proxy's thread, and may change the message. If it throws an exception, the
    // proxy cuts the connection.
    using frame_filter = std::function<verdict(frame&)>;

    // Listens on a free port of 127.0.0.1. For each client's connection the proxy connects to `server` ("host:port", an
    // IPv4 address or a name). If the server refuses this connection, the proxy closes the client's connection.
    // `carried` is the protocol. Throws std::runtime_error for a wrong address, or std::system_error if it cannot
    // listen.
    explicit tcp_proxy(const std::string& server, traffic carried = traffic::zookeeper);
    ~tcp_proxy();
    tcp_proxy(const tcp_proxy&) = delete;
    tcp_proxy& operator=(const tcp_proxy&) = delete;

    // Returns the proxy's port on 127.0.0.1.
    [[nodiscard]] std::uint16_t port() const noexcept;
    [[nodiscard]] std::string address() const;  // "127.0.0.1:20001": a connect string

    // Delays each message in the direction `way` by the time `by`, and keeps the order. Zero: no delay.
    void delay(direction way, std::chrono::milliseconds by);

    // Stops the traffic as in a partitioned network: nothing passes, not even the end of a connection, and both ends
    // wait. After pass() the data arrive, if the connection still exists.
    void black_hole(direction way);
    void black_hole();  // both directions
    // Ends black_hole().
    void pass(direction way);
    void pass();  // both directions; filters and delays stay

    // Stops the traffic on the present connections permanently, like a firewall that has lost its state. New
    // connections work.
    void strand();

    void cut();     // closes all connections now; data in transit are lost
    void refuse();  // cuts, and refuses new connections as if no server ran (ECONNREFUSED)
    void accept();  // undoes `refuse`
    // Closes all connections, and connects new connections to another server, as if the address had moved. Throws like
    // the constructor.
    void redirect(const std::string& server);

    // Lets `n` further bytes pass in the direction `way`, on all connections together. Then cuts, once, the connection
    // that carried the last of these bytes. The cut may be in the middle of a message.
    void cut_after_bytes(direction way, std::size_t n);

    // Sets the filter of the direction `way`, in place of the earlier filter. The proxy calls `ask` for each message.
    // Empty: all messages are forwarded.
    void filter(direction way, frame_filter ask);
    // Sends all held messages on, without another call of the filter.
    void release_held();

    // Returns the number of requests of the type `op` since the start or the last reset. The proxy counts a request
    // when the request reaches the filter, by the type that the client sent. The filter's verdict has no effect on the
    // count.
    [[nodiscard]] std::uint64_t requests(std::int32_t op) const;
    [[nodiscard]] std::uint64_t requests() const;  // all types, pings included, handshakes excluded
    [[nodiscard]] std::uint64_t watch_events() const;  // events that the server sent
    void reset_counters();  // sets the counters of requests and events to zero

    [[nodiscard]] std::size_t connections() const;  // open now
    [[nodiscard]] std::uint64_t accepted()
        const;                               // accepted so far; refused connections do not count
    [[nodiscard]] std::size_t held() const;  // messages that wait for `release_held`
    [[nodiscard]] bool keeps(direction way) const;  // true if received data have not passed yet

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace turnstile::testing
