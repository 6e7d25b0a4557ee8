// SPDX-License-Identifier: Apache-2.0
// loopback_port: reserves a TCP port of 127.0.0.1 that no other test on this machine uses.
//
// The port is below the range that the kernel uses for outgoing connections, and is free at the time of construction.
// No other process that uses this class gets the port until the object is destroyed or the process dies. The
// reservation is an abstract unix socket with the port's number in its name. So it belongs to the same network
// namespace as the port, and leaves no file behind.
//
// Thread safety: any thread may call const members.
#pragma once

#include <cstdint>
#include <string>

#include "turnstile/language.hpp"

namespace turnstile::testing {

// A reserved port.
class loopback_port {
public:
    // Reserves a port. Throws std::runtime_error if no port is free.
    loopback_port();
    ~loopback_port();
    loopback_port(loopback_port&& other) noexcept;
    loopback_port& operator=(loopback_port&& other) noexcept;

    // Returns the number of the port.
    [[nodiscard]] std::uint16_t number() const noexcept { return number_; }
    [[nodiscard]] std::string address() const;  // "127.0.0.1:20001"

private:
    std::uint16_t number_ = 0;
    int reservation_ = -1;
};

}  // namespace turnstile::testing
