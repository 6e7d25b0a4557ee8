// SPDX-License-Identifier: Apache-2.0
// gate: who a request comes from, and whether that is allowed: own pages, sign-ins, tokens, a trusted proxy. The server has
// checked before that the request is well formed (admin/http/entrance.hpp).
//
// Thread safety: const members from any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "admin/access/address_list.hpp"
#include "admin/access/identity.hpp"
#include "admin/access/secrets.hpp"
#include "admin/access/sign_ins.hpp"
#include "admin/http/request.hpp"

namespace turnstile::admin {

// A proxy that signs people in and says who they are. Its headers count only from its own addresses; from others they are
// not looked at.
struct proxy_settings {
    std::vector<std::string> addresses{};  // as address_list reads them; empty: there is none
    std::string user_header = "X-Forwarded-User";
    std::string groups_header = "X-Forwarded-Groups";
};

class gate {
public:
    // `names`: those of --allow-host; one may begin with the scheme under which browsers know it, "https://". Throws
    // std::runtime_error for an address of the proxy that is none.
    gate(bool encrypted, const std::vector<std::string>& names, proxy_settings proxy);

    // Checks where a change comes from. Throws refusal: 403 origin, 415.
    void check(const http_request& request) const;
    // Throws refusal (400) for a proxy's header that came several times.
    [[nodiscard]] identity identify(const http_request& request, const secrets& known,
                                    sign_ins& records) const;
    // That this change comes from the page itself. Throws refusal (403 csrf).
    static void check_change(const http_request& request, const identity& caller);

    // The client's address: the peer's, or what a trusted proxy says (X-Forwarded-For).
    [[nodiscard]] std::string address_of(const http_request& request) const;
    // The value of the cookie by which a browser is known.
    [[nodiscard]] std::string browser_of(const http_request& request) const;

    [[nodiscard]] std::string cookie_header(const std::string& id) const;
    [[nodiscard]] std::string browser_cookie_header(const std::string& id) const;
    [[nodiscard]] std::string end_of_cookie() const;

private:
    [[nodiscard]] std::string cookie_name(std::string_view base) const;
    [[nodiscard]] std::string scheme_of(const http_request& request) const;
    [[nodiscard]] identity user_of_proxy(const http_request& request, const secrets& known) const;

    const bool encrypted_;
    std::map<std::string, std::string> schemes_;  // by the name of the host
    const proxy_settings proxy_;
    const address_list proxies_;
    const std::string key_;  // of the tokens that changes carry behind a proxy
};

// The name in "https://locks.example.org", for the check of `Host`.
[[nodiscard]] std::string without_scheme(std::string_view name);

}  // namespace turnstile::admin
