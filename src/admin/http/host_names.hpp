// SPDX-License-Identifier: Apache-2.0
// host_names: the names of a server. is_own_page: the pages that may send it changes.
//
// A page of another site can let one of its names lead to 127.0.0.1 (DNS rebinding), and then read this server's
// answers through the browser. The requests of such a page have that name in `Host`, so only known names are answered.
// A form of another site can send a change. Then `Origin` or `Sec-Fetch-Site` shows the other site.
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

    // Checks the header `Host` of a connection whose own end is `here`. Known names are: that end's numeric address
    // with its port; on loopback the machine's usual names with that port; the further names with any port. A numeric
    // address cannot be rebound.
    [[nodiscard]] bool include(std::string_view host, const listen_address& here) const;

private:
    std::set<std::string> further_;  // "locks.example.org"
};

// Checks the headers of a request that changes something; each header may be empty. The Origin must be the page's,
// including its scheme: an attacker on the network can forge a page of http://NAME, so this page must not act on
// https://NAME.
[[nodiscard]] bool is_own_page(std::string_view origin, std::string_view scheme,
                               std::string_view host, std::string_view fetch_site);

// Returns the name in "NAME:PORT" or "[ADDRESS]:PORT", in lower case.
[[nodiscard]] std::string host_name(std::string_view host);

}  // namespace turnstile::admin
