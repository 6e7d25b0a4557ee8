// SPDX-License-Identifier: Apache-2.0
// frame: one message of ZooKeeper's protocol on its way through a `tcp_proxy`.
//
// A message is a length of four bytes and a body. The first message in each direction of a connection is the handshake.
// Later messages to the server are requests (xid, opcode, arguments). Later messages to the client are replies (xid,
// zxid, error, result), or watch events with xid -1. All numbers are big-endian. Source: ZooKeeper's zookeeper.jute,
// and its ConnectRequest, RequestHeader and ReplyHeader.
//
// Thread safety: none. A filter (tcp_proxy::filter) may use a frame only until the filter returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "turnstile/language.hpp"

namespace turnstile::testing {

// The direction of a message.
enum class direction { to_server, to_client };

// The kind of a message.
enum class frame_kind { handshake, request, reply, watch_event };

// The request types that tests use. Any other number is valid too.
namespace opcode {
inline constexpr std::int32_t create = 1;
inline constexpr std::int32_t remove = 2;
inline constexpr std::int32_t exists = 3;
inline constexpr std::int32_t get_data = 4;
inline constexpr std::int32_t set_data = 5;
inline constexpr std::int32_t get_children = 8;
inline constexpr std::int32_t sync = 9;
inline constexpr std::int32_t ping = 11;
inline constexpr std::int32_t get_children2 = 12;
inline constexpr std::int32_t check = 13;
inline constexpr std::int32_t multi = 14;
inline constexpr std::int32_t create2 = 15;
inline constexpr std::int32_t remove_watches = 18;
inline constexpr std::int32_t create_container = 19;
inline constexpr std::int32_t auth = 100;
inline constexpr std::int32_t set_watches = 101;
inline constexpr std::int32_t set_watches2 = 105;
inline constexpr std::int32_t close_session = -11;
inline constexpr std::int32_t unknown = 9999;  // no server knows it; the answer is "unimplemented"
}  // namespace opcode

// A message.
class frame {
public:
    // The proxy makes frames, and filters get them. `way` is the direction, `connection` the number of the connection,
    // `op` the type of the request, `body` the message without its length.
    frame(direction way, frame_kind kind, std::uint64_t connection, std::int32_t op,
          std::vector<std::byte> body)
        : way_{way}, kind_{kind}, connection_{connection}, opcode_{op}, body_{std::move(body)} {}

    // Returns the direction of the message.
    [[nodiscard]] direction way() const noexcept { return way_; }
    // Returns the kind of the message.
    [[nodiscard]] frame_kind kind() const noexcept { return kind_; }
    // Returns the number of the connection, counted from 1 in the order of acceptance.
    [[nodiscard]] std::uint64_t connection() const noexcept { return connection_; }
    // Returns the type of the request. For a reply this is the type of the answered request. For other messages it is
    // 0.
    [[nodiscard]] std::int32_t op() const noexcept { return opcode_; }
    // Returns whether the message has this kind, and `op` as its type.
    [[nodiscard]] bool is(frame_kind kind, std::int32_t op) const noexcept {
        return kind_ == kind && opcode_ == op;
    }
    // Returns the number of the request: 0 for a handshake, -1 for a watch event, -2 for a ping.
    [[nodiscard]] std::int32_t xid() const;
    [[nodiscard]] std::int64_t zxid() const;  // for a reply or an event; otherwise 0
    // Returns 0 for a reply without an error, or ZooKeeper's code like -101 (NoNode).
    [[nodiscard]] std::int32_t error() const;
    // Returns the path at the beginning of a request (for a multi, the path of its first operation), or the path of an
    // event; empty if there is none.
    [[nodiscard]] std::string path() const;
    [[nodiscard]] std::int64_t session_id() const;  // for a handshake; otherwise 0

    // Returns the message without its length.
    [[nodiscard]] std::span<const std::byte> body() const noexcept { return body_; }

    // Replaces the body of the message that the proxy forwards. The proxy's counters, and op() of the reply, still use
    // the type that the client sent.
    void rewrite(std::vector<std::byte> body) { body_ = std::move(body); }
    // Changes the type of a request to `op`. Throws std::logic_error for other messages.
    void rewrite_opcode(std::int32_t op);

private:
    direction way_;
    frame_kind kind_;
    std::uint64_t connection_;
    std::int32_t opcode_;
    std::vector<std::byte> body_;
};

}  // namespace turnstile::testing
