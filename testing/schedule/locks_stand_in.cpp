// SPDX-License-Identifier: Apache-2.0
// Replaces the C library's functions for mutexes, conditions, read-write locks and one-time initialization.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "schedule/real.hpp"
#include "schedule/stand_in.hpp"

using namespace turnstile::schedule;

void real::keep_locks() noexcept {}

// ---- mutexes and conditions -----------------------------------------------------------------

namespace {

// Counts how often the owner of each recursive mutex has taken it again.
std::map<std::uintptr_t, int>& depths() {
    static std::map<std::uintptr_t, int> all;
    return all;
}

// Returns true for mutexes that check their owner.
bool is_owned_by_name(const pthread_mutex_t& mutex) {
    constexpr int k_kinds = 3;
    const int kind = mutex.__data.__kind & k_kinds;
    return kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK;
}

// Called when the caller already has the mutex. Returns the result, or nothing if this kind of mutex deadlocks.
std::optional<int> taken_again(const pthread_mutex_t& mutex, const scheduler& mine) {
    if (!is_owned_by_name(mutex) || !mine.owns(id_of(&mutex))) return std::nullopt;
    if ((mutex.__data.__kind & PTHREAD_MUTEX_ERRORCHECK) != 0) return EDEADLK;
    ++depths()[id_of(&mutex)];
    return 0;
}

int lock_until(scheduler& mine, pthread_mutex_t* mutex, std::int64_t deadline,
               std::uintptr_t caller) {
    if (const auto answer = taken_again(*mutex, mine)) return *answer;
    if (!mine.lock_until(id_of(mutex), deadline, caller)) return ETIMEDOUT;
    depths().erase(id_of(mutex));  // an earlier mutex may have had this address
    return 0;
}

}  // namespace

STANDS_IN int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    if (auto* mine = scheduler::of_this_thread())
        return lock_until(*mine, mutex, scheduler::k_never, CALLER);
    static constinit real_one<int(pthread_mutex_t*)> real{"pthread_mutex_lock"};
    return real(mutex);
}

STANDS_IN int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
    if (auto* mine = scheduler::of_this_thread())
        return lock_until(*mine, mutex, to_ns(*until), CALLER);
    static constinit real_one<int(pthread_mutex_t*, const timespec*)> real{
        "pthread_mutex_timedlock"};
    return real(mutex, until);
}

STANDS_IN int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                      const timespec* until) noexcept {
    if (auto* mine = scheduler::of_this_thread())
        return lock_until(*mine, mutex, to_ns(*until), CALLER);
    static constinit real_one<int(pthread_mutex_t*, clockid_t, const timespec*)> real{
        "pthread_mutex_clocklock"};
    return real(mutex, clock, until);
}

STANDS_IN int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
    if (auto* mine = scheduler::of_this_thread()) {
        if (const auto answer = taken_again(*mutex, *mine)) return *answer == 0 ? 0 : EBUSY;
        return mine->try_lock(id_of(mutex), CALLER) ? 0 : EBUSY;
    }
    static constinit real_one<int(pthread_mutex_t*)> real{"pthread_mutex_trylock"};
    return real(mutex);
}

STANDS_IN int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    if (auto* mine = scheduler::of_this_thread()) {
        if (is_owned_by_name(*mutex) && !mine->owns(id_of(mutex))) return EPERM;
        const auto again = depths().find(id_of(mutex));
        if (again != depths().end()) {
            if (--again->second == 0) depths().erase(again);
            return 0;
        }
        return mine->unlock(id_of(mutex), CALLER), 0;
    }
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

// ---- locks for readers and writers ------------------------------------------------------------

namespace {

struct shared_lock {
    int readers = 0;
    bool writer = false;
};
std::map<std::uintptr_t, shared_lock>& shared_locks() {
    static std::map<std::uintptr_t, shared_lock> all;
    return all;
}
bool may_write(std::uintptr_t id) {
    const auto& lock = shared_locks()[id];
    return lock.readers == 0 && !lock.writer;
}

}  // namespace

namespace {

enum class sharing { read, write };

int lock_until(scheduler& mine, pthread_rwlock_t* lock, sharing how, std::int64_t deadline,
               std::uintptr_t caller) {
    const auto free = [id = id_of(lock), how] {
        return how == sharing::write ? may_write(id) : !shared_locks()[id].writer;
    };
    const auto end = mine.when(deadline);
    mine.yield(caller);
    while (!free()) {
        if (mine.instant() >= end) return ETIMEDOUT;
        mine.wait_until(operation::poll, free, end, caller);
    }
    auto& taken = shared_locks()[id_of(lock)];
    if (how == sharing::write) {
        taken.writer = true;
    } else {
        ++taken.readers;
    }
    return 0;
}

}  // namespace

