// SPDX-License-Identifier: Apache-2.0
// Clocks, sleeps, timers, waits for descriptors, and the system's randomness.
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <map>

#include "schedule/real.hpp"
#include "schedule/stand_in.hpp"

using namespace turnstile::schedule;

namespace {

// Of the run, touched only by the thread whose turn it is.
std::map<int, std::int64_t>& timers() {
    static std::map<int, std::int64_t> all;
    return all;
}
std::uint64_t timers_set = 0;

}  // namespace

void real::keep_time() noexcept {}

// ---- time and descriptors -------------------------------------------------------------------

STANDS_IN int clock_gettime(clockid_t clock, timespec* now) noexcept {
    if (const auto* mine = scheduler::of_this_thread()) {
        *now = {mine->now() / k_second, mine->now() % k_second};
        return 0;
    }
    static constinit real_one<int(clockid_t, timespec*)> real{"clock_gettime"};
    return real(clock, now);
}

STANDS_IN time_t time(time_t* into) noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    if (into != nullptr) *into = now.tv_sec;
    return now.tv_sec;
}

STANDS_IN int gettimeofday(timeval* into, void*) noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    *into = {now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

STANDS_IN int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
    static constinit real_one<int(clockid_t, int, const timespec*, timespec*)> real{
        "clock_nanosleep"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(clock, flags, time, left);
    const auto end = to_ns(*time) + ((flags & TIMER_ABSTIME) != 0 ? 0 : mine->now());
    mine->wait_until(operation::sleep, nullptr, end, CALLER);
    return 0;
}

STANDS_IN int nanosleep(const timespec* time, timespec* left) {
    static constinit real_one<int(const timespec*, timespec*)> real{"nanosleep"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(time, left);
    mine->wait_until(operation::sleep, nullptr, mine->now() + to_ns(*time), CALLER);
    return 0;
}

STANDS_IN int usleep(useconds_t time) {
    const timespec span{time / 1'000'000, static_cast<long>(time % 1'000'000) * 1'000};
    return ::nanosleep(&span, nullptr);
}

STANDS_IN unsigned sleep(unsigned seconds) {
    const timespec span{seconds, 0};
    return ::nanosleep(&span, nullptr) == 0 ? 0 : seconds;
}

STANDS_IN int timerfd_settime(int timer, int flags, const itimerspec* next,
                              itimerspec* before) noexcept {
    if (const auto* mine = scheduler::of_this_thread()) {
        const bool absolute = (flags & TFD_TIMER_ABSTIME) != 0;
        timers()[timer] = to_ns(next->it_value) + (absolute ? 0 : mine->now());  // and once
        ++timers_set;
        return 0;
    }
    static constinit real_one<int(int, int, const itimerspec*, itimerspec*)> real{
        "timerfd_settime"};
    return real(timer, flags, next, before);
}

STANDS_IN int poll(pollfd* all, nfds_t count, int timeout) {
    static constinit real_one<int(pollfd*, nfds_t, int)> real{"poll"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(all, count, timeout);
    const auto due = [mine, all, count] {
        for (nfds_t i = 0; i != count; ++i) {
            const auto timer = timers().find(all[i].fd);
            if (timer != timers().end() && timer->second <= mine->now()) return true;
        }
        return false;
    };
    auto deadline = timeout < 0 ? scheduler::k_never : mine->now() + timeout * 1'000'000LL;
    for (;;) {
        auto until = deadline;
        const auto set_before =
            timers_set;  // one that another thread sets meanwhile may be earlier
        for (nfds_t i = 0; i != count; ++i) {
            const auto timer = timers().find(all[i].fd);
            if (timer != timers().end() && timer->second < until) until = timer->second;
        }
        mine->wait_until(
            operation::poll,
            [&] { return timers_set != set_before || due() || real(all, count, 0) > 0; }, until,
            CALLER);
        int ready = real(all, count, 0);
        for (nfds_t i = 0; i != count; ++i) {
            const auto timer = timers().find(all[i].fd);
            if (timer == timers().end() || timer->second > mine->now()) continue;
            timers().erase(timer);
            all[i].revents = POLLIN;
            ++ready;
        }
        if (ready > 0 || mine->now() >= deadline) return ready;
    }
}

// Randomness of the system is the same in each run.
STANDS_IN ssize_t read(int from, void* into, size_t size) {
    static constinit real_one<ssize_t(int, void*, size_t)> real{"read"};
    auto* const mine = scheduler::of_this_thread();
    struct stat status {};
    static const dev_t k_urandom = makedev(1, 9);
    if (mine == nullptr || ::fstat(from, &status) != 0 || !S_ISCHR(status.st_mode) ||
        status.st_rdev != k_urandom)
        return real(from, into, size);
    auto* at = static_cast<unsigned char*>(into);
    for (size_t i = 0; i != size; ++i) at[i] = static_cast<unsigned char>(mine->chance() >> 32U);
    return static_cast<ssize_t>(size);
}

STANDS_IN ssize_t getrandom(void* into, size_t size, unsigned flags) {
    static constinit real_one<ssize_t(void*, size_t, unsigned)> real{"getrandom"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(into, size, flags);
    auto* at = static_cast<unsigned char*>(into);
    for (size_t i = 0; i != size; ++i) at[i] = static_cast<unsigned char>(mine->chance() >> 32U);
    return static_cast<ssize_t>(size);
}
