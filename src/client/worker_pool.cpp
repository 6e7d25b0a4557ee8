// SPDX-License-Identifier: Apache-2.0
#include "client/worker_pool.hpp"

#include <algorithm>
#include <utility>

#include "base/out_of_memory.hpp"
#include "client/user_code.hpp"

namespace turnstile::detail {

namespace {

// A task that this thread runs now, and its pool. Frames can be nested: a task that closes another client also runs
// that client's tasks.
struct frame {
    const worker_pool* pool;
    const frame* outer;
};
thread_local const frame* t_innermost = nullptr;

std::size_t depth_of(const worker_pool* pool) noexcept {
    std::size_t depth = 0;
    for (const auto* each = t_innermost; each != nullptr; each = each->outer)
        if (each->pool == pool) ++depth;
    return depth;
}

}  // namespace

std::shared_ptr<worker_pool> worker_pool::start(thread_crew::settings own) {
    const auto most = own.most;
    return std::shared_ptr<worker_pool>{
        new worker_pool{thread_crew::start(std::move(own)), crew::own, most}};
}

std::shared_ptr<worker_pool> worker_pool::share(std::shared_ptr<thread_crew> threads) {
    return std::shared_ptr<worker_pool>{
        new worker_pool{std::move(threads), crew::shared, k_most_threads}};
}

bool worker_pool::post(std::function<void()> task) {
    const base::lock_guard lock{mutex_};
    if (is_over()) return false;
    tasks_.push_back(std::move(task));
    if (finished_) changed_.notify_all();
    if (turns_ == most_) return true;
    ++turns_;
    threads_->post(shared_from_this());
    return true;
}

void worker_pool::run_next(base::unique_lock& lock) {
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    ++running_;
    lock.unlock();
    {
        const frame self{this, t_innermost};
        t_innermost = &self;
        run_user_code("a task", [&] { base::finish_or_end("a task of a client", task); });
        task = nullptr;  // under no lock: destructors of the task's captures may call this pool
        t_innermost = self.outer;
    }
    lock.lock();
    --running_;
    if (finished_) changed_.notify_all();
}

bool worker_pool::take_turn() noexcept {
    base::unique_lock lock{mutex_};
    if (!tasks_.empty()) run_next(lock);
    const auto others_that_wait = turns_ - 1 - std::min(running_, turns_ - 1);
    if (tasks_.size() > others_that_wait) return true;
    --turns_;
    return false;
}

bool worker_pool::on_this_thread() const noexcept {
    return depth_of(this) != 0;
}

// If the calling thread belongs to the crew, the pool's threads, it runs the remaining tasks itself: the crew may have
// no other thread.
void worker_pool::finish() noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    const auto inside = depth_of(this);
    const bool helps = threads_->on_this_thread();
    if (inside != 0) threads_->let_go(boost::this_thread::get_id());
    {
        base::unique_lock lock{mutex_};
        finished_ = true;
        while (!tasks_.empty() || running_ > inside) {
            if (helps && !tasks_.empty()) {
                run_next(lock);
            } else {
                changed_.wait(lock);
            }
        }
    }
    if (whose_ == crew::own) threads_->finish();
}

}  // namespace turnstile::detail
