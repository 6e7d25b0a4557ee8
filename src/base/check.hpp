// SPDX-License-Identifier: Apache-2.0
// TURNSTILE_CHECK: an assert that release builds keep, for conditions that are cheap to evaluate.
//
// If the program is in a state that its rules exclude, no hold is certain any more. TURNSTILE_CHECK then ends the
// process, which is safe: the servers expire the session, and the next contender gets the lock. Conditions that are
// expensive to evaluate are plain asserts, which release builds leave out.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace turnstile::base {

[[noreturn]] inline void end_by_broken_rule(const char* rule, const char* file, int line) noexcept {
    std::fprintf(stderr, "turnstile: internal check failed: %s (%s:%d)\n", rule, file, line);
    std::abort();
}

}  // namespace turnstile::base

// The condition is evaluated once and must have no side effect. The simulator that runs known faults (mutants) defines
// TURNSTILE_NO_CHECKS, so that a broken promise, and not a failed check, reveals the fault.
#if defined(TURNSTILE_NO_CHECKS)
#define TURNSTILE_CHECK(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#else
#define TURNSTILE_CHECK(condition) \
    (static_cast<bool>(condition)  \
         ? static_cast<void>(0)    \
         : ::turnstile::base::end_by_broken_rule(#condition, __FILE_NAME__, __LINE__))
#endif
