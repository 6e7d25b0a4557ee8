// SPDX-License-Identifier: Apache-2.0
// loopback_port: a TCP port of 127.0.0.1 that no other test on this machine picks.
//
// It lies below the range from which the kernel takes ports for outgoing connections, can be bound
// at the time of construction, and is reserved among all processes that use this class, until it is
// destroyed or the process dies. The reservation is an abstract unix socket named after the port:
// it belongs to the same network namespace as the port itself and leaves no file behind.
//
// Thread safety: const members from any thread.
#pragma once

#include <cstdint>
#include <string>

#include "turnstile/language.hpp"

namespace turnstile::testing {

class loopback_port {
public:
    // Throws std::runtime_error if no port is free.
    loopback_port();
    ~loopback_port();
    loopback_port(loopback_port&& other) noexcept;
    loopback_port& operator=(loopback_port&& other) noexcept;

    [[nodiscard]] std::uint16_t number() const noexcept { return number_; }
    [[nodiscard]] std::string address() const;  // "127.0.0.1:20001"

private:
    std::uint16_t number_ = 0;
    int reservation_ = -1;
};

}  // namespace turnstile::testing
