// SPDX-License-Identifier: Apache-2.0
// Mutexes, conditions, locks for readers and writers, and what is done once.
#include <pthread.h>

#include <cerrno>
#include <map>
#include <set>
#include <utility>

#include "schedule/real.hpp"
#include "schedule/stand_in.hpp"

using namespace turnstile::schedule;

void real::keep_locks() noexcept {}

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

STANDS_IN int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
    static constinit real_one<int(pthread_rwlock_t*)> real{"pthread_rwlock_rdlock"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(lock);
    const auto free = [id = id_of(lock)] { return !shared_locks()[id].writer; };
    mine->yield(CALLER);
    while (!free()) mine->wait_until(operation::poll, free, scheduler::k_never, CALLER);
    ++shared_locks()[id_of(lock)].readers;
    return 0;
}

STANDS_IN int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
    static constinit real_one<int(pthread_rwlock_t*)> real{"pthread_rwlock_tryrdlock"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(lock);
    mine->yield(CALLER);
    if (shared_locks()[id_of(lock)].writer) return EBUSY;
    ++shared_locks()[id_of(lock)].readers;
    return 0;
}

STANDS_IN int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
    static constinit real_one<int(pthread_rwlock_t*)> real{"pthread_rwlock_wrlock"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(lock);
    const auto free = [id = id_of(lock)] { return may_write(id); };
    mine->yield(CALLER);
    while (!free()) mine->wait_until(operation::poll, free, scheduler::k_never, CALLER);
    shared_locks()[id_of(lock)].writer = true;
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
    if (found == shared_locks().end()) return real(lock);  // taken before the run
    if (!std::exchange(found->second.writer, false)) --found->second.readers;
    if (found->second.readers == 0) shared_locks().erase(found);
    mine->yield(CALLER);
    return 0;
}

// ---- once -----------------------------------------------------------------------------------

// The control word is 0 before, and 2 after it is done, as the C library has it.
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
