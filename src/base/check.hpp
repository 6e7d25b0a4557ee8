// SPDX-License-Identifier: Apache-2.0
// check: an assert that release builds keep, for what is cheap to check and dangerous to be wrong about.
//
// Where an exclusive hold would rest on a state that cannot be, ending the process is the safe way: its session
// expires, and the lock goes on to the next contender.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace turnstile::base {

// Thread safety: any.
inline void check(bool holds, const char* rule) noexcept {
    if (holds) return;
    static_cast<void>(std::fprintf(stderr, "turnstile: broken rule: %s\n", rule));
    std::abort();
}

}  // namespace turnstile::base
