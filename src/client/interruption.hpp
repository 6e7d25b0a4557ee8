// SPDX-License-Identifier: Apache-2.0
// throw_from_lock: reports an error of lock() or of a similar standard function, which can only throw:
// boost::thread_interrupted for an interruption, as users of Boost expect, and std::system_error for every other error.
#pragma once

#include <boost/thread/exceptions.hpp>

#include "turnstile/error.hpp"

namespace turnstile::detail {

[[noreturn]] inline void throw_from_lock(const error& failure) {
    if (failure == errc::interrupted) throw boost::thread_interrupted{};
    throw_error(failure);
}

}  // namespace turnstile::detail
