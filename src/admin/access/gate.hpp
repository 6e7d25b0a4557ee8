// SPDX-License-Identifier: Apache-2.0
// gate: determines the user of a request (a sign-in, a token or a trusted proxy), and whether the user may send it. The
// server has already checked the request's form (admin/http/entrance.hpp).
//
//     address_list   the addresses of trusted proxies
//
// Thread safety: const members from any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "admin/access/role.hpp"
#include "admin/access/sign_ins.hpp"
#include "admin/access/users.hpp"
#include "admin/http/request.hpp"

namespace turnstile::admin {

// Returns the 4 or 16 bytes of a numeric address. An IPv4 address inside IPv6 has 4 bytes. Empty if `text` is not an
// address.
[[nodiscard]] std::string address_bytes(std::string_view text);

// The addresses of trusted proxies: "127.0.0.1", "10.0.0.0/8", "fd00::/8". A value.
class address_list {
public:
    address_list() = default;
    // Parses the addresses. Throws std::runtime_error if a text is neither an address nor an address with a prefix
    // length.
    explicit address_list(const std::vector<std::string>& texts);

    [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }
    [[nodiscard]] bool include(std::string_view address) const;

private:
    struct block {
        std::string bytes;
        std::size_t bits = 0;
    };
    std::vector<block> blocks_;
};

// A proxy that authenticates users and sends their names in headers. The headers count only in requests from the
// proxy's own addresses.
struct proxy_settings {
    std::vector<std::string> addresses{};  // in the form of address_list; empty: no proxy
    std::string user_header = "X-Forwarded-User";
    std::string groups_header = "X-Forwarded-Groups";
};

class gate {
public:
    // `names`: the values of --allow-host. A name may begin with the scheme that browsers use, "https://". Throws
    // std::runtime_error for an invalid proxy address.
    gate(bool encrypted, const std::vector<std::string>& names, proxy_settings proxy);

    // Checks the origin of a request that changes something. Throws refusal (403 origin, or 415 media_type).
    void check(const http_request& request) const;
    // Returns the user of the request. Throws refusal (400) if a header of the proxy occurs several times.
    [[nodiscard]] identity identify(const http_request& request, const secrets& known,
                                    sign_ins& records) const;
    // Checks that the admin page itself sent a request that changes something. Throws refusal (403 csrf).
    static void check_change(const http_request& request, const identity& caller);

    // The client's address: the address of the connection, or the address that a trusted proxy reports
    // (X-Forwarded-For).
    [[nodiscard]] std::string address_of(const http_request& request) const;
    // Returns the value of the cookie that identifies a browser.
    [[nodiscard]] std::string browser_of(const http_request& request) const;

    [[nodiscard]] std::string cookie_header(const std::string& id) const;
    [[nodiscard]] std::string browser_cookie_header(const std::string& id) const;
    [[nodiscard]] std::string end_of_cookie() const;

private:
    [[nodiscard]] std::string cookie_name(std::string_view base) const;
    [[nodiscard]] std::string scheme_of(const http_request& request) const;
    [[nodiscard]] identity user_of_proxy(const http_request& request, const secrets& known) const;

    const bool encrypted_;
    std::map<std::string, std::string> schemes_;  // the scheme of each host name
    const proxy_settings proxy_;
    const address_list proxies_;
    const std::string key_;  // signs the tokens that changes carry behind a proxy
};

// Returns the name without a scheme such as "https://", for the check of the header `Host`.
[[nodiscard]] std::string without_scheme(std::string_view name);

}  // namespace turnstile::admin
