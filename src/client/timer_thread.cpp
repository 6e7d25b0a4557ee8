// SPDX-License-Identifier: Apache-2.0
#include "client/timer_thread.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/out_of_memory.hpp"
#include "support/signals.hpp"
#include "turnstile/error.hpp"

namespace turnstile::detail {

namespace {

support::descriptor new_timer() {
    support::descriptor timer{::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)};
    if (!timer.open()) throw std::system_error{errno, std::generic_category(), "timerfd"};
    return timer;
}

timespec to_timespec(boottime_clock::time_point when) {
    // At least 1 ns, because a time of zero would disarm the timer.
    const auto ns = std::max<boottime_clock::rep>(1, when.time_since_epoch().count());
    return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

timer_thread::timer_thread(const thread_start& start)
    : timer_{new_timer()},
      wall_clock_{::timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC)},
      thread_{start.start(nullptr, [this] { run(); })} {}

void timer_thread::end() noexcept {
    {
        const base::lock_guard lock{mutex_};
        ending_ = true;
    }
    woken_.set();
    if (!thread_.joinable()) return;
    const boost::this_thread::disable_interruption uninterrupted;
    thread_.join();
}

// ---- functions for client_timers -------------------------------------------------------------------

void timer_thread::arm(group& of, client& called, boottime_clock::time_point when) {
    const base::lock_guard lock{mutex_};
    if (of.state_ != group::life::open) return;
    forget(of, called);
    // Ends the process if memory is exhausted. Otherwise the object `called` would wait for its timer for ever.
    base::finish_or_end("a timer", [&]() REQUIRES(mutex_) {
        of.armed_.emplace(&called, when);
        armed_.insert({when, &called, &of});
    });
    set_timer();
}

void timer_thread::forget(group& of, client& called) {
    const auto found = of.armed_.find(&called);
    if (found == of.armed_.end()) return;
    armed_.erase({found->second, &called, &of});
    of.armed_.erase(found);
}

// Sets the timer, unless it is set to an earlier time. After the timer has fired, run_due() calls this function again.
void timer_thread::set_timer() {
    if (armed_.empty()) return;
    const auto next = armed_.begin()->when;
    if (next >= set_for_) return;
    set_for_ = next;
    const itimerspec spec{{}, to_timespec(next)};
    ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

void timer_thread::disarm(group& of, client& called) noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    base::unique_lock lock{mutex_};
    forget(of, called);
    while (called_ == &called && caller_ != boost::this_thread::get_id()) returned_.wait(lock);
}

void timer_thread::stop(group& of) noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    base::unique_lock lock{mutex_};
    if (of.state_ == group::life::open) {
        of.state_ = group::life::stopping;
        base::finish_or_end("the end of a client's timers",
                            [&]() REQUIRES(mutex_) { stopping_.push_back(&of); });
        woken_.set();
    }
    while (of.state_ != group::life::stopped) returned_.wait(lock);
}

// ---- the thread -----------------------------------------------------------------------------

// Arms a timer for a far instant. When the wall clock is set, the kernel cancels this timer, which wakes the thread.
void timer_thread::watch_wall_clock() noexcept {
    constexpr itimerspec k_never{{}, {9'000'000'000, 0}};  // an instant in the year 2255
    ::timerfd_settime(wall_clock_.get(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &k_never,
                      nullptr);
}

void timer_thread::run() {
    std::array<pollfd, 3> waited{
        {{timer_.get(), POLLIN, 0}, {woken_.fd(), POLLIN, 0}, {wall_clock_.get(), POLLIN, 0}}};
    watch_wall_clock();
    for (bool set = false; run_due(set);) {
        ::poll(waited.data(), waited.size(), -1);
        std::uint64_t count = 0;
        for (const auto& source : waited) {
            [[maybe_unused]] const auto drained = ::read(source.fd, &count, sizeof count);
        }
        set = waited.back().revents != 0;
        if (set) watch_wall_clock();
    }
}

void timer_thread::call(base::unique_lock& lock, group& of, client& armed) {
    forget(of, armed);
    called_ = &armed;
    caller_ = boost::this_thread::get_id();
    lock.unlock();
    armed.on_timer();
    lock.lock();
    called_ = nullptr;
    returned_.notify_all();
}

// Calls the objects whose timers are due, or with `everyone` all objects with armed timers. Sets the timer for the
// remaining objects. Returns false if the thread must end.
bool timer_thread::run_due(bool everyone) {
    base::unique_lock lock{mutex_};
    stop_groups(lock);
    const auto now = everyone ? boottime_clock::time_point::max() : boottime_clock::now();
    // Collects the objects whose timers are due before it calls any of them: an object that arms its timer again for a
    // past time is called in the next round.
    std::vector<deadline> due;
    for (const auto& next : armed_) {
        if (next.when > now) break;
        due.push_back(next);
    }
    for (const auto& next : due) {
        if (armed_.contains(next)) call(lock, *next.of, *next.called);
        stop_groups(lock);
    }
    set_for_ = boottime_clock::time_point::max();
    set_timer();
    return !ending_;
}

// For every group that stop() is ending, calls each object with an armed timer for the last time.
void timer_thread::stop_groups(base::unique_lock& lock) {
    while (!stopping_.empty()) {
        auto& of = *stopping_.back();
        stopping_.pop_back();
        while (!of.armed_.empty()) call(lock, of, *of.armed_.begin()->first);
        of.state_ = group::life::stopped;
        returned_.notify_all();
    }
}

}  // namespace turnstile::detail
