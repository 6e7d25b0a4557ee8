// SPDX-License-Identifier: Apache-2.0
// TURNSTILE_NEEDS_INTERRUPTION(): skips the test in a build whose waits cannot be interrupted. A test that interrupts
// waits calls this macro first.
#pragma once

#include <gtest/gtest.h>

#ifdef TURNSTILE_NO_INTERRUPTION
#define TURNSTILE_NEEDS_INTERRUPTION() GTEST_SKIP() << "built with TURNSTILE_INTERRUPTION=OFF"
#else
#define TURNSTILE_NEEDS_INTERRUPTION() static_cast<void>(0)
#endif
