// SPDX-License-Identifier: Apache-2.0
// message: what a process tells the guardian of its sessions. One message is one packet of a Unix socket.
//
// | message   | says                                                                               |
// |-----------|------------------------------------------------------------------------------------|
// | hello     | the first; comes with a pidfd of the process, which opened it itself               |
// | guard     | a session to end with the process, its password, and where servers are             |
// | forget    | a session that has been closed                                                     |
// | keep_open | comes with a descriptor: the guardian's copy stays open until the process has ended |
// | let_go    | the copy of that number is closed                                                  |
//
// The guardian answers nothing. Both sides run on one machine: numbers are in its byte order.
//
// Thread safety: values and pure functions.
#pragma once

#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tls/tls.hpp"

namespace turnstile::guardian {

inline constexpr std::size_t k_most_endpoints = 64;
inline constexpr std::size_t k_longest_message = std::size_t{48} << 10U;

using password = std::array<char, 16>;

// An IPv4 or IPv6 address with a port: the guardian resolves no names, which could block it.
struct endpoint {
    sockaddr_storage address{};
    socklen_t length = 0;
    std::string host{};  // the name in the server's certificate; sent only with TLS
};

struct hello {};

struct guard_session {
    std::int64_t id = 0;
    password secret{};
    std::chrono::milliseconds timeout{};  // granted by the servers, positive
    std::vector<endpoint> servers{};      // in the order in which they are tried, at least one
    tls::settings security{};             // the names of files, which the guardian reads
};

struct forget_session {
    std::int64_t id = 0;
};

// The guardian's copy also delays the effect of a file's last close: the release of a lock.
struct keep_open {
    std::uint64_t number = 0;  // chosen by the process
};

struct let_go {
    std::uint64_t number = 0;
};

using message = std::variant<hello, guard_session, forget_session, keep_open, let_go>;
using packet = std::vector<std::byte>;

[[nodiscard]] packet encode(const message& value);
// nullopt unless the bytes are exactly one message within the limits above.
[[nodiscard]] std::optional<message> decode(std::span<const std::byte> bytes);

}  // namespace turnstile::guardian
