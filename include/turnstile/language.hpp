// SPDX-License-Identifier: Apache-2.0
// One plain error for a compiler that is set to an older C++, ahead of the many that would follow from it.
#pragma once

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error \
    "Turnstile needs C++20: compile with -std=c++20, or link turnstile::turnstile in CMake, which says so"
#endif
