#include "client/callback_queue.hpp"

#include <exception>
#include <utility>

#include "base/log.hpp"
#include "base/signals.hpp"

namespace turnstile::detail {

namespace {

// A callback that throws has nobody to throw to; what it threw is logged, and the next one runs.
void run_one(const std::function<void()>& task) noexcept {
    try {
        task();
    } catch (const std::exception& failure) {
        log::write(log_level::error, "a callback threw: {}", failure.what());
    } catch (...) {  // boost::thread_interrupted is none
        log::write(log_level::error, "a callback threw something that is no std::exception");
    }
}

}  // namespace

callback_queue::callback_queue(executor run) : run_{std::move(run)} {}

callback_queue::~callback_queue() {
    if (own_.joinable()) own_.detach();  // only after finish(), from the thread itself
}

void callback_queue::post(std::function<void()> task) {
    const base::scoped_lock lock{mutex_};
    if (!finished_) tasks_.push_back(std::move(task));
}

void callback_queue::pump() {
    {
        const base::scoped_lock lock{mutex_};
        if (tasks_.empty() || draining_) return;
        draining_ = true;
        if (!run_ && !own_.joinable()) {
            const base::block_signals blocked;
            own_ = boost::thread{[self = shared_from_this()] { self->run_own_thread(); }};
        }
    }
    if (run_) {
        run_([self = shared_from_this()] { self->drain(); });
    } else {
        changed_.notify_all();
    }
}

// Runs until nothing is left. Only one drain is under way at any time.
void callback_queue::drain() {
    base::scoped_lock lock{mutex_};
    drainer_ = boost::this_thread::get_id();
    while (!tasks_.empty()) {
        auto task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        run_one(task);
        task = nullptr;  // what it holds may call us when it is destroyed
        lock.lock();
    }
    drainer_ = {};
    draining_ = false;
    lock.unlock();
    changed_.notify_all();
}

void callback_queue::run_own_thread() {
    for (;;) {
        {
            base::scoped_lock lock{mutex_};
            while (!draining_ && !finished_) changed_.wait(lock);
            if (!draining_) return;
        }
        drain();
    }
}

bool callback_queue::on_this_thread() const {
    const base::scoped_lock lock{mutex_};
    return drainer_ == boost::this_thread::get_id();
}

void callback_queue::finish() noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    pump();
    base::scoped_lock lock{mutex_};
    const bool inside = drainer_ == boost::this_thread::get_id();
    while (!inside && draining_) changed_.wait(lock);
    finished_ = true;
    auto own = std::move(own_);
    lock.unlock();
    changed_.notify_all();
    if (!own.joinable()) return;
    if (inside) {
        own.detach();
    } else {
        own.join();
    }
}

}  // namespace turnstile::detail
