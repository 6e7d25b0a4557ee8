// SPDX-License-Identifier: Apache-2.0
#include "admin/http/host_names.hpp"

#include <algorithm>
#include <array>

#include "admin/http/request.hpp"

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

}  // namespace turnstile::admin
