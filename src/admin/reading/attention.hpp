// SPDX-License-Identifier: Apache-2.0
// The time for which a person counts as looking at the page. Data at which no person looks is read less often.
#pragma once

#include <chrono>

namespace turnstile::admin {

// A person counts as looking for this time after the latest request.
inline constexpr std::chrono::seconds k_attention{30};

}  // namespace turnstile::admin
