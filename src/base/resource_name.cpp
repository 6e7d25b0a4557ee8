// SPDX-License-Identifier: Apache-2.0
#include "base/resource_name.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace turnstile::base {

namespace {

// Precedes the chroot in a database's connect string; the text before it is the database.
constexpr std::string_view k_chroot = "?chroot=";

// Returns the length of the scheme with its "://"; 0 without a scheme.
std::size_t length_of_scheme(std::string_view servers) noexcept {
    constexpr std::string_view k_mark = "://";
    const auto mark = servers.find(k_mark);
    return mark == std::string_view::npos || servers.find('/') < mark ? 0 : mark + k_mark.size();
}

std::size_t end_of_hosts(std::string_view servers) noexcept {
    return std::min(servers.find('/', length_of_scheme(servers)), servers.size());
}

std::string normal(std::string_view hosts) {
    if (hosts.starts_with("local:"))
        return std::string{hosts};  // names after "local:" are case-sensitive
    std::set<std::string> all;
    for (std::size_t from = 0; from <= hosts.size();) {
        const auto to = std::min(hosts.find(',', from), hosts.size());
        std::string host{hosts.substr(from, to - from)};
        std::transform(host.begin(), host.end(), host.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        all.insert(std::move(host));
        from = to + 1;
    }
    std::string text;
    for (const auto& host : all) text += text.empty() ? host : ',' + host;
    return text;
}

}  // namespace

resource_name make_resource_name(std::string_view servers, std::string_view path) {
    const auto scheme = servers.substr(0, length_of_scheme(servers));
    const bool has_query = !scheme.empty() || servers.starts_with("sqlite:");
    const auto query_at = has_query ? std::min(servers.find('?'), servers.size()) : servers.size();
    auto query = servers.substr(query_at);
    std::string_view chroot;
    if (query.starts_with(k_chroot)) chroot = std::exchange(query, {}).substr(k_chroot.size());
    const auto rest = servers.substr(0, query_at);
    const auto slash = end_of_hosts(rest);
    return {std::string{rest.substr(slash)} + std::string{chroot} + std::string{path},
            std::string{scheme} + normal(rest.substr(scheme.size(), slash - scheme.size())) +
                std::string{query}};
}

resource_name split_resource_name(std::string_view text) {
    const auto slash = end_of_hosts(text);
    return {std::string{text.substr(slash)}, std::string{text.substr(0, slash)}};
}

}  // namespace turnstile::base
