// SPDX-License-Identifier: Apache-2.0
#include "client/thread_crew.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/check.hpp"
#include "base/log.hpp"
#include "base/out_of_memory.hpp"

namespace turnstile::detail {

namespace {

// The group of threads (crew) to which the calling thread belongs, if any.
thread_local const thread_crew* t_crew = nullptr;

}  // namespace

std::shared_ptr<thread_crew> thread_crew::start(settings with) {
    std::shared_ptr<thread_crew> crew{new thread_crew{std::move(with)}};
    const base::lock_guard lock{crew->mutex_};
    crew->add_thread();
    return crew;
}

thread_crew::thread_crew(settings with)
    : settings_{std::move(with)}, mask_{support::signal_mask::of_this_thread()} {
    if (settings_.timers) timers_.emplace(settings_.timers);
}

thread_crew::~thread_crew() {
    for (auto& [id, own] : threads_)
        if (own.thread.joinable()) own.thread.detach();
    for (auto& thread : ended_) thread.detach();  // this thread may be in the list
}

// ---- the threads ----------------------------------------------------------------------------

void thread_crew::add_thread() {
    auto thread = settings_.start.start([mask = mask_] { mask.apply(); },
                                        [self = shared_from_this()] { self->run(); });
    // The thread runs already, so an exception here must end the process.
    base::finish_or_end("another thread", [&]() NO_THREAD_SAFETY_ANALYSIS {
        const auto id = thread.get_id();
        threads_[id].thread = std::move(thread);
    });
    ++starting_;
}

bool thread_crew::has_room() const {
    if (threads_.size() < settings_.most) return true;
    if (!timers_) return false;
    const auto since = boottime_clock::now() - k_blocked_after;
    const auto blocked = std::count_if(threads_.begin(), threads_.end(), [since](const auto& each) {
        const auto busy = each.second.busy_since;
        return busy != boottime_clock::time_point{} && busy <= since;
    });
    return threads_.size() - static_cast<std::size_t>(blocked) < settings_.most;
}

// Starts a thread for each member (one client's work) that waits for a turn and finds no free thread, up to the limit.
void thread_crew::grow() {
    if (finished_) return;
    boottime_clock::duration next_look = k_blocked_after;
    while (lacks_threads() && has_room()) {
        try {
            add_thread();
        } catch (const std::exception& failure) {
            log::write(log_level::warning,
                       "cannot start another thread, so tasks wait until a thread is free: {}",
                       failure.what());
            next_look = k_linger;
            break;
        }
    }
    if (timers_ && lacks_threads() && !std::exchange(looks_, true))
        timers_->arm(*this, boottime_clock::now() + next_look);
}

void thread_crew::on_timer() {
    const base::lock_guard lock{mutex_};
    looks_ = false;
    grow();
}

void thread_crew::run() {
    const boost::this_thread::disable_interruption uninterrupted;
    t_crew = this;
    base::unique_lock lock{mutex_};
    --starting_;
    auto& self = threads_.at(boost::this_thread::get_id());
    for (;;) {
        if (!waiting_.empty()) {
            give_turn(lock, self);
        } else if (!await_member(lock)) {
            break;
        }
    }
    auto own = threads_.extract(boost::this_thread::get_id());
    auto before = std::exchange(ended_, {});
    if (own.mapped().thread.joinable()) ended_.push_back(std::move(own.mapped().thread));
    changed_.notify_all();
    lock.unlock();
    for (auto& thread : before) thread.join();  // frees their stacks
}

void thread_crew::give_turn(base::unique_lock& lock, worker& self) {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    self.busy_since = boottime_clock::now();
    lock.unlock();
    const bool again = next->take_turn();
    if (!again) next = nullptr;  // under no lock: the member's destructor may call this crew
    lock.lock();
    self.busy_since = {};
    self.let_go = false;
    if (again) waiting_.push_back(std::move(next));
}

bool thread_crew::await_member(base::unique_lock& lock) {
    if (finished_) return false;
    ++idle_;
    const auto until = boottime_clock::now() + settings_.linger;
    while (waiting_.empty() && !finished_) {
        if (threads_.size() == 1) {
            arrived_.wait(lock);
        } else if (!arrived_.wait_until(lock, until)) {
            break;
        }
    }
    --idle_;
    return !waiting_.empty() || (!finished_ && threads_.size() == 1);
}

// ---- functions for the clients --------------------------------------------------------------

void thread_crew::post(std::shared_ptr<member> next) {
    base::unique_lock lock{mutex_};
    TURNSTILE_CHECK(!threads_.empty());
    base::finish_or_end("a task for a thread", [&]() REQUIRES(mutex_) {
        waiting_.push_back(std::move(next));
        grow();
    });
    lock.unlock();
    arrived_.notify_one();
}

bool thread_crew::on_this_thread() const noexcept {
    return t_crew == this;
}

void thread_crew::let_go(boost::thread::id of) {
    const base::lock_guard lock{mutex_};
    const auto found = threads_.find(of);
    if (found == threads_.end()) return;
    found->second.let_go = true;
    changed_.notify_all();
}

bool thread_crew::all_have_ended() const {
    return std::all_of(threads_.begin(), threads_.end(),
                       [](const auto& each) { return each.second.let_go; });
}

void thread_crew::finish() noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    if (timers_) timers_->stop();
    if (on_this_thread()) let_go(boost::this_thread::get_id());
    std::vector<boost::thread> ended;
    {
        base::unique_lock lock{mutex_};
        finished_ = true;
        arrived_.notify_all();
        while (!all_have_ended()) changed_.wait(lock);
        for (auto& [id, own] : threads_)
            if (own.thread.joinable()) own.thread.detach();
        ended = std::exchange(ended_, {});
    }
    for (auto& thread : ended) thread.join();
}

}  // namespace turnstile::detail
