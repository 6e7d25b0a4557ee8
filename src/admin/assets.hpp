// SPDX-License-Identifier: Apache-2.0
// assets: the page's files, which the build puts into the program.
//
// Thread safety: constants.
#pragma once

#include <span>
#include <string_view>

namespace turnstile::admin {

struct asset {
    std::string_view name;  // "app.js"
    std::string_view content;
};

// Those of src/admin/page, and openapi.json.
[[nodiscard]] std::span<const asset> assets() noexcept;

// Null if there is none.
[[nodiscard]] const asset* asset_called(std::string_view name) noexcept;

// "text/javascript; charset=utf-8" by the name's end; empty for a file that is not for browsers.
[[nodiscard]] std::string_view content_type_of(std::string_view name) noexcept;

}  // namespace turnstile::admin
