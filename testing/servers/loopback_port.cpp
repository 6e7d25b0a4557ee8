// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/loopback_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <random>
#include <stdexcept>
#include <utility>

#include "servers/throw_errno.hpp"
#include "support/descriptor.hpp"

namespace turnstile::testing {

namespace {

struct port_range {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

// Returns ports below the kernel's range for outgoing connections. The ports that are 10,000 higher are also below this
// range, because a node of a Redis Cluster before version 7 listens at them, too. If too few ports remain, this
// function assumes the kernel's default range.
port_range usable_ports() {
    constexpr std::uint32_t k_first = 15'000;
    constexpr std::uint32_t k_distance = 10'000;
    constexpr std::uint32_t k_end = 32'768 - k_distance;
    constexpr std::uint32_t k_enough = 1000;
    std::uint32_t first_ephemeral = 0;
    std::ifstream{"/proc/sys/net/ipv4/ip_local_port_range"} >> first_ephemeral;
    const auto end = std::min(first_ephemeral - std::min(first_ephemeral, k_distance), k_end);
    if (end < k_first + k_enough) return {k_first, k_end - k_first};
    return {k_first, end - k_first};
}

// Reserves a port by a socket with an abstract address, which disappears when the socket is closed. Returns no socket
// if another process has reserved the port.
support::descriptor reserve(std::uint16_t port) {
    support::descriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (!socket.open()) detail::throw_errno("socket");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "turnstile-testing-port-" + std::to_string(port);
    name.copy(&address.sun_path[1], sizeof address.sun_path - 1);
    const auto length = offsetof(sockaddr_un, sun_path) + 1 + name.size();
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address),
               static_cast<socklen_t>(length)) != 0) {
        return {};
    }
    return socket;
}

// Binds as servers do, so connections in TIME_WAIT do not matter.
bool can_be_bound(std::uint16_t port) {
    const support::descriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (!socket.open()) detail::throw_errno("socket");
    const int on = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

loopback_port::loopback_port() {
    const port_range ports = usable_ports();
    // The search starts at a random port, so that a released port is not reused soon. A client that still tries to
    // reach the old server must not reach a new server.
    const std::uint32_t start = std::random_device{}() % ports.count;
    for (std::uint32_t i = 0; i < ports.count; ++i) {
        const auto port = static_cast<std::uint16_t>(ports.first + (start + i) % ports.count);
        auto reservation = reserve(port);
        if (reservation.open() && can_be_bound(port)) {
            number_ = port;
            reservation_ = reservation.release();
            return;
        }
    }
    throw std::runtime_error{"no free port on 127.0.0.1"};
}

loopback_port::~loopback_port() {
    support::descriptor{reservation_}.reset();
}

loopback_port::loopback_port(loopback_port&& other) noexcept
    : number_{std::exchange(other.number_, std::uint16_t{0})},
      reservation_{std::exchange(other.reservation_, -1)} {}

loopback_port& loopback_port::operator=(loopback_port&& other) noexcept {
    std::swap(number_, other.number_);
    std::swap(reservation_, other.reservation_);
    return *this;
}

std::string loopback_port::address() const {
    return "127.0.0.1:" + std::to_string(number_);
}

}  // namespace turnstile::testing
