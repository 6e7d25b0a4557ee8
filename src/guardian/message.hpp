// SPDX-License-Identifier: Apache-2.0
// message: the messages between a process and its guardian, which closes the process's sessions when the process has
// ended. Each message is one packet on a Unix socket. A *module* is a separate library for one kind of server.
//
// | message               | meaning                                                                            |
// |-----------------------|------------------------------------------------------------------------------------|
// | hello                 | the first message; contains a pidfd that the process itself has opened             |
// | guard_session         | a ZooKeeper session to close, with its password and the servers' addresses         |
// | forget_session        | the process has closed this ZooKeeper session                                      |
// | keep_open             | contains a descriptor: the guardian keeps a copy open until the process has ended  |
// | let_go                | the guardian shall close the copy with this number                                 |
// | guard_module_session  | like guard_session, for a session that uses a module; contains the connect string  |
// | forget_module_session | the process has closed this session, which uses a module                           |
// | cannot_end            | from the guardian: it has no program or module for sessions of this scheme         |
//
// The guardian sends only cannot_end, and no process waits for it. Numbers have the machine's byte order, because both
// sides run on one machine.
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
#include <string_view>
#include <variant>
#include <vector>

#include "tls/sasl.hpp"
#include "tls/tls.hpp"

namespace turnstile::guardian {

inline constexpr std::size_t k_most_endpoints = 64;
inline constexpr std::size_t k_longest_message = std::size_t{48} << 10U;
inline constexpr std::size_t k_longest_connect_string = std::size_t{32} << 10U;
inline constexpr std::size_t k_longest_proof = 1024;
inline constexpr std::size_t k_longest_scheme = 32;

using password = std::array<char, 16>;

// An IPv4 or IPv6 address with a port. The guardian resolves no names, because name resolution could block it.
struct endpoint {
    sockaddr_storage address{};
    socklen_t length = 0;
    std::string
        host{};  // the name in the server's certificate or principal; sent only with TLS or SASL
};

struct hello {};

struct guard_session {
    std::int64_t id = 0;
    password secret{};
    std::chrono::milliseconds timeout{};  // granted by the servers, positive
    std::vector<endpoint> servers{};      // in the order in which they are tried, at least one
    tls::settings security{};             // the names of files, which the guardian reads
    sasl_options sasl{};
    // True if the message contains the servers' host names.
    [[nodiscard]] bool names_hosts() const noexcept {
        return security.enabled || tls::is_enabled(sasl);
    }
};

struct forget_session {
    std::int64_t id = 0;
};

// A file lock lasts while any copy of its descriptor is open. So the guardian's copy delays the release of the lock.
struct keep_open {
    std::uint64_t number = 0;  // chosen by the process
};

struct let_go {
    std::uint64_t number = 0;
};

struct guard_module_session {
    std::uint64_t number = 0;  // chosen by the process: ids of two servers may be equal
    std::chrono::milliseconds timeout{};
    std::int64_t id = 0;
    // A secret that only the process and the server know. If a later session gets this session's id, its proof is
    // different.
    std::string proof{};
    std::string servers{};  // the connect string, which may contain a password
};

struct forget_module_session {
    std::uint64_t number = 0;
};

struct cannot_end {
    std::string scheme{};
};

using message = std::variant<hello, guard_session, forget_session, keep_open, let_go,
                             guard_module_session, forget_module_session, cannot_end>;
using packet = std::vector<std::byte>;

// True if the texts of `value` are not longer than the limits in this file.
[[nodiscard]] inline bool fits(const guard_module_session& value) noexcept {
    return !value.servers.empty() && value.servers.size() <= k_longest_connect_string &&
           !value.proof.empty() && value.proof.size() <= k_longest_proof;
}

// Returns the scheme with the slashes, such as "redis://" for "redis://host/locks". Truncates a long scheme.
[[nodiscard]] std::string scheme_of(std::string_view servers);

[[nodiscard]] packet encode(const message& value);
// Returns the message that the bytes contain. Returns nothing if they are not exactly one message, or if the message
// exceeds the limits in this file.
[[nodiscard]] std::optional<message> decode(std::span<const std::byte> bytes);

}  // namespace turnstile::guardian
