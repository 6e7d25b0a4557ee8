// SPDX-License-Identifier: Apache-2.0
#include "client/callback_queue.hpp"

#include <atomic>
#include <utility>

#include "base/log.hpp"
#include "client/user_code.hpp"

namespace turnstile::detail {

namespace {

// An executor has run callbacks of a client on this thread: what waits for one here may wait for itself.
thread_local bool t_serves_executors = false;

}  // namespace

// What the executor gets. Its last copy tells the queue if none of them was run.
class callback_queue::executor_task {
public:
    explicit executor_task(std::shared_ptr<callback_queue> of) : queue_{std::move(of)} {}
    ~executor_task() { call_off(); }
    executor_task(const executor_task&) = delete;
    executor_task& operator=(const executor_task&) = delete;

    void run() {
        if (settled_.exchange(true)) return;
        t_serves_executors = true;
        queue_->drain(whose::the_executors);
    }
    void call_off() noexcept {
        if (!settled_.exchange(true)) queue_->abandoned();
    }

private:
    const std::shared_ptr<callback_queue> queue_;
    std::atomic<bool> settled_{false};
};

std::shared_ptr<callback_queue> callback_queue::start(executor run) {
    std::shared_ptr<callback_queue> queue{new callback_queue{std::move(run)}};
    const base::block_signals blocked;
    const base::scoped_lock lock{queue->mutex_};
    queue->own_ = boost::thread{[queue] { queue->run_own_thread(); }};
    return queue;
}

callback_queue::callback_queue(executor run)
    : run_{std::move(run)},
      has_executor_{static_cast<bool>(run_)},
      mask_{base::signal_mask::of_this_thread()} {}

callback_queue::~callback_queue() {
    if (own_.joinable()) own_.detach();  // only after finish(), from the thread itself
}

void callback_queue::post(std::function<void()> task) {
    const base::scoped_lock lock{mutex_};
    tasks_.push_back(std::move(task));
}

void callback_queue::pump() {
    {
        const base::scoped_lock lock{mutex_};
        if (tasks_.empty() || drainer_ != boost::thread::id{}) return;
        if (!finished_) {
            wanted_ = !scheduled_;
            changed_.notify_all();
            return;
        }
    }
    drain(whose::ours);
}

void callback_queue::run_own_thread() {
    const boost::this_thread::disable_interruption uninterrupted;
    mask_.apply();
    for (;;) {
        bool executors = false;
        {
            base::scoped_lock lock{mutex_};
            while (!wanted_ && !orphaned_ && !finished_) changed_.wait(lock);
            if (finished_ && !wanted_ && !orphaned_) break;
            executors = has_executor_ && !std::exchange(orphaned_, false);
            wanted_ = false;
            scheduled_ = executors;
        }
        if (executors) {
            hand_over();
        } else {
            drain(whose::ours);
        }
    }
    if (!has_executor_) drain(whose::ours);
    // What it keeps may keep us.
    run_ = nullptr;
}

void callback_queue::hand_over() {
    const auto task = std::make_shared<executor_task>(shared_from_this());
    if (!run_user_code("the callbacks' executor", [&] { run_([task] { task->run(); }); }))
        task->call_off();
}

// The executor is gone, or does not want this one.
void callback_queue::abandoned() noexcept {
    tasks dropped;  // after the end, under no lock: what they hold may call us
    const base::scoped_lock lock{mutex_};
    scheduled_ = false;
    orphaned_ = !finished_;
    if (finished_) dropped.swap(left_);
    changed_.notify_all();
}

// Runs until nothing is left. Only one drain is under way at any time, and it takes all.
void callback_queue::drain(whose thread) {
    base::scoped_lock lock{mutex_};
    const bool on_executor = thread == whose::the_executors;
    if (on_executor) scheduled_ = false;
    if (drainer_ != boost::thread::id{}) return;
    drainer_ = boost::this_thread::get_id();
    for (;;) {
        auto& from = on_executor && !left_.empty() ? left_ : tasks_;
        if (from.empty()) break;
        auto task = std::move(from.front());
        from.pop_front();
        lock.unlock();
        run_user_code("a callback", task);
        task = nullptr;  // what it holds may call us when it is destroyed
        lock.lock();
    }
    drainer_ = {};
    changed_.notify_all();
}

bool callback_queue::on_this_thread() const {
    const base::scoped_lock lock{mutex_};
    return drainer_ == boost::this_thread::get_id();
}

void callback_queue::await_executor(base::scoped_lock& lock,
                                    boottime_clock::time_point deadline) noexcept {
    if (t_serves_executors) return;
    while (!idle() && changed_.wait_until(lock, deadline)) {
    }
}

void callback_queue::finish(boottime_clock::time_point deadline) noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    const auto me = boost::this_thread::get_id();
    base::scoped_lock lock{mutex_};
    const bool inside = drainer_ == me;
    if (has_executor_ && !inside) await_executor(lock, deadline);
    finished_ = true;
    changed_.notify_all();
    auto own = std::move(own_);
    lock.unlock();
    if (own.joinable()) {
        if (inside || own.get_id() == me) {
            own.detach();
        } else {
            own.join();  // it has handed over what it was asked to
        }
    }
    lock.lock();
    while (!inside && drainer_ != boost::thread::id{}) changed_.wait(lock);
    if (inside || tasks_.empty()) return;
    if (!scheduled_) {  // no executor has a task for them: they run here
        lock.unlock();
        return drain(whose::ours);
    }
    left_.swap(tasks_);
    log::write(log_level::warning, "a client has closed: the executor has not begun {} callbacks",
               left_.size());
}

}  // namespace turnstile::detail
