// SPDX-License-Identifier: Apache-2.0
// tcp_proxy: a proxy between a client and a ZooKeeper server that produces the faults of networks.
//
// Use it to cut, stall, delay or count what passes, per direction, down to the single message:
//
//     tcp_proxy proxy{servers.connect_string(0)};
//     turnstile::client client{proxy.address()};
//     // The create reaches the server; its reply is lost together with the connection.
//     proxy.filter(direction::to_client, [](frame& reply) {
//         return reply.is(frame_kind::reply, opcode::create2) ? verdict::cut_connection
//                                                             : verdict::forward;
//     });
//
// A message passes when the proxy has received all of it, its delay is over, its direction is not black-holed, no
// earlier message waits, and the filter forwards it.
//
// Two kinds of connections pass without filter and counters: connections that start with a four-letter word, and all
// connections of a proxy with `traffic::bytes`, for servers of another protocol. Delay, black hole, cut and refusal
// apply to them too.
//
// Threads: one per proxy, which also runs the filters. Thread safety: any thread may call any member, and so may a
// filter. A call returns when it has taken effect, except in a filter.
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
    // This message is lost; the messages behind it pass.
    drop,
    // This message is lost, and its connection is closed in both directions.
    cut_connection,
    // This message, and the messages behind it in this direction, wait for release_held().
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
    // A function that runs on the proxy's thread, and may change the message. An exception cuts the connection.
    using frame_filter = std::function<verdict(frame&)>;

    // Listens on a free port of 127.0.0.1, and connects to the server ("host:port", an IPv4 address or a name) for each
    // client. If the server refuses, the proxy closes the client's connection. Throws std::runtime_error for a wrong
    // address, std::system_error if it cannot listen.
    explicit tcp_proxy(const std::string& server, traffic carried = traffic::zookeeper);
    ~tcp_proxy();
    tcp_proxy(const tcp_proxy&) = delete;
    tcp_proxy& operator=(const tcp_proxy&) = delete;

    // Returns the proxy's port on 127.0.0.1.
    [[nodiscard]] std::uint16_t port() const noexcept;
    [[nodiscard]] std::string address() const;  // "127.0.0.1:20001": a connect string

    // Delays each message from now on by the time `by`, and keeps the order. Zero: no delay.
    void delay(direction way, std::chrono::milliseconds by);

    // Stops the traffic as in a partitioned network: nothing passes, not even the end of a connection, and both ends
    // wait. After pass() the data arrive if the connection lives until then.
    void black_hole(direction way);
    void black_hole();  // both directions
    // Ends black_hole().
    void pass(direction way);
    void pass();  // both directions; filters and delays stay

    // Stops the traffic on the present connections for good, like a firewall that has forgotten them. New connections
    // pass.
    void strand();

    void cut();     // closes all connections now; data in transit are lost
    void refuse();  // cuts, and refuses new connections as if no server ran (ECONNREFUSED)
    void accept();  // undoes `refuse`
    // Cuts, and connects to another server from now on, as when an address moves. Throws as the constructor.
    void redirect(const std::string& server);

    // Cuts the connection that carries the byte with the number `n` from now on in this direction, once. This byte is
    // the last that passes, even in the middle of a message.
    void cut_after_bytes(direction way, std::size_t n);

    // Sets the filter of this direction, which is called for each message; replaces the earlier one. Empty: forward
    // all.
    void filter(direction way, frame_filter ask);
    // Lets all held messages pass, without another call of the filter.
    void release_held();

    // Returns the number of requests of the type `op` since the start or the last reset. A request counts when it
    // reaches the filter, whatever the verdict, with the type that the client sent.
    [[nodiscard]] std::uint64_t requests(std::int32_t op) const;
    [[nodiscard]] std::uint64_t requests() const;  // all types, pings included, handshakes excluded
    [[nodiscard]] std::uint64_t watch_events() const;  // events that the server sent
    void reset_counters();  // sets the counters of requests and events to zero

    [[nodiscard]] std::size_t connections() const;  // open now
    [[nodiscard]] std::uint64_t accepted() const;   // all so far, without refused ones
    [[nodiscard]] std::size_t held() const;         // messages that wait for `release_held`
    [[nodiscard]] bool keeps(direction way) const;  // true if received data have not passed yet

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace turnstile::testing
