// SPDX-License-Identifier: Apache-2.0
// Instants for tests, on an artificial time line.
#pragma once

#include <chrono>

#include "core/seam/seam.hpp"

namespace turnstile::test {

// Returns the instant `since_start` after the start of the time line. The time line starts an hour after the clock's
// zero, so that earlier instants exist.
constexpr core::time_point at(core::duration since_start) {
    return core::time_point{std::chrono::hours{1}} + since_start;
}

}  // namespace turnstile::test
