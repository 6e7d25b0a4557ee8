// SPDX-License-Identifier: Apache-2.0
#include "base/resource_name.hpp"

#include <algorithm>
#include <set>

namespace turnstile::base {

namespace {

std::string normal(std::string_view hosts) {
    if (hosts.starts_with("local:"))
        return std::string{hosts};  // names of trees are case-sensitive
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
    const auto slash = std::min(servers.find('/'), servers.size());
    return {std::string{servers.substr(slash)} + std::string{path},
            normal(servers.substr(0, slash))};
}

resource_name split_resource_name(std::string_view text) {
    const auto slash = std::min(text.find('/'), text.size());
    return {std::string{text.substr(slash)}, std::string{text.substr(0, slash)}};
}

}  // namespace turnstile::base
