// SPDX-License-Identifier: Apache-2.0
// Stands in for what threads wait with, in a program that is linked with it: the scheduler decides instead, for
// threads of a scenario that runs. Every other thread gets the real thing.
//
// The dynamic linker finds a program's own functions before those of the C library, also for Boost.Thread and the C++
// library. So the code that ships runs unchanged: no class knows of this.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <utility>

#include "explore/real.hpp"
#include "explore/scheduler.hpp"

#define STANDS_IN extern "C" __attribute__((visibility("default")))

namespace {

using turnstile::explore::operation;
using turnstile::explore::scheduler;

constexpr std::int64_t k_second = 1'000'000'000;

// A function of the C library. Of some it has older versions, which the plain look-up may find.
//
// The first call looks it up, without a lock: threads call these also when it is not their turn, as when they wait for
// it. The guard of a static that is initialised at run time would be a lock, too, and waits with the futex below.
template <class F>
class real_one {
public:
    explicit constexpr real_one(const char* name, const char* version = nullptr)
        : name_{name}, version_{version} {}

    template <class... Arguments>
    auto operator()(Arguments... arguments) {
        auto* call = found_.load(std::memory_order_acquire);
        if (call == nullptr) found_.store(call = look_up(), std::memory_order_release);
        return call(arguments...);
    }

private:
    F* look_up() const {
        void* const found = version_ == nullptr ? nullptr : ::dlvsym(RTLD_NEXT, name_, version_);
        return reinterpret_cast<F*>(found != nullptr ? found : ::dlsym(RTLD_NEXT, name_));
    }

    const char* const name_;
    const char* const version_;
    std::atomic<F*> found_{nullptr};
};

std::uintptr_t id_of(const volatile void* object) noexcept {
    return reinterpret_cast<std::uintptr_t>(object);
}
#define CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

std::int64_t to_ns(const timespec& when) noexcept {
    return when.tv_sec * k_second + when.tv_nsec;
}

// Threads and timers of the scenario, touched only by the thread whose turn it is.
std::map<pthread_t, std::uint8_t>& threads() {
    static std::map<pthread_t, std::uint8_t> all;
    return all;
}
std::map<int, std::int64_t>& timers() {
    static std::map<int, std::int64_t> all;
    return all;
}
std::uint64_t timers_set = 0;

struct start {
    void* (*run)(void*);
    void* argument;
    std::uint8_t number;
    scheduler* by;
};

void* run_thread(void* given) {
    const std::unique_ptr<start> beginning{static_cast<start*>(given)};
    beginning->by->enter(beginning->number);
    void* const result = beginning->run(beginning->argument);
    beginning->by->leave();
    return result;
}

constinit real_one<long(long, ...)> real_syscall{"syscall"};

}  // namespace

namespace turnstile::explore::real {

void give_turn(std::atomic<std::uint32_t>& turn) noexcept {
    turn.store(1);
    real_syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void await_turn(std::atomic<std::uint32_t>& turn) noexcept {
    while (turn.exchange(0) == 0)
        real_syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
}

}  // namespace turnstile::explore::real

// ---- mutexes and conditions -----------------------------------------------------------------

STANDS_IN int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    if (auto* mine = scheduler::of_this_thread()) return mine->lock(id_of(mutex), CALLER), 0;
    static constinit real_one<int(pthread_mutex_t*)> real{"pthread_mutex_lock"};
    return real(mutex);
}

STANDS_IN int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
    if (auto* mine = scheduler::of_this_thread())
        return mine->try_lock(id_of(mutex), CALLER) ? 0 : EBUSY;
    static constinit real_one<int(pthread_mutex_t*)> real{"pthread_mutex_trylock"};
    return real(mutex);
}

STANDS_IN int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    if (auto* mine = scheduler::of_this_thread()) return mine->unlock(id_of(mutex), CALLER), 0;
    static constinit real_one<int(pthread_mutex_t*)> real{"pthread_mutex_unlock"};
    return real(mutex);
}

STANDS_IN int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    if (auto* mine = scheduler::of_this_thread())
        return mine->wait(id_of(condition), id_of(mutex), scheduler::k_never, CALLER), 0;
    static constinit real_one<int(pthread_cond_t*, pthread_mutex_t*)> real{"pthread_cond_wait",
                                                                           "GLIBC_2.3.2"};
    return real(condition, mutex);
}

STANDS_IN int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                     const timespec* until) {
    if (auto* mine = scheduler::of_this_thread())
        return mine->wait(id_of(condition), id_of(mutex), to_ns(*until), CALLER) ? 0 : ETIMEDOUT;
    static constinit real_one<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)> real{
        "pthread_cond_timedwait", "GLIBC_2.3.2"};
    return real(condition, mutex, until);
}

