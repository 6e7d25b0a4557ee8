// SPDX-License-Identifier: Apache-2.0
// disable_interruption, interruption_requested: Boost.Thread's class and function of these names, for code that waits
// on a base::condition_variable. In a build with TURNSTILE_INTERRUPTION=OFF both do nothing, because no wait is
// interrupted.
//
// boost::thread::join() is an interruption point in every build. Code that joins uses Boost's own class.
#pragma once

#ifndef TURNSTILE_NO_INTERRUPTION
#include <boost/thread/thread.hpp>
#endif

namespace turnstile::base {

#ifdef TURNSTILE_NO_INTERRUPTION
class [[maybe_unused]] disable_interruption {};
inline bool interruption_requested() noexcept {
    return false;
}
#else
using boost::this_thread::disable_interruption;
using boost::this_thread::interruption_requested;
#endif

}  // namespace turnstile::base
