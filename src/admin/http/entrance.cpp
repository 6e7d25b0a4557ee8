// SPDX-License-Identifier: Apache-2.0
#include "admin/http/entrance.hpp"

#include <utility>

#include "admin/http/refusal.hpp"

namespace turnstile::admin {
namespace {

// If one of these headers occurred twice, this program and a proxy could understand the request differently.
constexpr const char* k_single_headers[] = {
    "Authorization", "Content-Type", "Cookie", "Origin", "Sec-Fetch-Site", "X-Turnstile-CSRF",
};

void check_form(const http_request& head) {
    for (const auto* name : k_single_headers)
        if (head.count(name) > 1)
            throw refusal{400, "bad_request",
                          std::string{name} +
                              ": the request has several headers with this name; one is allowed"};
    const bool reads = head.method == "GET" || head.method == "HEAD";
    if (!reads && head.method != "POST")
        throw refusal{405, "method", head.method + ": expected GET, HEAD or POST"};
    if (head.count("Content-Encoding") != 0)
        throw refusal{415, "media_type",
                      "Content-Encoding is not supported: send the body as it is"};
}

}  // namespace

entrance::entrance(host_names names) : names_{std::move(names)} {}

void entrance::check(const http_request& head) const {
    const auto host = head.header("Host");
    // Some load balancers send probes with HTTP/1.0 and without `Host`. Browsers always send `Host`.
    if (head.count("Host") != 0 && !names_.include(host, head.here))
        throw refusal{421, "host",
                      "the header Host is " + std::string{host} +
                          ", and this server has another name; --allow-host adds a name"};
    check_form(head);
}

}  // namespace turnstile::admin
