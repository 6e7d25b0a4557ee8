// SPDX-License-Identifier: Apache-2.0
// standard_parts: std::chrono's durations and clocks, std::function, and the name of std::stop_token, for the
// headers here.
//
// Why: in libstdc++ <chrono>, <functional> and <stop_token> bring calendars, streams, hash tables and threads along,
// 30,000 lines for each source that includes a lock. It has what is needed here in parts of its own, which are
// taken where they are there. A source that uses a standard name should include that name's header, as ever: for
// std::stop_token it has to.
//
// With TURNSTILE_WHOLE_STANDARD_HEADERS defined, and with every other library, the headers are included whole.
#pragma once

#include "turnstile/language.hpp"

#include <string>  // the library says with it which one it is

#if defined(__GLIBCXX__) && !defined(TURNSTILE_WHOLE_STANDARD_HEADERS) && \
    __has_include(<bits/chrono.h>) && __has_include(<bits/std_function.h>)
#include <bits/chrono.h>
#include <bits/std_function.h>

// clang-format off
namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
class stop_token;
_GLIBCXX_END_NAMESPACE_VERSION
}
// clang-format on
#else
#include <chrono>
#include <functional>
#include <stop_token>
#endif
