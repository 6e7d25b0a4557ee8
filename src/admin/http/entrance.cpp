// SPDX-License-Identifier: Apache-2.0
#include "admin/http/entrance.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "admin/http/refusal.hpp"

namespace turnstile::admin {
namespace {

std::string lower(std::string_view text) {
    std::string result{text};
    std::transform(result.begin(), result.end(), result.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return result;
}

}  // namespace

std::string host_name(std::string_view host) {
    const auto behind = host.starts_with('[') ? host.find(']') : 0;
    if (behind == std::string_view::npos) return lower(host);
    return lower(host.substr(0, host.find(':', behind)));
}

host_names::host_names(const std::vector<std::string>& further) {
    for (const auto& name : further) further_.insert(host_name(name));
}

bool host_names::include(std::string_view host, const listen_address& here) const {
    if (same_name(host, to_string(here)) || further_.contains(host_name(host))) return true;
    if (!is_loopback(here)) return false;
    const auto port = ":" + std::to_string(here.port);
    return std::ranges::any_of(std::array{"localhost", "127.0.0.1", "[::1]"},
                               [&](const char* name) { return same_name(host, name + port); });
}

bool is_own_page(std::string_view origin, std::string_view scheme, std::string_view host,
                 std::string_view fetch_site) {
    if (!fetch_site.empty() && fetch_site != "same-origin" && fetch_site != "none") return false;
    if (origin.empty()) return true;  // no browser: a browser sends an Origin with each POST
    const auto end = origin.find("://");
    return end != std::string_view::npos && same_name(origin.substr(0, end), scheme) &&
           same_name(origin.substr(end + 3), host);
}

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