#define STANDS_IN_FOR_RWLOCK(name, how)                                                         \
    STANDS_IN int pthread_rwlock_##name##lock(pthread_rwlock_t* lock) noexcept {                \
        if (auto* mine = scheduler::of_this_thread())                                           \
            return lock_until(*mine, lock, how, scheduler::k_never, CALLER);                    \
        static constinit real_one<int(pthread_rwlock_t*)> real{"pthread_rwlock_" #name "lock"}; \
        return real(lock);                                                                      \
    }                                                                                           \
    STANDS_IN int pthread_rwlock_timed##name##lock(pthread_rwlock_t* lock,                      \
                                                   const timespec* until) noexcept {            \
        if (auto* mine = scheduler::of_this_thread())                                           \
            return lock_until(*mine, lock, how, to_ns(*until), CALLER);                         \
        static constinit real_one<int(pthread_rwlock_t*, const timespec*)> real{                \
            "pthread_rwlock_timed" #name "lock"};                                               \
        return real(lock, until);                                                               \
    }                                                                                           \
    STANDS_IN int pthread_rwlock_clock##name##lock(pthread_rwlock_t* lock, clockid_t clock,     \
                                                   const timespec* until) noexcept {            \
        if (auto* mine = scheduler::of_this_thread())                                           \
            return lock_until(*mine, lock, how, to_ns(*until), CALLER);                         \
        static constinit real_one<int(pthread_rwlock_t*, clockid_t, const timespec*)> real{     \
            "pthread_rwlock_clock" #name "lock"};                                               \
        return real(lock, clock, until);                                                        \
    }

STANDS_IN_FOR_RWLOCK(rd, sharing::read)
STANDS_IN_FOR_RWLOCK(wr, sharing::write)

STANDS_IN int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
    static constinit real_one<int(pthread_rwlock_t*)> real{"pthread_rwlock_tryrdlock"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(lock);
    mine->yield(CALLER);
    if (shared_locks()[id_of(lock)].writer) return EBUSY;
    ++shared_locks()[id_of(lock)].readers;
    return 0;
}

STANDS_IN int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
    static constinit real_one<int(pthread_rwlock_t*)> real{"pthread_rwlock_trywrlock"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(lock);
    mine->yield(CALLER);
    if (!may_write(id_of(lock))) return EBUSY;
    shared_locks()[id_of(lock)].writer = true;
    return 0;
}

STANDS_IN int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
    static constinit real_one<int(pthread_rwlock_t*)> real{"pthread_rwlock_unlock"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(lock);
    const auto found = shared_locks().find(id_of(lock));
    // The lock was taken before the run began.
    if (found == shared_locks().end()) return real(lock);
    if (!std::exchange(found->second.writer, false)) --found->second.readers;
    if (found->second.readers == 0) shared_locks().erase(found);
    mine->yield(CALLER);
    return 0;
}

// ---- semaphores -----------------------------------------------------------------------------

namespace {

int wait_until(scheduler& mine, sem_t* semaphore, std::int64_t deadline, std::uintptr_t caller) {
    const auto free = [semaphore] {
        int value = 0;
        return ::sem_getvalue(semaphore, &value) == 0 && value > 0;
    };
    const auto end = mine.when(deadline);
    mine.yield(caller);
    while (::sem_trywait(semaphore) != 0) {
        if (mine.instant() >= end) {
            errno = ETIMEDOUT;
            return -1;
        }
        mine.wait_until(operation::poll, free, end, caller);
    }
    return 0;
}

}  // namespace

STANDS_IN int sem_wait(sem_t* semaphore) {
    static constinit real_one<int(sem_t*)> real{"sem_wait"};
    auto* const mine = scheduler::of_this_thread();
    return mine == nullptr ? real(semaphore)
                           : wait_until(*mine, semaphore, scheduler::k_never, CALLER);
}

STANDS_IN int sem_timedwait(sem_t* semaphore, const timespec* until) {
    static constinit real_one<int(sem_t*, const timespec*)> real{"sem_timedwait"};
    auto* const mine = scheduler::of_this_thread();
    return mine == nullptr ? real(semaphore, until)
                           : wait_until(*mine, semaphore, to_ns(*until), CALLER);
}

STANDS_IN int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
    static constinit real_one<int(sem_t*, clockid_t, const timespec*)> real{"sem_clockwait"};
    auto* const mine = scheduler::of_this_thread();
    return mine == nullptr ? real(semaphore, clock, until)
                           : wait_until(*mine, semaphore, to_ns(*until), CALLER);
}

// ---- one-time initialization ----------------------------------------------------------------

// The C library's control word is 0 before the initialization and 2 after it.
STANDS_IN int pthread_once(pthread_once_t* control, void (*run)()) {
    static constinit real_one<int(pthread_once_t*, void (*)())> real{"pthread_once"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(control, run);
    constexpr pthread_once_t k_done = 2;
    static std::set<std::uintptr_t> running;
    const auto over = [control] { return !running.contains(id_of(control)); };
    while (*control != k_done) {
        if (!over()) {
            mine->wait_until(operation::poll, over, scheduler::k_never, CALLER);
            continue;
        }
        running.insert(id_of(control));
        try {
            run();
        } catch (...) {
            running.erase(id_of(control));
            throw;
        }
        *control = k_done;
        running.erase(id_of(control));
    }
    return 0;
}
