// SPDX-License-Identifier: Apache-2.0
// Points on an artificial time line.
#pragma once

#include <chrono>

#include "core/seam/seam.hpp"

namespace turnstile::test {

// The point `since_start` after the line's start. The start is later than any small duration before it.
constexpr core::time_point at(core::duration since_start) {
    return core::time_point{std::chrono::hours{1}} + since_start;
}

}  // namespace turnstile::test
