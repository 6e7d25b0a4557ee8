// SPDX-License-Identifier: Apache-2.0
// tcp_proxy: stands between a client and a ZooKeeper server and does what networks do to them.
//
// Purpose: cut, stall, delay or count what passes, per direction, down to the single message:
//
//     tcp_proxy proxy{servers.connect_string(0)};
//     turnstile::client client{proxy.address()};
//     // The create reaches the server; its reply is lost together with the connection.
//     proxy.filter(direction::to_client, [](frame& reply) {
//         return reply.is(frame_kind::reply, opcode::create2) ? verdict::cut_connection
//                                                             : verdict::forward;
//     });
//
// A message passes when it has come whole, its delay is over, its direction is not black-holed,
// nothing before it waits, and the filter forwards it. Connections that start with a four-letter
// word pass without filter and counters, but delay, black hole, cut and refusal apply to them. So do all connections of a
// proxy that carries `traffic::bytes`: to servers of another protocol.
//
// Threads: one per proxy, which also runs the filters. Thread safety: all members from any thread,
// filters included; except from a filter, a call returns when it has taken effect.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "turnstile/testing/frame.hpp"

namespace turnstile::testing {

enum class verdict {
    forward,
    drop,            // this message is lost, those behind it pass
    cut_connection,  // this message is lost and its connection closed, in both directions
    hold,            // it waits for `release_held`, and what comes behind it in this direction too
};

enum class traffic {
    zookeeper,  // messages
    bytes,      // of any protocol: whatever has come passes
};

class tcp_proxy {
public:
    // Runs on the proxy's thread; may change the frame. An exception cuts the connection.
    using frame_filter = std::function<verdict(frame&)>;

    // Listens on a free port of 127.0.0.1 and connects to the server ("host:port", an IPv4 address
    // or a name) for each client. A server that refuses closes the client's connection. Throws
    // std::runtime_error if the address makes no sense, std::system_error if it cannot listen.
    explicit tcp_proxy(const std::string& server, traffic carried = traffic::zookeeper);
    ~tcp_proxy();
    tcp_proxy(const tcp_proxy&) = delete;
    tcp_proxy& operator=(const tcp_proxy&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept;
    [[nodiscard]] std::string address() const;  // "127.0.0.1:20001": a connect string

    // From now on each message arrives so much later; the order stays. Zero: no delay.
    void delay(direction way, std::chrono::milliseconds by);

    // Nothing passes, the end of the connection neither, as in a partitioned network: both ends
    // just wait. What was sent arrives after `pass`, if the connection lives until then.
    void black_hole(direction way);
    void black_hole();  // both directions
    void pass(direction way);
    void pass();  // both directions; filters and delays stay

    // Nothing passes any more on the connections of now, for good, as behind a firewall that has forgotten them; new ones
    // pass.
    void strand();

    void cut();     // closes all connections now, with what is under way in them
    void refuse();  // cuts, and refuses new ones as a server that does not run (ECONNREFUSED)
    void accept();  // undoes `refuse`
    // Cuts, and from now on connects to another server, as an address that moves does. Throws as the constructor.
    void redirect(const std::string& server);

    // Cuts, once, the connection that carries the n-th byte from now in this direction: the n-th
    // byte is the last that passes, be it in the middle of a message.
    void cut_after_bytes(direction way, std::size_t n);

    // Asked about each message in this direction; replaces the filter before. Empty: forward all.
    void filter(direction way, frame_filter ask);
    // Lets all held messages pass, without asking again.
    void release_held();

    // Counts since the start or the last reset. A request counts when it comes to the filter,
    // whatever the verdict, with the type that the client gave it.
    [[nodiscard]] std::uint64_t requests(std::int32_t op) const;
    [[nodiscard]] std::uint64_t requests() const;      // of all types, pings too; no handshakes
    [[nodiscard]] std::uint64_t watch_events() const;  // that the server sent
    void reset_counters();

    [[nodiscard]] std::size_t connections() const;  // open now
    [[nodiscard]] std::uint64_t accepted() const;   // ever, refused ones not counted
    [[nodiscard]] std::size_t held() const;         // messages that wait for `release_held`
    [[nodiscard]] bool keeps(direction way) const;  // something that has come and not passed yet

private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace turnstile::testing
