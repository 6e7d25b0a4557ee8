// SPDX-License-Identifier: Apache-2.0
// entrance: the checks that every request to the admin page or to an election's page must pass before a service gets
// it.
//
//     host_names   the names of this server that a request's `Host` may contain
//
// Thread safety: values and pure functions; const members from any thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "admin/http/listen_address.hpp"
#include "admin/http/request.hpp"

namespace turnstile::admin {

// Decides whether a request's `Host` names this server. is_own_page() decides whether a change comes from this server's
// page.
//
// A hostile site can make its name resolve to 127.0.0.1 (DNS rebinding), and then read this server's answers through a
// user's browser. Such requests have the hostile name in `Host`, so the server answers only known names. A form of
// another site can also send a change. Then `Origin` or `Sec-Fetch-Site` shows the other site.
class host_names {
public:
    // `further`: additional names of this server, without a port.
    explicit host_names(const std::vector<std::string>& further);

    // Checks the header `Host` of a connection whose local address is `here`. Known names are: that address with its
    // port; on loopback, also localhost, 127.0.0.1 and [::1] with that port; the additional names with any port.
    // Numeric addresses are safe, because they need no DNS.
    [[nodiscard]] bool include(std::string_view host, const listen_address& here) const;

private:
    std::set<std::string> further_;  // "locks.example.org"
};

// Checks the headers of a request that changes something. A header may be empty. `origin` must be the origin of the
// page itself, including the scheme: an attacker on the network can forge a page of http://NAME, and the server of
// https://NAME must refuse that page's requests.
[[nodiscard]] bool is_own_page(std::string_view origin, std::string_view scheme,
                               std::string_view host, std::string_view fetch_site);

// Returns the host in a text such as "NAME:PORT" or "[ADDRESS]:PORT", in lower case.
[[nodiscard]] std::string host_name(std::string_view host);

// The request's syntax was checked before (request_reader.hpp).
class entrance {
public:
    explicit entrance(host_names names);

    // Checks the request. Throws refusal with a status and a code: 400 form; 405 method; 415 for an encoded body; 421
    // for a `Host` that is not this server's.
    void check(const http_request& head) const;

private:
    const host_names names_;
};

}  // namespace turnstile::admin
