// SPDX-License-Identifier: Apache-2.0
// Whether somebody looks at the page: what nobody looks at is read seldom.
#pragma once

#include <chrono>

namespace turnstile::admin {

// A person whose latest request came this long ago is taken to look still.
inline constexpr std::chrono::seconds k_attention{30};

}  // namespace turnstile::admin
