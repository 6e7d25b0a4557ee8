// SPDX-License-Identifier: Apache-2.0
// TURNSTILE_CHECK: an assert that release builds keep, for what is cheap to look at.
//
// Where an exclusive hold would rest on a state that cannot be, ending the process is the safe way: its session
// expires, and the lock goes on to the next contender. What is dear to look at is a plain assert, which release builds
// leave out.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace turnstile::base {

// Says which rule is broken, and ends the process. Thread safety: any.
[[noreturn]] inline void end_by_broken_rule(const char* rule, const char* file, int line) noexcept {
    std::fprintf(stderr, "turnstile: broken rule: %s (%s:%d)\n", rule, file, line);
    std::abort();
}

}  // namespace turnstile::base

// The condition is evaluated once; it has no effect. TURNSTILE_NO_CHECKS is for a simulator with faults in
// it: a promise that breaks has to find them, and not a check.
#if defined(TURNSTILE_NO_CHECKS)
#define TURNSTILE_CHECK(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#else
#define TURNSTILE_CHECK(condition) \
    (static_cast<bool>(condition)  \
         ? static_cast<void>(0)    \
         : ::turnstile::base::end_by_broken_rule(#condition, __FILE_NAME__, __LINE__))
#endif
