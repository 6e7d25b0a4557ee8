// SPDX-License-Identifier: Apache-2.0
// Peer "in-process": passes a lock between threads of one process in the order of arrival, without a server. This lock
// is not distributed. The peer is the lower bound for hand-overs inside a process.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "protocol.hpp"

namespace {

class fair_lock {
public:
    void lock() {
        std::unique_lock held{mutex_};
        if (!taken_) {
            taken_ = true;
            return;
        }
        waiter me;
        waiting_.push_back(&me);
        me.granted.wait(held, [&] { return me.is_granted; });
    }
    void unlock() {
        const std::lock_guard held{mutex_};
        if (waiting_.empty()) {
            taken_ = false;
            return;
        }
        waiter& next = *waiting_.front();
        waiting_.pop_front();
        next.is_granted = true;
        next.granted.notify_one();
    }

private:
    struct waiter {
        std::condition_variable granted;
        bool is_granted = false;
    };

    std::mutex mutex_;
    bool taken_ = false;
    std::deque<waiter*> waiting_;
};

}  // namespace

int main() {
    bench::serve("-", {{"threads", [](const bench::arguments& given) {
                            fair_lock lock;
                            return bench::count_by_threads(
                                bench::number(given.at(1)), bench::number(given.at(2)),
                                bench::number(given.at(3)), [&](bench::grant_count& count) {
                                    const std::lock_guard held{lock};
                                    count.granted();
                                });
                        }}});
}
