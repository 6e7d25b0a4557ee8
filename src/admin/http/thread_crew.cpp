// SPDX-License-Identifier: Apache-2.0
#include "admin/http/thread_crew.hpp"

#include <system_error>
#include <utility>

namespace turnstile::admin {

void thread_crew::enqueue(std::function<void()> work) {
    const std::lock_guard lock{mutex_};
    if (idle_ <= waiting_.size() && threads_.size() < most_) {
        try {
            threads_.emplace_back([this] { run(); });
        } catch (const std::system_error&) {
            if (threads_.empty()) throw;  // no thread at all: the work would never be done
        }
    }
    waiting_.push_back(std::move(work));
    changed_.notify_one();
}

void thread_crew::run() {
    std::unique_lock lock{mutex_};
    for (;;) {
        ++idle_;
        changed_.wait(lock, [this] { return over_ || !waiting_.empty(); });
        --idle_;
        if (waiting_.empty()) return;
        const auto work = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        work();
        lock.lock();
    }
}

void thread_crew::shutdown() {
    {
        const std::lock_guard lock{mutex_};
        over_ = true;
    }
    changed_.notify_all();
    for (auto& each : threads_) each.join();
    threads_.clear();
}

}  // namespace turnstile::admin
