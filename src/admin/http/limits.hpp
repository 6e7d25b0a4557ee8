// SPDX-License-Identifier: Apache-2.0
// What one request, one connection and one address may use of the server. docs/how-to/admin-page.md has the table.
#pragma once

#include <chrono>
#include <cstddef>

namespace turnstile::admin {

inline constexpr std::size_t k_longest_target = 4'096;  // of the request line, in bytes
inline constexpr std::size_t k_largest_head = 32'768;   // of request line and headers, in bytes
inline constexpr std::size_t k_most_headers = 64;
inline constexpr std::size_t k_largest_body = 16'384;  // in bytes
inline constexpr std::size_t k_most_connections = 128;
inline constexpr std::size_t k_most_event_streams = 64;
inline constexpr std::size_t k_most_requests_kept_alive = 1'000;
inline constexpr std::chrono::seconds k_request_time{10};  // from its first byte to its last
inline constexpr std::chrono::seconds k_idle_time{30};     // between two requests
inline constexpr std::chrono::milliseconds k_write_time{10'000};
inline constexpr double k_requests_per_second = 50;  // from one address
inline constexpr double k_requests_at_once = 200;
inline constexpr std::size_t k_most_takes = 4;  // under way at a time

}  // namespace turnstile::admin
