// SPDX-License-Identifier: Apache-2.0
// lock_times: measures how long a program holds its mutexes. Loaded by LD_PRELOAD, lock_times replaces the lock
// functions of POSIX. When the process ends, lock_times writes the numbers of the mutex that was locked most often to
// standard error:
//
//     lock_times threads=65 locked=240113 waited=1802 p50=310 p99=2047 longest=48211
//
// threads: number of threads that have locked the mutex. locked: how often they have locked it. waited: how often a
// thread had to wait for the mutex. The other values are times in ns from the lock to the unlock, without waits on a
// condition; p50 and p99 are the upper bounds of histogram buckets, with four buckets for each power of two.
#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <bitset>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace {

constexpr std::size_t k_mutexes = 1U << 14U;  // further mutexes are ignored
constexpr std::size_t k_threads = 256;
constexpr unsigned k_parts = 4;  // buckets for each power of two
constexpr std::size_t k_buckets = 64 * k_parts;

std::uint64_t now_ns() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
}

// Returns the index of the histogram bucket for `ns`. Each power of two has k_parts buckets.
std::size_t bucket_of(std::uint64_t ns) {
    if (ns < k_parts) return ns;
    const auto power = static_cast<unsigned>(std::bit_width(ns)) - 1U;
    return power * k_parts + ((ns >> (power - 2U)) & (k_parts - 1U));
}
std::uint64_t end_of(std::size_t bucket) {
    const auto power = bucket / k_parts;
    return bucket < 2U * k_parts ? bucket
                                 : ((k_parts + bucket % k_parts + 1U) << (power - 2U)) - 1U;
}

// Counts of one mutex, changed only by the mutex's holder.
struct times {
    std::atomic<const pthread_mutex_t*> mutex{nullptr};
    std::uint64_t begun = 0;
    std::uint64_t locked = 0;
    std::uint64_t waited = 0;
    std::uint64_t longest = 0;
    std::bitset<k_threads> threads;
    std::array<std::uint64_t, k_buckets> held{};

    [[nodiscard]] std::uint64_t quantile(double part) const {
        const auto wanted = static_cast<std::uint64_t>(part * static_cast<double>(locked));
        std::uint64_t below = 0;
        for (std::size_t i = 0; i != held.size(); ++i)
            if ((below += held[i]) > wanted) return end_of(i);
        return longest;
    }
};

std::array<times, k_mutexes> table;

times* find(const pthread_mutex_t* mutex) {
    const auto hash = reinterpret_cast<std::uintptr_t>(mutex) / 8U * 0x9E3779B97F4A7C15U;
    for (std::size_t i = 0; i != 64; ++i) {
        auto& slot = table[((hash >> 40U) + i) % k_mutexes];
        const pthread_mutex_t* found = nullptr;
        if (slot.mutex.compare_exchange_strong(found, mutex) || found == mutex) return &slot;
    }
    return nullptr;
}

std::size_t own_number() {
    static std::atomic<std::size_t> last{0};
    thread_local const std::size_t number = last++;
    return number;
}

void begin(const pthread_mutex_t* mutex, bool waited) {
    auto* const slot = find(mutex);
    if (slot == nullptr) return;
    slot->begun = now_ns();
    slot->waited += waited ? 1U : 0U;
    slot->threads.set(own_number() % k_threads);
}

void end(const pthread_mutex_t* mutex) {
    auto* const slot = find(mutex);
    if (slot == nullptr) return;
    const auto ns = now_ns() - slot->begun;
    ++slot->locked;
    ++slot->held[bucket_of(ns)];
    slot->longest = std::max(slot->longest, ns);
}

template <class F>
F* next(const char* name, const char* version) {
    return reinterpret_cast<F*>(::dlvsym(RTLD_NEXT, name, version));
}

struct at_exit {
    ~at_exit() {
        const auto most =
            std::max_element(table.begin(), table.end(),
                             [](const times& a, const times& b) { return a.locked < b.locked; });
        std::fprintf(
            stderr,
            "lock_times threads=%zu locked=%llu waited=%llu p50=%llu p99=%llu longest=%llu\n",
            most->threads.count(), static_cast<unsigned long long>(most->locked),
            static_cast<unsigned long long>(most->waited),
            static_cast<unsigned long long>(most->quantile(0.5)),
            static_cast<unsigned long long>(most->quantile(0.99)),
            static_cast<unsigned long long>(most->longest));
    }
} reporter;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int pthread_mutex_trylock(pthread_mutex_t* mutex) {
    static auto* const original =
        next<decltype(pthread_mutex_trylock)>("pthread_mutex_trylock", "GLIBC_2.2.5");
    const int outcome = original(mutex);
    if (outcome == 0) begin(mutex, false);
    return outcome;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
    static auto* const original =
        next<decltype(pthread_mutex_lock)>("pthread_mutex_lock", "GLIBC_2.2.5");
    static auto* const attempt =
        next<decltype(pthread_mutex_trylock)>("pthread_mutex_trylock", "GLIBC_2.2.5");
    const bool waits = attempt(mutex) == EBUSY;
    const int outcome = waits ? original(mutex) : 0;
    if (outcome == 0) begin(mutex, waits);
    return outcome;
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) {
    static auto* const original =
        next<decltype(pthread_mutex_unlock)>("pthread_mutex_unlock", "GLIBC_2.2.5");
    end(mutex);
    return original(mutex);
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    static auto* const original =
        next<decltype(pthread_cond_wait)>("pthread_cond_wait", "GLIBC_2.3.2");
    end(mutex);
    const int outcome = original(condition, mutex);
    begin(mutex, false);
    return outcome;
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
    static auto* const original =
        next<decltype(pthread_cond_timedwait)>("pthread_cond_timedwait", "GLIBC_2.3.2");
    end(mutex);
    const int outcome = original(condition, mutex, until);
    begin(mutex, false);
    return outcome;
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
    static auto* const original =
        next<decltype(pthread_cond_clockwait)>("pthread_cond_clockwait", "GLIBC_2.30");
    end(mutex);
    const int outcome = original(condition, mutex, clock, until);
    begin(mutex, false);
    return outcome;
}

}  // extern "C"
#pragma GCC visibility pop
