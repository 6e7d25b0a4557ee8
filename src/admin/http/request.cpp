// SPDX-License-Identifier: Apache-2.0
#include "admin/http/request.hpp"

#include <algorithm>

namespace turnstile::admin {
namespace {

char lower_letter(char letter) noexcept {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) noexcept {
    return std::ranges::equal(a, b, {}, lower_letter, lower_letter);
}

std::string_view http_request::header(std::string_view name) const noexcept {
    for (const auto& each : headers)
        if (same_name(each.name, name)) return each.value;
    return {};
}

std::size_t http_request::count(std::string_view name) const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(
        headers, [name](const auto& each) { return same_name(each.name, name); }));
}

}  // namespace turnstile::admin
