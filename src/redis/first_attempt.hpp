// SPDX-License-Identifier: Apache-2.0
// first_attempt: the outcome of a session's first attempt to attach. The thread that opens the session waits for it.
//
// Thread safety: all members from any thread.
#pragma once

#include <boost/thread/thread.hpp>

#include <optional>
#include <utility>

#include "base/mutex.hpp"
#include "turnstile/error.hpp"

namespace turnstile::redis {

class first_attempt {
public:
    // Stores the outcome: an error, which the opening thread throws, or nothing. Returns false if an outcome is already
    // stored, or if the opening thread no longer waits.
    bool settle(std::optional<error> why) {
        const base::lock_guard lock{mutex_};
        if (std::exchange(settled_, true)) return false;
        refusal_ = std::move(why);
        changed_.notify_all();
        return true;
    }
    // Waits for the outcome until `deadline`. Later failures are reported as events of the session.
    [[nodiscard]] std::optional<error> await(boottime_clock::time_point deadline) {
        const boost::this_thread::disable_interruption uninterrupted;
        base::unique_lock lock{mutex_};
        while (!settled_ && changed_.wait_until(lock, deadline)) {
        }
        settled_ = true;
        return refusal_;
    }

private:
    base::mutex mutex_;
    base::condition_variable changed_;
    bool settled_ GUARDED_BY(mutex_) = false;
    std::optional<error> refusal_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::redis
