// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/helper_thread.hpp"

#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "base/thread_name.hpp"
#include "support/signals.hpp"

namespace turnstile::zookeeper {

bool helper_thread::post(std::function<void()> task) {
    const base::lock_guard lock{mutex_};
    if (stopped_) return true;
    tasks_.push_back(std::move(task));
    if (running_) return true;
    if (thread_.joinable()) thread_.join();  // the thread has ended, or takes no more locks
    try {
        const support::block_signals blocked;
        thread_ = std::thread{[this] {
            base::name_this_thread("turnstile-role");
            base::finish_or_end("a look at a server's role", [this] { run(); });
        }};
        running_ = true;
    } catch (const std::system_error& failure) {
        log::write(log_level::error, "cannot start a thread: {}", failure.what());
    }
    return running_;
}

void helper_thread::run() {
    for (;;) {
        std::function<void()> task;
        {
            const base::lock_guard lock{mutex_};
            if (tasks_.empty()) {
                running_ = false;
                return;
            }
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        task();
    }
}

void helper_thread::stop() noexcept {
    std::thread last;
    {
        const base::lock_guard lock{mutex_};
        stopped_ = true;
        tasks_.clear();
        last.swap(thread_);
    }
    if (last.joinable()) last.join();
}

}  // namespace turnstile::zookeeper
