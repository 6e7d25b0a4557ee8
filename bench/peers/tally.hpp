// SPDX-License-Identifier: Apache-2.0
// tally: counts events of a callback thread, while the command's thread waits for them.
//
// Thread safety: any thread may call all members.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

namespace bench {

// Counts events, and keeps the last failure.
class tally {
public:
    void add() {
        const std::lock_guard held{mutex_};
        ++count_;
        changed_.notify_one();
    }
    void fail(const std::string& why) {
        const std::lock_guard held{mutex_};
        failure_ = why;
        changed_.notify_one();
    }
    // Returns when there are `count` events. Throws after a failure.
    void wait(std::int64_t count) {
        std::unique_lock held{mutex_};
        changed_.wait(held, [&] { return count_ >= count || failure_.has_value(); });
        if (failure_) throw std::runtime_error{*failure_};
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t count_ = 0;
    std::optional<std::string> failure_;
};

}  // namespace bench
