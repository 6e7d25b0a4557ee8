// SPDX-License-Identifier: Apache-2.0
// http_request: a request that the server has parsed and checked.
//
// Thread safety: a value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "admin/http/listen_address.hpp"

namespace turnstile::admin {

struct http_header {
    std::string name;
    std::string value;
};

struct http_request {
    std::string method{};  // "GET"
    std::string target{};  // path and query: "/api/v1/locks?limit=1"
    std::vector<http_header> headers{};
    std::string body{};
    std::string peer{};     // the client's numeric address
    listen_address here{};  // the server's end of the connection
    bool encrypted = false;

    // Returns the value of the first header with this name, ignoring case; empty if there is none.
    [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
    [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
};

// Removes the spaces around a value in a header.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

// Compares names of headers or hosts, ignoring the case of ASCII letters.
[[nodiscard]] bool same_name(std::string_view a, std::string_view b) noexcept;

}  // namespace turnstile::admin
