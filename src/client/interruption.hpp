// SPDX-License-Identifier: Apache-2.0
// interruption: functions for calls that block their thread, and that a Boost interruption ends.
//
// Thread safety: any thread.
#pragma once

#include <stop_token>
#include <string>

#include <boost/thread/exceptions.hpp>

#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"
#include "turnstile/result.hpp"

namespace turnstile::detail {

// Reports an error of lock() or of a similar standard function, which can only throw: boost::thread_interrupted for an
// interruption, as users of Boost expect, and std::system_error for every other error.
[[noreturn]] inline void throw_from_lock(const error& failure) {
    if (failure == errc::interrupted) throw boost::thread_interrupted{};
    throw_error(failure);
}

// Returns success at `end`, or else the error `cancelled` or `interrupted`, which names `subject`.
[[nodiscard]] result<void> pause_until(boottime_clock::time_point end, const std::stop_token& stop,
                                       const std::string& subject);

}  // namespace turnstile::detail
