// SPDX-License-Identifier: Apache-2.0
#include "client/interruption.hpp"

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"

namespace turnstile::detail {

result<void> pause_until(boottime_clock::time_point end, const std::stop_token& stop,
                         const std::string& subject) {
    base::mutex waiting;
    base::condition_variable stopped;
    const std::stop_callback on_stop{stop, [&] {
                                         const base::lock_guard lock{waiting};
                                         stopped.notify_all();
                                     }};
    base::unique_lock lock{waiting};
    try {
        while (!stop.stop_requested() && stopped.wait_until(lock, end)) {
        }
    } catch (const boost::thread_interrupted&) {
        return error{errc::interrupted, "the wait for " + subject};
    }
    if (stop.stop_requested()) return error{errc::cancelled, subject};
    return {};
}

}  // namespace turnstile::detail
