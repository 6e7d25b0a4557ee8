// SPDX-License-Identifier: Apache-2.0
// A user counts as watching the page for this time after the latest request. Data that no user watches is read less
// often.
#pragma once

#include <chrono>

namespace turnstile::admin {

inline constexpr std::chrono::seconds k_attention{30};

}  // namespace turnstile::admin
