// SPDX-License-Identifier: Apache-2.0
// language: stops the compilation with one clear error if the compiler is set to an older C++. Every header of the
// library includes this header, directly or indirectly, before its first declaration, so that no other errors appear.
#pragma once

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error \
    "Turnstile needs C++20: compile with -std=c++20, or link turnstile::turnstile in CMake, which says so"
#include "turnstile/stop_here"  // No compiler goes on from a file that is not there.
#endif
