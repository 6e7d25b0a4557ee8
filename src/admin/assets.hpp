// SPDX-License-Identifier: Apache-2.0
// assets: the files of the admin page, which the build compiles into the program.
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

// The files of src/admin/page, and openapi.json.
[[nodiscard]] std::span<const asset> assets() noexcept;

// Returns the file with this name; null if there is none.
[[nodiscard]] const asset* asset_called(std::string_view name) noexcept;

// Returns a content type such as "text/javascript; charset=utf-8" for the name's extension. Returns an empty text for a
// file that the server does not send to browsers.
[[nodiscard]] std::string_view content_type_of(std::string_view name) noexcept;

}  // namespace turnstile::admin
