// SPDX-License-Identifier: Apache-2.0
// limits: limits for a request, a connection, an address and the whole server. docs/how-to/admin-page.md has the limits
// that users notice most.
#pragma once

#include <chrono>
#include <cstddef>

namespace turnstile::admin {

inline constexpr std::size_t k_longest_target = 4'096;  // for the request line, in bytes
inline constexpr std::size_t k_largest_head = 32'768;   // for request line and headers, in bytes
inline constexpr std::size_t k_most_headers = 64;
inline constexpr std::size_t k_largest_body = 16'384;  // in bytes

// Limits for connections. An address means an IPv4 address or an IPv6 /64.
inline constexpr std::size_t k_most_connections = 512;
inline constexpr std::size_t k_most_connections_of_address = 128;
inline constexpr std::size_t k_kept_connections = 32;  // for addresses without a connection
inline constexpr std::size_t k_most_event_streams = 128;
inline constexpr std::size_t k_most_event_streams_of_address = 64;
inline constexpr std::size_t k_most_requests_kept_alive = 1'000;
inline constexpr double k_requests_per_second = 50;  // from one address; further requests wait
inline constexpr double k_requests_at_once = 200;

// Time limits of connections, and the sizes to which k_write_time and k_linger_time refer.
inline constexpr std::chrono::seconds k_request_time{
    10};  // for the TLS handshake, for the head of a request, and again for its body
inline constexpr std::chrono::seconds k_idle_time{30};   // between two requests
inline constexpr std::chrono::seconds k_write_time{10};  // for each k_write_part of an answer
inline constexpr std::chrono::seconds k_linger_time{
    2};  // for bytes from the client after its last answer
inline constexpr std::chrono::seconds k_drain_time{
    5};  // for answers in progress when the server ends
inline constexpr std::chrono::seconds k_stream_tick{1};
inline constexpr std::size_t k_write_part = 65'536;       // in bytes
inline constexpr std::size_t k_most_lingering = 262'144;  // in bytes

// Limits of the work in progress.
inline constexpr std::size_t k_answering_threads = 16;
inline constexpr std::size_t k_most_waiting_answers = 256;  // answers that wait for a free thread
inline constexpr std::size_t k_most_takes = 4;              // at a time

}  // namespace turnstile::admin
