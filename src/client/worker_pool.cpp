// SPDX-License-Identifier: Apache-2.0
#include "client/worker_pool.hpp"

#include <exception>
#include <utility>

#include "base/log.hpp"
#include "client/user_code.hpp"

namespace turnstile::detail {

namespace {

// Whose thread this is.
thread_local const worker_pool* t_pool = nullptr;

}  // namespace

std::shared_ptr<worker_pool> worker_pool::start(std::size_t most, boottime_clock::duration linger) {
    std::shared_ptr<worker_pool> pool{new worker_pool{most, linger}};
    const base::scoped_lock lock{pool->mutex_};
    pool->add_thread();
    return pool;
}

worker_pool::~worker_pool() {
    for (auto& [id, thread] : threads_) thread.detach();
    for (auto& thread : ended_) thread.detach();  // one of them may be this one
}

void worker_pool::add_thread() {
    const base::block_signals blocked;
    // The handle of the thread, which we keep, keeps the function: it must not keep us.
    boost::thread thread{[self = shared_from_this()]() mutable { std::exchange(self, {})->run(); }};
    const auto id = thread.get_id();
    threads_.emplace(id, std::move(thread));
}

bool worker_pool::post(std::function<void()> task) {
    const base::scoped_lock lock{mutex_};
    if (finished_ && threads_.empty()) return false;
    tasks_.push_back(std::move(task));
    if (tasks_.size() > idle_ && threads_.size() < most_) {
        try {
            add_thread();
        } catch (const std::exception& failure) {
            log::write(log_level::warning, "no further thread, work waits for others: {}",
                       failure.what());
        }
    }
    arrived_.notify_one();
    return true;
}

void worker_pool::run_next(base::scoped_lock& lock) {
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    run_user_code("a task", task);
    task = nullptr;  // what it holds may call us when it is destroyed
    lock.lock();
}

bool worker_pool::await_task(base::scoped_lock& lock) {
    if (finished_) return false;
    ++idle_;
    const auto until = boottime_clock::now() + linger_;
    while (tasks_.empty() && !finished_) {
        if (threads_.size() == 1) {
            arrived_.wait(lock);
        } else if (!arrived_.wait_until(lock, until)) {
            break;
        }
    }
    --idle_;
    return !tasks_.empty() || (!finished_ && threads_.size() == 1);
}

void worker_pool::run() {
    const boost::this_thread::disable_interruption uninterrupted;
    t_pool = this;
    mask_.apply();
    base::scoped_lock lock{mutex_};
    for (;;) {
        if (!tasks_.empty()) {
            run_next(lock);
        } else if (!await_task(lock)) {
            break;
        }
    }
    auto own = threads_.extract(boost::this_thread::get_id());
    auto before = std::exchange(ended_, {});
    ended_.push_back(std::move(own.mapped()));
    changed_.notify_all();
    lock.unlock();
    for (auto& thread : before) thread.join();  // else its stack stays
}

bool worker_pool::on_this_thread() const noexcept {
    return t_pool == this;
}

void worker_pool::finish() noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    const bool inside = on_this_thread();
    std::vector<boost::thread> ended;
    {
        base::scoped_lock lock{mutex_};
        finished_ = true;
        arrived_.notify_all();
        while (inside && !tasks_.empty()) run_next(lock);  // there may be no other thread
        while (threads_.size() > (inside ? 1U : 0U)) changed_.wait(lock);
        ended = std::exchange(ended_, {});
    }
    for (auto& thread : ended) thread.join();
}

}  // namespace turnstile::detail
