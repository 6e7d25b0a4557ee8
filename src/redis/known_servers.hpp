// SPDX-License-Identifier: Apache-2.0
// known_servers: what the sessions of one coordinator know together about the servers: the latest failure, and the
// latest replacement of a master.
//
//     replaced_master   the epoch in which the sentinels replaced a session's master
//
// Thread safety: all members from any thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/latest_failure.hpp"
#include "base/mutex.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::redis {

// The epoch (the number of the sentinels' configuration) in which the sentinels have replaced a session's master. For
// one session timeout, the client's sessions then use no master with an older epoch. Otherwise a sentinel that does not
// know the change yet would send the sessions back to the old master.
class replaced_master {
public:
    void left(std::int64_t epoch, core::time_point until) {
        const base::lock_guard lock{mutex_};
        epoch_ = std::max(epoch_, epoch);
        until_ = std::max(until_, until);
    }
    // Returns the smallest epoch of a master that sessions may use. One session timeout after the replacement, returns
    // 0: sentinels that were installed anew count their epochs from the start, so a lasting bound could exclude them.
    [[nodiscard]] std::int64_t least_epoch(core::time_point now) const {
        const base::lock_guard lock{mutex_};
        return now < until_ ? epoch_ : 0;
    }

private:
    mutable base::mutex mutex_;
    std::int64_t epoch_ GUARDED_BY(mutex_) = 0;
    core::time_point until_ GUARDED_BY(mutex_) = core::time_point::min();
};

struct known_servers {
    replaced_master replaced;
    base::latest_failure failure;
};

}  // namespace turnstile::redis
