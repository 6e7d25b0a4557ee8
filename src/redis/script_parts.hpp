// SPDX-License-Identifier: Apache-2.0
// script_parts: what the scripts have in common. Thread safety: constants.
#pragma once

#include <string>
#include <string_view>

namespace turnstile::redis::script_parts {

// The beginning of every script: `first`, then the end of every session that is due.
[[nodiscard]] std::string common(std::string_view first);
// The second part of scripts that serve a session: refuses one that is not the caller's, and lets it live on from now.
[[nodiscard]] std::string session();

}  // namespace turnstile::redis::script_parts
