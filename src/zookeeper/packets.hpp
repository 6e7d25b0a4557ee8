// SPDX-License-Identifier: Apache-2.0
// Packets of ZooKeeper's protocol that a session needs before the C client has it: to attach, to list the session's
// znodes, to create and to remove a znode.
//
//     link.write(attach_packet({.timeout_ms = 10'000}));
//     const auto answer = parse_attach(frame);  // nothing: not an answer to an attach
//
// Numbers are big-endian; a packet begins with its length. The layouts are those in zookeeper.jute (ZooKeeper 3.8.0);
// getEphemerals came with 3.6.
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

// Servers shorten a longer timeout to their maximum.
inline constexpr std::int32_t k_longest_timeout_ms = std::numeric_limits<std::int32_t>::max();

struct attach_request {
    std::int32_t timeout_ms = 0;
    std::int64_t session = 0;  // 0: a new one
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
inline constexpr std::int32_t k_auth_request = -4;  // the number of each addauth

// Whole packets. `request` is the number with which the answer names the request.
[[nodiscard]] std::string attach_packet(const attach_request& value);
[[nodiscard]] std::string auth_packet(std::string_view credentials);
[[nodiscard]] std::string sasl_packet(std::int32_t request, std::string_view token);
[[nodiscard]] std::string list_packet(std::int32_t request);
[[nodiscard]] std::string create_ephemeral_packet(std::int32_t request, std::string_view path);
[[nodiscard]] std::string remove_packet(std::int32_t request, std::string_view path);

// The frame after its length.
[[nodiscard]] std::string framed(std::string_view frame);

// Returns the whole length of an attach_packet() of which this much has arrived. 4 while its length field is
// incomplete; more than k_longest_attach for an impossible length.
inline constexpr std::size_t k_longest_attach = 49;
[[nodiscard]] std::size_t attach_length(std::string_view begun) noexcept;
// True for a whole attach_packet() to this session, with its password.
[[nodiscard]] bool names_session(std::string_view packet, std::int64_t session,
                                 const session_password& password) noexcept;

// Parsers take a frame without its length, and return nothing if it is too short or invalid.
[[nodiscard]] std::optional<std::size_t> parse_length(std::string_view four_bytes);
[[nodiscard]] std::optional<attach_answer> parse_attach(std::string_view frame);
[[nodiscard]] std::optional<reply_head> parse_reply(std::string_view frame);

// The znode's creation time, in milliseconds since 1970 by the leader's clock: after the head of the answer to
// create_ephemeral_packet().
[[nodiscard]] std::optional<std::int64_t> parse_creation_ms(std::string_view frame);

// The server's token in the answer to sasl_packet(), after its head; empty for none.
[[nodiscard]] std::optional<std::string> parse_sasl_token(std::string_view frame);

struct path_list {
    std::size_t count = 0;           // the server's number
    std::vector<std::string> paths;  // the paths that are completely in the frame
};
// The list after the head of a reply.
[[nodiscard]] std::optional<path_list> parse_paths(std::string_view frame);

}  // namespace turnstile::zookeeper
