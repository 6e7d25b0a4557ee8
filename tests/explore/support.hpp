// SPDX-License-Identifier: Apache-2.0
// Helpers for the scenarios of the schedule explorer (schedule/explorer.hpp).
#pragma once

#include <chrono>
#include <functional>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
#include "schedule/explorer.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile::explore {

using namespace schedule;

using namespace std::chrono_literals;

inline constexpr const char* k_servers = "local:explored";

// A thread that the destructor joins.
class actor {
public:
    explicit actor(std::function<void()> work) : thread_{std::move(work)} {}
    ~actor() {
        if (thread_.joinable()) thread_.join();
    }
    actor(const actor&) = delete;
    actor& operator=(const actor&) = delete;
    void join() { thread_.join(); }

private:
    boost::thread thread_;
};

// Lets virtual time pass while the other threads run as far as they can.
inline void pass(boottime_clock::duration time) {
    base::mutex mutex;
    base::condition_variable never;
    base::unique_lock lock{mutex};
    const auto end = boottime_clock::now() + time;
    while (boottime_clock::now() < end && never.wait_until(lock, end)) {
    }
}

// Checks the condition up to `looks` times, with pauses. Returns true when the condition is true.
inline bool becomes(const std::function<bool()>& true_now, int looks = 50) {
    for (; looks != 0; --looks) {
        if (true_now()) return true;
        pass(100ms);
    }
    return false;
}

}  // namespace turnstile::explore
