// SPDX-License-Identifier: Apache-2.0
#include "local/serial_thread.hpp"

#include <utility>

#include "base/out_of_memory.hpp"
#include "base/thread_name.hpp"
#include "support/signals.hpp"

namespace turnstile::local {

serial_thread::serial_thread() : queue_{std::make_shared<queue>()} {}

serial_thread::~serial_thread() {
    std::unique_ptr<boost::thread> thread = std::move(thread_);
    if (!thread) return;
    if (process_.forked()) {
        static_cast<void>(thread.release());  // a thread of the parent process
        return;
    }
    {
        const base::lock_guard lock{queue_->mutex};
        queue_->ended = true;
        queue_->changed.notify_all();
    }
    const boost::this_thread::disable_interruption whatever_comes;
    thread->join();
}

void serial_thread::post(task next) {
    if (process_.forked()) return;
    const base::lock_guard lock{queue_->mutex};
    if (!thread_) {
        const support::block_signals none_here;
        thread_ = std::make_unique<boost::thread>([tasks = queue_] {
            base::name_this_thread("turnstile-local");
            base::finish_or_end("a session in memory", [&] { work(tasks); });
        });
    }
    queue_->tasks.push_back(std::move(next));
    queue_->changed.notify_all();
}

void serial_thread::run(const task& next) {
    if (process_.forked()) return;
    const boost::this_thread::disable_interruption whatever_comes;
    base::mutex mutex;
    base::condition_variable changed;
    bool done = false;
    post([&] {
        next();
        const base::lock_guard lock{mutex};
        done = true;
        changed.notify_all();
    });
    base::unique_lock lock{mutex};
    while (!done) changed.wait(lock);
}

void serial_thread::work(const std::shared_ptr<queue>& tasks) {
    task next;
    while (take(*tasks, next)) {
        next();
        next = nullptr;
    }
}

bool serial_thread::take(queue& tasks, task& next) {
    base::unique_lock lock{tasks.mutex};
    while (tasks.tasks.empty() && !tasks.ended) tasks.changed.wait(lock);
    if (tasks.tasks.empty()) return false;
    next = std::move(tasks.tasks.front());
    tasks.tasks.pop_front();
    return true;
}

}  // namespace turnstile::local