STANDS_IN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                     clockid_t clock, const timespec* until) {
    if (auto* mine = scheduler::of_this_thread())
        return mine->wait(id_of(condition), id_of(mutex), to_ns(*until), CALLER) ? 0 : ETIMEDOUT;
    static constinit real_one<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>
        real{"pthread_cond_clockwait"};
    return real(condition, mutex, clock, until);
}

STANDS_IN int pthread_cond_signal(pthread_cond_t* condition) noexcept {
    if (auto* mine = scheduler::of_this_thread())
        return mine->notify(id_of(condition), false, CALLER), 0;
    static constinit real_one<int(pthread_cond_t*)> real{"pthread_cond_signal", "GLIBC_2.3.2"};
    return real(condition);
}

STANDS_IN int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
    if (auto* mine = scheduler::of_this_thread())
        return mine->notify(id_of(condition), true, CALLER), 0;
    static constinit real_one<int(pthread_cond_t*)> real{"pthread_cond_broadcast", "GLIBC_2.3.2"};
    return real(condition);
}

// ---- threads --------------------------------------------------------------------------------

STANDS_IN int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*),
                             void* argument) noexcept {
    static constinit real_one<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> real{
        "pthread_create"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(thread, how, run, argument);
    const auto number = mine->add_thread();
    const int failure = real(thread, how, run_thread, new start{run, argument, number, mine});
    if (failure != 0) mine->end(turnstile::explore::verdict::failed, "the system has no thread");
    threads()[*thread] = number;
    mine->created(CALLER);
    return 0;
}

STANDS_IN int pthread_join(pthread_t thread, void** result) {
    static constinit real_one<int(pthread_t, void**)> real{"pthread_join"};
    if (auto* mine = scheduler::of_this_thread())
        if (const auto found = threads().find(thread); found != threads().end()) {
            mine->join(found->second, CALLER);
            threads().erase(found);
        }
    return real(thread, result);  // which has ended, or is about to
}

STANDS_IN int sched_yield() noexcept {
    if (auto* mine = scheduler::of_this_thread()) return mine->yield(CALLER), 0;
    static constinit real_one<int()> real{"sched_yield"};
    return real();
}

namespace {

// As the system's: the word is looked at when the thread has its turn, and no thread runs between that and the wait.
long wait_for_word(scheduler& mine, const long* a, bool absolute, std::uintptr_t caller) {
    const auto* const word = reinterpret_cast<const volatile std::uint32_t*>(a[0]);
    const auto* const time = reinterpret_cast<const timespec*>(a[3]);
    auto deadline = scheduler::k_never;
    if (time != nullptr) deadline = to_ns(*time) + (absolute ? 0 : mine.now());
    mine.yield(caller);
    if (*word != static_cast<std::uint32_t>(a[2])) {
        errno = EAGAIN;
        return -1;
    }
    if (mine.wait_for_wake(id_of(word), deadline, caller)) return 0;
    errno = ETIMEDOUT;
    return -1;
}

}  // namespace

// What std::atomic::wait and semaphores of the C++ library come to.
STANDS_IN long syscall(long number, ...) noexcept {
    va_list list;
    va_start(list, number);
    long a[6];
    for (auto& argument : a) argument = va_arg(list, long);
    va_end(list);
    auto* const mine = scheduler::of_this_thread();
    if (mine != nullptr && number == SYS_futex) {
        constexpr long k_commands = 0x7f;
        const auto command = a[1] & k_commands;
        const bool waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
        if (waits) return wait_for_word(*mine, a, command == FUTEX_WAIT_BITSET, CALLER);
        if (command == FUTEX_WAKE)
            return mine->wake(static_cast<std::uintptr_t>(a[0]), static_cast<int>(a[2]), CALLER);
    }
    return real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// ---- time and descriptors -------------------------------------------------------------------

STANDS_IN int clock_gettime(clockid_t clock, timespec* now) noexcept {
    if (const auto* mine = scheduler::of_this_thread()) {
        *now = {mine->now() / k_second, mine->now() % k_second};
        return 0;
    }
    static constinit real_one<int(clockid_t, timespec*)> real{"clock_gettime"};
    return real(clock, now);
}

STANDS_IN int timerfd_settime(int timer, int flags, const itimerspec* next,
                              itimerspec* before) noexcept {
    if (scheduler::of_this_thread() != nullptr) {
        timers()[timer] = to_ns(next->it_value);  // absolute, and once
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
