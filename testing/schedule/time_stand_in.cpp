// SPDX-License-Identifier: Apache-2.0
// Replaces the functions for clocks, sleeps, timers, waits for descriptors, and random numbers.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>

#include "schedule/real.hpp"
#include "schedule/stand_in.hpp"

using namespace turnstile::schedule;

namespace {

// The settings of a timerfd that a thread of the run has armed. timers() maps the timer's descriptor to its settings.
// Only the running thread uses these data.
struct set_timer {
    std::int64_t when = 0;  // true time
    std::int64_t interval = 0;
};
std::map<int, set_timer>& timers() {
    static std::map<int, set_timer> all;
    return all;
}
std::uint64_t timers_set = 0;

constinit real_one<int(pollfd*, nfds_t, int)> real_poll{"poll"};
constinit real_one<int(int, int, const itimerspec*, itimerspec*)> real_settime{"timerfd_settime"};

bool is_readable(int descriptor) {
    pollfd asked{descriptor, POLLIN, 0};
    return real_poll(&asked, nfds_t{1}, 0) > 0;
}

// For each timer that is due in virtual time, arms the real timer so that it fires at once. The other real timers stay
// disarmed.
void fire_due(const scheduler& mine) {
    for (auto next = timers().begin(); next != timers().end();) {
        auto& [timer, set] = *next;
        if (set.when > mine.instant()) {
            ++next;
            continue;
        }
        constexpr itimerspec k_at_once{{}, {0, 1}};
        pollfd asked{timer, POLLIN, 0};
        if (real_settime(timer, 0, &k_at_once, nullptr) == 0) real_poll(&asked, nfds_t{1}, -1);
        set.when += set.interval;
        next = set.interval == 0 ? timers().erase(next) : std::next(next);
    }
}

// Returns the true time at which a timeout in milliseconds ends. A negative timeout never ends.
std::int64_t end_of(const scheduler& mine, std::int64_t timeout) {
    return timeout < 0 ? scheduler::k_never : mine.when(mine.now() + timeout * 1'000'000);
}

}  // namespace

void real::keep_time() noexcept {}

// ---- time and descriptors -------------------------------------------------------------------

STANDS_IN int clock_gettime(clockid_t clock, timespec* now) noexcept {
    if (auto* const mine = scheduler::of_this_thread()) {
        const auto shown = mine->read_clock();
        *now = {shown / k_second, shown % k_second};
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
    mine->wait_until(operation::sleep, nullptr, mine->when(end), CALLER);
    return 0;
}

STANDS_IN int nanosleep(const timespec* time, timespec* left) {
    static constinit real_one<int(const timespec*, timespec*)> real{"nanosleep"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(time, left);
    mine->wait_until(operation::sleep, nullptr, mine->when(mine->now() + to_ns(*time)), CALLER);
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
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real_settime(timer, flags, next, before);
    const bool absolute = (flags & TFD_TIMER_ABSTIME) != 0;
    const auto value = to_ns(next->it_value);
    timers().erase(timer);
    if (value != 0)
        timers()[timer] = {mine->when(value + (absolute ? 0 : mine->now())),
                           to_ns(next->it_interval)};
    ++timers_set;
    constexpr itimerspec k_off{};
    return real_settime(timer, 0, &k_off, before);
}

// Waits until `ready` returns true, until `end`, or until a timer is due. After that, no code calls `ready`.
static void wait_for_descriptors(scheduler& mine, const std::function<bool()>& ready,
                                 std::int64_t end, std::uintptr_t caller) {
    fire_due(mine);
    auto until = end;
    for (const auto& [timer, each] : timers()) until = std::min(until, each.when);
    // If another thread sets a timer, this wait ends, because the new timer may be due earlier than `until`.
    const auto set_before = timers_set;
    mine.wait_until(
        operation::poll, [&] { return timers_set != set_before || ready(); }, until, caller);
    fire_due(mine);
}

STANDS_IN int poll(pollfd* all, nfds_t count, int timeout) {
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real_poll(all, count, timeout);
    const auto end = end_of(*mine, timeout);
    for (;;) {
        wait_for_descriptors(
            *mine, [&] { return real_poll(all, count, 0) > 0; }, end, CALLER);
        const int ready = real_poll(all, count, 0);
        if (ready != 0 || mine->instant() >= end) return ready;
    }
}

STANDS_IN int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
    static constinit real_one<int(int, epoll_event*, int, int)> real{"epoll_wait"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(epoll, events, most, timeout);
    const auto end = end_of(*mine, timeout);
    for (;;) {
        wait_for_descriptors(
            *mine, [&] { return is_readable(epoll); }, end, CALLER);
        const int ready = real(epoll, events, most, 0);
        if (ready != 0 || mine->instant() >= end) return ready;
    }
}

STANDS_IN int select(int count, fd_set* reading, fd_set* writing, fd_set* failing,
                     timeval* timeout) {
    static constinit real_one<int(int, fd_set*, fd_set*, fd_set*, timeval*)> real{"select"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(count, reading, writing, failing, timeout);
    const auto span = timeout == nullptr ? -1 : timeout->tv_sec * 1'000 + timeout->tv_usec / 1'000;
    const auto end = end_of(*mine, span);
    const auto copy = [](const fd_set* of) { return of == nullptr ? fd_set{} : *of; };
    const auto wanted = std::array{copy(reading), copy(writing), copy(failing)};
    const auto look = [&](std::array<fd_set, 3>& found) {
        found = wanted;
        timeval none{};
        return real(count, reading == nullptr ? nullptr : &found[0],
                    writing == nullptr ? nullptr : &found[1],
                    failing == nullptr ? nullptr : &found[2], &none);
    };
    for (;;) {
        std::array<fd_set, 3> found{};
        wait_for_descriptors(
            *mine, [&] { return look(found) != 0; }, end, CALLER);
        const int ready = look(found);
        if (ready == 0 && mine->instant() < end) continue;
        if (reading != nullptr) *reading = found[0];
        if (writing != nullptr) *writing = found[1];
        if (failing != nullptr) *failing = found[2];
        return ready;
    }
}

// A read of /dev/urandom gets the scheduler's random numbers, which are equal in each run. A read of a timer waits in
// virtual time. Any other read is real.
STANDS_IN ssize_t read(int from, void* into, size_t size) {
    static constinit real_one<ssize_t(int, void*, size_t)> real{"read"};
    auto* const mine = scheduler::of_this_thread();
    if (mine != nullptr && timers().contains(from) && (::fcntl(from, F_GETFL) & O_NONBLOCK) == 0)
        while (!is_readable(from))
            wait_for_descriptors(
                *mine, [from] { return is_readable(from); }, scheduler::k_never, CALLER);
    if (mine != nullptr) fire_due(*mine);
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
