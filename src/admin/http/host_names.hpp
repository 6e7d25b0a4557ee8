// SPDX-License-Identifier: Apache-2.0
// host_names: the names that a server answers to. is_own_page: which pages may send it changes.
//
// A page of another site can point a name of its own at 127.0.0.1 (DNS rebinding) and then read what the browser reaches
// there. Its requests carry that name in `Host`: so only known names are answered. A form of another site can send a
// change: its `Origin` says so, or `Sec-Fetch-Site`.
//
// Thread safety: a value and pure functions; const members from any thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "admin/http/listen_address.hpp"

namespace turnstile::admin {

class host_names {
public:
    // `further`: names, without a port, that a proxy or the DNS has for this server.
    explicit host_names(const std::vector<std::string>& further);

    // Checks the header `Host` of a connection whose own end is `here`. Known are that end's numeric address with its
    // port, on loopback the machine's usual names with that port, and the further names with any port. A numeric address
    // cannot be rebound.
    [[nodiscard]] bool include(std::string_view host, const listen_address& here) const;

private:
    std::set<std::string> further_;  // "locks.example.org"
};

// Checks the headers of a change; each may be empty. An Origin must be that of the page itself, its scheme included: a
// page of http://NAME is another site than https://NAME, and anybody on the way can write it.
[[nodiscard]] bool is_own_page(std::string_view origin, std::string_view scheme,
                               std::string_view host, std::string_view fetch_site);

// The name of "NAME:PORT" or "[ADDRESS]:PORT", in lower case, without a port.
[[nodiscard]] std::string host_name(std::string_view host);

}  // namespace turnstile::admin
