// SPDX-License-Identifier: Apache-2.0
// throw_from_lock: what the standard forms throw. Boost's own for an interruption, as its users
// expect; std::system_error for everything else.
#pragma once

#include <boost/thread/exceptions.hpp>

#include "turnstile/error.hpp"

namespace turnstile::detail {

[[noreturn]] inline void throw_from_lock(const error& failure) {
    if (failure == errc::interrupted) throw boost::thread_interrupted{};
    throw_error(failure);
}

}  // namespace turnstile::detail
