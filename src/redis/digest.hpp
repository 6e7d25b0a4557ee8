// SPDX-License-Identifier: Apache-2.0
// sha1_in_hex: by what the scripts tell credentials apart. The server is not told the credentials themselves.
//
// Thread safety: a pure function.
#pragma once

#include <string>
#include <string_view>

namespace turnstile::redis {

// 40 digits.
[[nodiscard]] std::string sha1_in_hex(std::string_view text);

}  // namespace turnstile::redis
