// SPDX-License-Identifier: Apache-2.0
#include "client/callback_queue.hpp"

#include <atomic>
#include <utility>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "client/user_code.hpp"

namespace turnstile::detail {

namespace {

// Limit for the callbacks that a client on shared threads runs before another client gets a turn.
constexpr int k_callbacks_a_turn = 64;

// True if an executor has run a client's callbacks on this thread. Then this thread must not wait for callbacks,
// because perhaps no other thread can run the callbacks.
thread_local bool t_serves_executors = false;

}  // namespace

// The task that the queue gives to the executor. If the executor destroys every copy of the task and runs none, the
// destructor notifies the queue.
class callback_queue::executor_task {
public:
    explicit executor_task(std::shared_ptr<callback_queue> of) : queue_{std::move(of)} {}
    ~executor_task() { call_off(); }
    executor_task(const executor_task&) = delete;
    executor_task& operator=(const executor_task&) = delete;

    void run() {
        if (settled_.exchange(true)) return;
        // If the executor runs this task inside the call that passes it, the thread is one of the library's own (the
        // queue's crew), and not a thread of the executor.
        if (!queue_->threads_->on_this_thread()) t_serves_executors = true;
        base::unique_lock lock{queue_->mutex_};
        queue_->drain(lock, whose::the_executors);
    }
    void call_off() noexcept {
        if (!settled_.exchange(true)) queue_->abandoned();
    }

private:
    const std::shared_ptr<callback_queue> queue_;
    std::atomic<bool> settled_{false};
};

std::shared_ptr<callback_queue> callback_queue::start(executor run, thread_start own_thread) {
    auto threads = thread_crew::start({.start = std::move(own_thread), .most = 1});
    return std::shared_ptr<callback_queue>{
        new callback_queue{std::move(run), std::move(threads), crew::own}};
}

std::shared_ptr<callback_queue> callback_queue::share(executor run,
                                                      std::shared_ptr<thread_crew> threads) {
    return std::shared_ptr<callback_queue>{
        new callback_queue{std::move(run), std::move(threads), crew::shared}};
}

callback_queue::callback_queue(executor run, std::shared_ptr<thread_crew> threads, crew owner)
    : threads_{std::move(threads)},
      whose_{owner},
      has_executor_{static_cast<bool>(run)},
      run_{std::move(run)} {}

void callback_queue::post(std::function<void()> task) {
    const base::lock_guard lock{mutex_};
    tasks_.push_back(std::move(task));
    posted_.store(true, std::memory_order_relaxed);
}

// The relaxed read suffices: each thread that calls post() also calls pump() later, and that pump() sees the thread's
// own post().
void callback_queue::pump() {
    if (!posted_.load(std::memory_order_relaxed)) return;
    base::unique_lock lock{mutex_};
    posted_.store(false, std::memory_order_relaxed);
    if (tasks_.empty() || drainer_ != boost::thread::id{}) return;
    if (!finished_) return want_turn();
    drain(lock, whose::ours);
}

// Requests a thread of the crew (the library's threads for callbacks), which then runs the callbacks. Exception: while
// such a thread calls the user's executor, this function only sets `wanted_`. After that call, the thread reads
// `wanted_` and makes the request.
void callback_queue::want_turn() {
    if (turn_ || scheduled_) return;
    if (hander_ != boost::thread::id{}) {
        wanted_ = true;
        return;
    }
    turn_ = true;
    threads_->post(shared_from_this());
}

// ---- runs callbacks, or gives them to the user's executor --------------------------------------

bool callback_queue::take_turn() noexcept {
    executor last;  // destroyed under no lock
    {
        base::unique_lock lock{mutex_};
        if (!std::exchange(turn_, false)) return false;  // finish() has used this turn
        if (!has_executor_ || std::exchange(orphaned_, false)) return drain(lock, whose::ours);
        if (tasks_.empty()) {
            if (finished_) last.swap(run_);
            changed_.notify_all();
            return false;
        }
        scheduled_ = true;
        hander_ = boost::this_thread::get_id();
    }
    return hand_over();
}

bool callback_queue::hand_over() noexcept {
    auto task = base::finish_or_end("a task for an executor", [this] {
        return std::make_shared<executor_task>(shared_from_this());
    });
    if (!run_user_code("the callbacks' executor", [&] { run_([task] { task->run(); }); }))
        task->call_off();
    task = nullptr;  // destroyed here, so that a task dropped by the executor calls abandoned() now
    executor last;   // destroyed under no lock
    const base::lock_guard lock{mutex_};
    hander_ = {};
    turn_ = std::exchange(wanted_, false) && !tasks_.empty();
    if (finished_ && !turn_) last.swap(run_);
    changed_.notify_all();
    return turn_;
}

// Called if the executor throws an exception, or destroys the task that it got without running it.
void callback_queue::abandoned() noexcept {
    tasks dropped;  // destroyed after the lock is released: what they own may call this queue
    const base::lock_guard lock{mutex_};
    scheduled_ = false;
    if (finished_) {
        dropped.swap(left_);
    } else if (!tasks_.empty()) {
        orphaned_ = true;
        want_turn();
    }
    changed_.notify_all();
}

// Runs callbacks until none is left. On a thread that clients share, stops after k_callbacks_a_turn callbacks, and
// returns true if callbacks are left. Only one thread runs callbacks at a time.
bool callback_queue::drain(base::unique_lock& lock, whose thread) {
    const bool on_executor = thread == whose::the_executors;
    if (on_executor) scheduled_ = false;
    if (drainer_ != boost::thread::id{}) return false;
    drainer_ = boost::this_thread::get_id();
    int left_of_turn = k_callbacks_a_turn;
    for (;;) {
        auto& from = on_executor && !left_.empty() ? left_ : tasks_;
        if (from.empty()) break;
        if (shares_threads(thread) && left_of_turn-- == 0) break;
        auto task = std::move(from.front());
        from.pop_front();
        lock.unlock();
        run_user_code("a callback", [&] { base::finish_or_end("a callback of a client", task); });
        task = nullptr;  // under no lock: destructors of the task's captures may call this queue
        lock.lock();
    }
    drainer_ = {};
    changed_.notify_all();
    const bool again = shares_threads(thread) && !tasks_.empty() && !turn_;
    if (again) turn_ = true;
    return again;
}

bool callback_queue::on_this_thread() const {
    const base::lock_guard lock{mutex_};
    return drainer_ == boost::this_thread::get_id();
}

// ---- the end of the queue -------------------------------------------------------------------

void callback_queue::await_executor(base::unique_lock& lock,
                                    boottime_clock::time_point deadline) noexcept {
    if (t_serves_executors) return;
    while (!is_idle() && (helps(lock) || changed_.wait_until(lock, deadline))) {
    }
}

// The crew is the group of the library's threads that run callbacks. If this queue has requested such a thread, and the
// calling thread belongs to the crew, runs the callbacks in the calling thread: the crew may have no other thread.
bool callback_queue::helps(base::unique_lock& lock) noexcept {
    if (!turn_ || !threads_->on_this_thread()) return false;
    lock.unlock();
    take_turn();
    lock.lock();
    return true;
}

// Waits until none of the library's threads (the crew) works for this queue, and no callback runs. If the queue has no
// executor, waits until all callbacks have run.
void callback_queue::await_turns(base::unique_lock& lock) noexcept {
    const auto me = boost::this_thread::get_id();
    const boost::thread::id none;
    for (;;) {
        const bool rest = !has_executor_ && !tasks_.empty();
        if (rest && drainer_ == none) want_turn();
        if (helps(lock)) continue;
        if (turn_ || rest || drainer_ != none || (hander_ != none && hander_ != me)) {
            changed_.wait(lock);
        } else {
            return;
        }
    }
}

// Allows the crew (the library's threads for callbacks) to end before two of its threads return: the thread whose
// callback closes this client, and the thread that calls the user's executor. Both may run for any time.
void callback_queue::let_go() {
    threads_->let_go(drainer_);
    if (hander_ != boost::thread::id{}) threads_->let_go(hander_);
}

void callback_queue::finish(boottime_clock::time_point deadline) noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    executor last;  // may own the last reference to this queue; destroyed under no lock
    {
        base::unique_lock lock{mutex_};
        const bool inside = drainer_ == boost::this_thread::get_id();
        if (has_executor_ && !inside) await_executor(lock, deadline);
        finished_ = true;
        if (inside) {
            let_go();
        } else {
            await_turns(lock);
            leave_rest(lock);
            threads_->let_go(hander_);  // this thread may be inside the executor's call
        }
        if (hander_ == boost::thread::id{}) last.swap(run_);
    }
    if (whose_ == crew::own) threads_->finish();
}

// If the executor still has a task of this queue, leaves the queued callbacks to the executor. Otherwise runs them
// here.
void callback_queue::leave_rest(base::unique_lock& lock) {
    if (tasks_.empty()) return;
    if (!scheduled_) {
        drain(lock, whose::ours);
        return;
    }
    left_.swap(tasks_);
    log::write(
        log_level::warning,
        "a client was closed, and its executor had not started all callbacks (callbacks left: {})",
        left_.size());
}

}  // namespace turnstile::detail
