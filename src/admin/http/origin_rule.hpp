// SPDX-License-Identifier: Apache-2.0
// origin_rule: which names the page answers to, and which pages may send it changes.
//
// A page of another site can point a name of its own at 127.0.0.1 (DNS rebinding) and then read what the browser reaches
// there. Its requests carry that name in `Host`: so only known names are answered. A form of another site can send a
// change: its `Origin` says so, or `Sec-Fetch-Site`.
//
// Thread safety: a value; const members from any thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "admin/http/listen_address.hpp"

namespace turnstile::admin {

class origin_rule {
public:
    // `names`: further names, without a port, that a proxy or the DNS has for this server.
    origin_rule(const listen_address& address, const std::vector<std::string>& names);

    // Of the header `Host`: a known name, and this server's port or, for the further names, any.
    [[nodiscard]] bool knows_host(std::string_view host) const;
    // Of the headers of a change; each may be empty. An Origin must be that of the page itself.
    [[nodiscard]] bool is_own_page(std::string_view origin, std::string_view host,
                                   std::string_view fetch_site) const;

private:
    std::set<std::string> own_;      // "localhost:8088"
    std::set<std::string> further_;  // "locks.example.org"
};

// The name of "NAME:PORT" or "[ADDRESS]:PORT", in lower case, without a port.
[[nodiscard]] std::string host_name(std::string_view host);

}  // namespace turnstile::admin
