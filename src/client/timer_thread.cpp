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

#include "base/signals.hpp"
#include "turnstile/error.hpp"

namespace turnstile::detail {

namespace {

base::descriptor new_timer() {
    base::descriptor timer{::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)};
    if (!timer.open()) throw std::system_error{errno, std::generic_category(), "timerfd"};
    return timer;
}

timespec to_timespec(boottime_clock::time_point when) {
    // Zero would disarm the timer.
    const auto ns = std::max<boottime_clock::rep>(1, when.time_since_epoch().count());
    return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

timer_thread::timer_thread()
    : timer_{new_timer()},
      wall_clock_{::timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC)} {
    const base::block_signals blocked;
    thread_ = boost::thread{[this] { run(); }};
}

timer_thread::~timer_thread() {
    stop();
}

void timer_thread::arm(client& called, boottime_clock::time_point when) {
    const base::scoped_lock lock{mutex_};
    if (stopping_) return;
    armed_.insert_or_assign(&called, when);
    set_timer();
}

void timer_thread::set_timer() {
    const auto next =
        std::min_element(armed_.begin(), armed_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (next == armed_.end()) return;
    const itimerspec spec{{}, to_timespec(next->second)};
    ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

void timer_thread::stop() noexcept {
    {
        const base::scoped_lock lock{mutex_};
        stopping_ = true;
    }
    woken_.set();
    if (!thread_.joinable()) return;
    const boost::this_thread::disable_interruption uninterrupted;
    thread_.join();
}

// A timer for an instant that does not come, which the kernel cancels when the clock is set.
void timer_thread::watch_wall_clock() noexcept {
    constexpr itimerspec k_never{{}, {9'000'000'000, 0}};  // in 2255
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

// Calls what is due, or everything that is armed, and sets the timer for the rest; false when all have had their last call.
bool timer_thread::run_due(bool everyone) {
    base::scoped_lock lock{mutex_};
    const bool last = stopping_;
    const auto now = last || everyone ? boottime_clock::time_point::max() : boottime_clock::now();
    // One that arms itself again for a time that has passed is called in the next round.
    std::map<client*, boottime_clock::time_point> due;
    for (const auto& [armed, when] : armed_)
        if (when <= now) due.emplace(armed, when);
    for (const auto& [armed, when] : due) {
        const auto still = armed_.find(armed);
        if (still == armed_.end()) continue;
        armed_.erase(still);
        called_ = armed;
        caller_ = boost::this_thread::get_id();
        lock.unlock();
        armed->on_timer();
        lock.lock();
        called_ = nullptr;
        returned_.notify_all();
    }
    if (last) return false;
    set_timer();
    return true;
}

void timer_thread::disarm(client& called) noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    base::scoped_lock lock{mutex_};
    armed_.erase(&called);
    while (called_ == &called && caller_ != boost::this_thread::get_id()) returned_.wait(lock);
}

}  // namespace turnstile::detail
