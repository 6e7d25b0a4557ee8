// SPDX-License-Identifier: Apache-2.0
// Connect strings without their passwords:
//
//     masked            as it may be shown, in a message, a page or a log
//     without_password  as it names the servers
//
// Thread safety: a pure function.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace turnstile::base {

namespace detail {

inline constexpr std::string_view k_mask = "***";

// The last '@' of the part before the host; npos if there is none. An '@' behind "?name=" belongs to a parameter; of
// Redis' form only the sentinels' user and password may have one.
[[nodiscard]] inline std::size_t end_of_user(std::string_view text, std::size_t begin) {
    const auto parameters =
        text.starts_with("redis")
            ? std::min(text.find("sentinel_username="), text.find("sentinel_password="))
            : text.find('=', std::min(text.find('?', begin), text.size()));
    const auto at = text.substr(0, parameters).rfind('@');
    return at == std::string_view::npos || at < begin ? std::string_view::npos : at;
}

// From behind the colon, or the slashes, to the '@'; two equal numbers if there is no '@'.
struct password_place {
    std::size_t begin = 0;
    std::size_t end = 0;
};
[[nodiscard]] inline password_place password_of_user(std::string_view text) {
    const auto slashes = text.find("://");
    if (slashes == std::string_view::npos) return {};
    const auto begin = slashes + 3;
    const auto at = end_of_user(text, begin);
    if (at == std::string_view::npos) return {};
    const auto colon = text.find(':', begin);
    return {colon < at ? colon + 1 : begin, at};
}

}  // namespace detail

// With "***" for the password of its "user:password@" (for all of it, where there is no colon) and for the value of each
// parameter whose name ends with "password". A password that should have been escaped and was not is hidden, too, but
// for one with "?name=" in it in a database's form, which reads like a parameter.
[[nodiscard]] inline std::string masked(std::string_view connect_string) {
    std::string shown{connect_string};
    const auto [begin, end] = detail::password_of_user(connect_string);
    if (begin != end) shown.replace(begin, end - begin, detail::k_mask);
    constexpr std::string_view k_parameter = "password=";
    for (auto at = shown.find(k_parameter); at != std::string::npos;
         at = shown.find(k_parameter, at + k_parameter.size())) {
        const auto from = at + k_parameter.size();
        const auto to = std::min(shown.find('&', from), shown.size());
        shown.replace(from, to - from, detail::k_mask);
    }
    return shown;
}

// Without ":password" before the host: the same servers, for each user.
[[nodiscard]] inline std::string without_password(std::string_view connect_string) {
    std::string shown{connect_string};
    const auto [begin, end] = detail::password_of_user(connect_string);
    if (begin != end && shown[begin - 1] == ':') shown.erase(begin - 1, end - begin + 1);
    return shown;
}

}  // namespace turnstile::base
