// SPDX-License-Identifier: Apache-2.0
// TURNSTILE_CHECK: an assert that release builds keep, for conditions that are cheap to evaluate.
//
// After a state that the code's rules exclude, no hold is certain. TURNSTILE_CHECK ends the process then, which is
// safe: the servers expire the process's session, and the next contender gets the lock. Conditions that are expensive
// to evaluate are plain asserts, which release builds leave out.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace turnstile::base {

// Prints the broken rule, and ends the process. Thread safety: from any thread.
[[noreturn]] inline void end_by_broken_rule(const char* rule, const char* file, int line) noexcept {
    std::fprintf(stderr, "turnstile: broken rule: %s (%s:%d)\n", rule, file, line);
    std::abort();
}

}  // namespace turnstile::base

// The condition is evaluated once and must have no side effect. A simulator that tests with mutants defines
// TURNSTILE_NO_CHECKS: a judge must find the mutant by a broken promise, before any check does.
#if defined(TURNSTILE_NO_CHECKS)
#define TURNSTILE_CHECK(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#else
#define TURNSTILE_CHECK(condition) \
    (static_cast<bool>(condition)  \
         ? static_cast<void>(0)    \
         : ::turnstile::base::end_by_broken_rule(#condition, __FILE_NAME__, __LINE__))
#endif
