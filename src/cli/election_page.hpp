// SPDX-License-Identifier: Apache-2.0
// election_page: the HTTP server of `turnstile elect --http`, for a sidecar and for probes, and its address.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/client.hpp"
#include "turnstile/leader.hpp"

namespace turnstile::cli {

// An address such as "8080", "127.0.0.1:8080", "[::1]:8080" or "0.0.0.0:8080".
//
// Thread safety: a value and a pure function.
struct http_address {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;  // 0: any free port
    friend bool operator==(const http_address&, const http_address&) = default;
};

// Parses an address. Without a host, the address is the loopback address. Returns nothing if the text is invalid.
[[nodiscard]] std::optional<http_address> parse_http_address(std::string_view text);

// Returns a text such as "127.0.0.1:8080" or "[::1]:8080".
[[nodiscard]] std::string to_string(const http_address& address);

// Reads the election's queue at most once a second, however many clients it has. Checks and limits HTTP requests as the
// admin page's server does (admin/http).
class election_page {
public:
    // Starts the server. `names`: further host names of this server. `seat` and `servers` must outlive the page. Throws
    // std::runtime_error if it cannot listen at the address.
    election_page(const http_address& where, std::vector<std::string> names, const leader& seat,
                  const client& servers);
    ~election_page();
    election_page(const election_page&) = delete;
    election_page& operator=(const election_page&) = delete;

    [[nodiscard]] http_address address() const;

private:
    class listener;
    const std::unique_ptr<listener> listener_;
};

}  // namespace turnstile::cli
