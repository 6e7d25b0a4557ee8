// SPDX-License-Identifier: Apache-2.0
// k_attention: the time for which a user counts as watching the admin page after the user's latest request. While no
// user watches, the server reads the data less often.
#pragma once

#include <chrono>

namespace turnstile::admin {

inline constexpr std::chrono::seconds k_attention{30};

}  // namespace turnstile::admin
