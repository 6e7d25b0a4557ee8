#include "client/callback_queue.hpp"

#include <exception>
#include <utility>

#include "base/log.hpp"
#include "base/signals.hpp"

namespace turnstile::detail {

namespace {

// User code that throws has nobody to throw to; what it threw is logged. False if it threw.
template <class F>
bool run_one(const char* what, F&& call) noexcept {
    try {
        call();
        return true;
    } catch (const std::exception& failure) {
        log::write(log_level::error, "{} threw: {}", what, failure.what());
    } catch (...) {  // boost::thread_interrupted is none
        log::write(log_level::error, "{} threw something that is no std::exception", what);
    }
    return false;
}

}  // namespace

std::shared_ptr<callback_queue> callback_queue::start(executor run) {
    std::shared_ptr<callback_queue> made{new callback_queue{std::move(run)}};
    const base::block_signals blocked;
    const base::scoped_lock lock{made->mutex_};
    made->own_ = boost::thread{[made] { made->run_own_thread(); }};
    return made;
}

callback_queue::callback_queue(executor run) : run_{std::move(run)} {}

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
    drain();
}

void callback_queue::run_own_thread() {
    const boost::this_thread::disable_interruption uninterrupted;
    for (;;) {
        {
            base::scoped_lock lock{mutex_};
            while (!wanted_ && !finished_) changed_.wait(lock);
            if (finished_) break;
            wanted_ = false;
            scheduled_ = static_cast<bool>(run_);
        }
        if (run_) {
            hand_over();
        } else {
            drain();
        }
    }
    drain();
}

void callback_queue::hand_over() {
    // An executor may keep the task for good, and we keep the executor.
    const auto task = [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->drain();
    };
    if (!run_one("the callbacks' executor", [&] { run_(task); })) drain();
}

// Runs until nothing is left. Only one drain is under way at any time, and it takes all.
void callback_queue::drain() {
    base::scoped_lock lock{mutex_};
    scheduled_ = false;
    if (drainer_ != boost::thread::id{}) return;
    drainer_ = boost::this_thread::get_id();
    while (!tasks_.empty()) {
        auto task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        run_one("a callback", task);
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

void callback_queue::finish() noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    const auto me = boost::this_thread::get_id();
    base::scoped_lock lock{mutex_};
    finished_ = true;
    changed_.notify_all();
    const bool inside = drainer_ == me;
    auto own = std::move(own_);
    lock.unlock();
    if (own.joinable()) {
        if (inside || own.get_id() == me) {
            own.detach();
        } else {
            own.join();
        }
    }
    lock.lock();
    while (!inside && drainer_ != boost::thread::id{}) changed_.wait(lock);
}

}  // namespace turnstile::detail
