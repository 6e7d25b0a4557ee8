// SPDX-License-Identifier: Apache-2.0
#include "admin/http/origin_rule.hpp"

#include <algorithm>

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

origin_rule::origin_rule(const listen_address& address, const std::vector<std::string>& names) {
    const auto port = ":" + std::to_string(address.port);
    own_.insert(lower(to_string(address)));
    if (is_loopback(address))
        for (const char* name : {"localhost", "127.0.0.1", "[::1]"}) own_.insert(name + port);
    for (const auto& name : names) further_.insert(host_name(name));
}

bool origin_rule::knows_host(std::string_view host) const {
    return own_.contains(lower(host)) || further_.contains(host_name(host));
}

bool origin_rule::is_own_page(std::string_view origin, std::string_view host,
                              std::string_view fetch_site) const {
    if (!fetch_site.empty() && fetch_site != "same-origin" && fetch_site != "none") return false;
    if (origin.empty()) return true;  // no browser: those send one with each POST
    const auto scheme = origin.find("://");
    return scheme != std::string_view::npos && lower(origin.substr(scheme + 3)) == lower(host);
}

}  // namespace turnstile::admin
