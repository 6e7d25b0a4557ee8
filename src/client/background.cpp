// SPDX-License-Identifier: Apache-2.0
#include "client/background.hpp"

#include <exception>
#include <utility>

#include "base/log.hpp"

namespace turnstile::detail {

namespace {

// Whose thread this is.
thread_local const background* t_mine = nullptr;

// Chores catch what they expect; what is left has nobody to throw to.
void run_one(const std::function<void()>& chore) noexcept {
    try {
        chore();
    } catch (const std::exception& failure) {
        log::write(log_level::error, "a chore threw: {}", failure.what());
    } catch (...) {
        log::write(log_level::error, "a chore threw something that is no std::exception");
    }
}

}  // namespace

std::shared_ptr<background> background::start(std::size_t most, boottime_clock::duration linger) {
    std::shared_ptr<background> made{new background{most, linger}};
    const base::scoped_lock lock{made->mutex_};
    made->add_thread();
    return made;
}

background::~background() {
    for (auto& [id, thread] : threads_) thread.detach();
    for (auto& thread : ended_) thread.detach();  // one of them may be this one
}

void background::add_thread() {
    const base::block_signals blocked;
    // The handle of the thread, which we keep, keeps the function: it must not keep us.
    boost::thread made{[self = shared_from_this()]() mutable { std::exchange(self, {})->run(); }};
    const auto id = made.get_id();
    threads_.emplace(id, std::move(made));
}

bool background::post(std::function<void()> chore) {
    const base::scoped_lock lock{mutex_};
    if (finished_ && threads_.empty()) return false;
    chores_.push_back(std::move(chore));
    if (chores_.size() > idle_ && threads_.size() < most_) {
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

void background::run_next(base::scoped_lock& lock) {
    auto chore = std::move(chores_.front());
    chores_.pop_front();
    lock.unlock();
    run_one(chore);
    chore = nullptr;  // what it holds may call us when it is destroyed
    lock.lock();
}

bool background::await_chore(base::scoped_lock& lock) {
    if (finished_) return false;
    ++idle_;
    const auto until = boottime_clock::now() + linger_;
    while (chores_.empty() && !finished_) {
        if (threads_.size() == 1) {
            arrived_.wait(lock);
        } else if (!arrived_.wait_until(lock, until)) {
            break;
        }
    }
    --idle_;
    return !chores_.empty() || (!finished_ && threads_.size() == 1);
}

void background::run() {
    const boost::this_thread::disable_interruption uninterrupted;
    t_mine = this;
    mask_.adopt();
    base::scoped_lock lock{mutex_};
    for (;;) {
        if (!chores_.empty()) {
            run_next(lock);
        } else if (!await_chore(lock)) {
            break;
        }
    }
    auto mine = threads_.extract(boost::this_thread::get_id());
    auto before = std::exchange(ended_, {});
    ended_.push_back(std::move(mine.mapped()));
    changed_.notify_all();
    lock.unlock();
    for (auto& one : before) one.join();  // else its stack stays
}

bool background::on_this_thread() const noexcept {
    return t_mine == this;
}

void background::finish() noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    const bool inside = on_this_thread();
    std::vector<boost::thread> ended;
    {
        base::scoped_lock lock{mutex_};
        finished_ = true;
        arrived_.notify_all();
        while (inside && !chores_.empty()) run_next(lock);  // there may be no other thread
        while (threads_.size() > (inside ? 1U : 0U)) changed_.wait(lock);
        ended = std::exchange(ended_, {});
    }
    for (auto& one : ended) one.join();
}

}  // namespace turnstile::detail
