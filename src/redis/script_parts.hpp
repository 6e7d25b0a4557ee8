// SPDX-License-Identifier: Apache-2.0
// script_parts: what the scripts have in common. Thread safety: constants.
#pragma once

#include <string>
#include <string_view>

namespace turnstile::redis::script_parts {

// What every script begins with, up to the sessions that are due. `first` is done before those are looked for.
[[nodiscard]] std::string common(std::string_view first);
// What those go on with that are carried out for a session: it is the caller's, and it lives on from now.
[[nodiscard]] std::string session();

}  // namespace turnstile::redis::script_parts
