// SPDX-License-Identifier: Apache-2.0
// One plain error for a compiler that is set to an older C++: it goes no further, so that none of the many that would
// follow from it is printed. Every header of the library includes this one, by itself or by those it needs, before its
// first declaration.
#pragma once

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error \
    "Turnstile needs C++20: compile with -std=c++20, or link turnstile::turnstile in CMake, which says so"
#include "turnstile/stop_here"  // No compiler goes on from a file that is not there.
#endif
