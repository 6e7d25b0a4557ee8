// SPDX-License-Identifier: Apache-2.0
// tcp: functions with which the testing kit parses addresses and uses sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/descriptor.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing::detail {

// Parses "host:port" or "host:port/chroot". Throws std::runtime_error for any other text.
std::pair<std::string, std::uint16_t> parse_address(const std::string& text);

// Returns the addresses of a connect string "host:port,host:port[/chroot]".
std::vector<std::string> split_connect_string(const std::string& text);

// Returns a non-blocking socket that connects to an IPv4 host. It is writable when it is connected. Throws
// std::runtime_error for an unknown name, and std::system_error if connecting cannot begin.
support::descriptor begin_connect(const std::string& host, std::uint16_t port);

// A blocking connection. Each operation has a deadline.
class tcp_connection {
public:
    // Throws std::system_error with ECONNREFUSED, ETIMEDOUT, ...
    tcp_connection(const std::string& host, std::uint16_t port, test_deadline until);

    void send(std::string_view rest);
    // Reads `count` bytes. Returns an empty text at the end of the stream.
    std::string receive_exactly(std::size_t count);
    std::string receive_all();

private:
    void wait_for(short events) const;
    std::size_t receive_some(char* into, std::size_t most);

    test_deadline until_;
    support::descriptor socket_;
};

}  // namespace turnstile::testing::detail
