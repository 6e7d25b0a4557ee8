// SPDX-License-Identifier: Apache-2.0
// packets: the packets of ZooKeeper's protocol that a session needs before the C client has the session. They attach to
// a session, list its znodes, and create and remove a znode.
//
//     link.write(attach_packet({.timeout_ms = 10'000}));
//     const auto answer = parse_attach(frame);  // nothing: not an answer to an attach
//
// Numbers are big-endian. A packet begins with its length. zookeeper.jute (ZooKeeper 3.8.0) defines the layouts;
// getEphemerals exists since 3.6.
//
// Thread safety: values and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::zookeeper {

using session_password = std::array<char, 16>;

// A request for this timeout gets the longest timeout that the server allows.
inline constexpr std::int32_t k_longest_timeout_ms = std::numeric_limits<std::int32_t>::max();

struct attach_request {
    std::int32_t timeout_ms = 0;
    std::int64_t session = 0;  // 0: a new session
    session_password password{};
    bool allow_read_only = false;
};

struct attach_answer {
    std::int64_t session = 0;
    std::int32_t timeout_ms = 0;  // 0: the session has ended, or the password is wrong
    session_password password{};
    bool read_only = false;
};

struct reply_head {
    std::int32_t request = 0;
    std::int32_t error = 0;
};

inline constexpr std::size_t k_length_bytes = 4;
inline constexpr std::size_t k_reply_head_bytes = 16;
inline constexpr std::int32_t k_auth_request = -4;  // the request number of each addauth

// The next functions return whole packets. A parameter `request` is the number that the server repeats in its answer to
// the packet.
[[nodiscard]] std::string attach_packet(const attach_request& value);
[[nodiscard]] std::string auth_packet(std::string_view credentials);
[[nodiscard]] std::string sasl_packet(std::int32_t request, std::string_view token);
[[nodiscard]] std::string list_packet(std::int32_t request);
[[nodiscard]] std::string create_ephemeral_packet(std::int32_t request, std::string_view path);
[[nodiscard]] std::string remove_packet(std::int32_t request, std::string_view path);

[[nodiscard]] std::string framed(std::string_view frame);

// attach_length() returns the length of an attach_packet() that begins with the bytes `begun`. It returns 4 while the
// length field is incomplete, and more than k_longest_attach for an impossible length.
inline constexpr std::size_t k_longest_attach = 49;
[[nodiscard]] std::size_t attach_length(std::string_view begun) noexcept;

// Parsers take a frame without its length. They return nothing if the frame is too short or invalid.
[[nodiscard]] std::optional<std::size_t> parse_length(std::string_view four_bytes);
[[nodiscard]] std::optional<attach_answer> parse_attach(std::string_view frame);
[[nodiscard]] std::optional<reply_head> parse_reply(std::string_view frame);

// Returns the creation time of the znode, in milliseconds since 1970, by the clock of the servers' leader. `frame`: the
// answer to create_ephemeral_packet().
[[nodiscard]] std::optional<std::int64_t> parse_creation_ms(std::string_view frame);

// Returns the server's token in the answer to sasl_packet(); empty if there is none.
[[nodiscard]] std::optional<std::string> parse_sasl_token(std::string_view frame);

struct path_list {
    std::size_t count = 0;           // the number that the server reports
    std::vector<std::string> paths;  // the paths that are completely in the frame
};
[[nodiscard]] std::optional<path_list> parse_paths(std::string_view frame);

}  // namespace turnstile::zookeeper
