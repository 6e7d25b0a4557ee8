// SPDX-License-Identifier: Apache-2.0
#include "admin/assets.hpp"

#include <array>
#include <utility>

namespace turnstile::admin {

const asset* asset_called(std::string_view name) noexcept {
    for (const auto& each : assets())
        if (each.name == name) return &each;
    return nullptr;
}

std::string_view content_type_of(std::string_view name) noexcept {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> k_types{
        {{".html", "text/html; charset=utf-8"},
         {".js", "text/javascript; charset=utf-8"},
         {".css", "text/css; charset=utf-8"},
         {".svg", "image/svg+xml"},
         {".json", "application/json"}}};
    for (const auto& [end, type] : k_types)
        if (name.ends_with(end)) return type;
    return {};
}

}  // namespace turnstile::admin
