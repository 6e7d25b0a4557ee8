// SPDX-License-Identifier: Apache-2.0
// Replaces the functions that start and end threads, and the futex system calls.
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdlib>
#include <map>
#include <memory>

#include "schedule/real.hpp"
#include "schedule/stand_in.hpp"

using namespace turnstile::schedule;

namespace {

std::map<pthread_t, std::uint8_t>& threads() {
    static std::map<pthread_t, std::uint8_t> all;
    return all;
}

struct start {
    void* (*run)(void*);
    void* argument;
    scheduler::thread* place;
    scheduler* by;
};

// Value of the thread-specific key below. The key's destructor removes the thread from the run at the end of the
// thread, also after pthread_exit(). The C library first destroys thread_local objects, and then values with keys, in
// several rounds. The thread leaves the run in the last round.
struct leaving {
    scheduler& from;
    int rounds = 0;
};
pthread_key_t leaving_key() {
    static const pthread_key_t key = [] {
        pthread_key_t created{};
        const int failure = ::pthread_key_create(&created, [](void* of) {
            auto* const own = static_cast<leaving*>(of);
            if (++own->rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
                ::pthread_setspecific(leaving_key(), own);
                return;
            }
            const std::unique_ptr<leaving> last{own};
            last->from.leave();
        });
        if (failure != 0) std::abort();
        return created;
    }();
    return key;
}

void* run_thread(void* given) {
    const std::unique_ptr<start> beginning{static_cast<start*>(given)};
    beginning->by->enter(*beginning->place);
    ::pthread_setspecific(leaving_key(), new leaving{*beginning->by});
    return beginning->run(beginning->argument);
}

constinit real_one<long(long, ...)> real_syscall{"syscall"};

}  // namespace

namespace turnstile::schedule::real {

void give_turn(std::atomic<std::uint32_t>& turn) noexcept {
    turn.store(1);
    real_syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void await_turn(std::atomic<std::uint32_t>& turn) noexcept {
    while (turn.exchange(0) == 0)
        real_syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
}

int own_thread() noexcept {
    return static_cast<int>(real_syscall(SYS_gettid));
}

void await_end(int thread) noexcept {
    while (real_syscall(SYS_tgkill, ::getpid(), thread, 0) == 0) real_syscall(SYS_sched_yield);
}

}  // namespace turnstile::schedule::real

// ---- threads --------------------------------------------------------------------------------

STANDS_IN int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*),
                             void* argument) noexcept {
    static constinit real_one<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> real{
        "pthread_create"};
    auto* const mine = scheduler::of_this_thread();
    if (mine == nullptr) return real(thread, how, run, argument);
    const auto [number, place] = mine->add_thread();
    const int failure = real(thread, how, run_thread, new start{run, argument, place, mine});
    if (failure != 0) mine->end(turnstile::schedule::verdict::failed, "the system has no thread");
    std::erase_if(threads(), [taken = number](const auto& each) { return each.second == taken; });
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
    return real(thread, result);  // the thread has ended or is about to end
}

STANDS_IN pid_t fork() {
    static constinit real_one<pid_t()> real{"fork"};
    if (auto* const mine = scheduler::of_this_thread())
        mine->end(verdict::failed,
                  "fork() in a run: a process of the world is a thread of this one");
    return real();
}

STANDS_IN int sched_yield() noexcept {
    if (auto* mine = scheduler::of_this_thread()) return mine->yield(CALLER), 0;
    static constinit real_one<int()> real{"sched_yield"};
    return real();
}

namespace {

// Waits as a real futex does: no other thread runs between the read of the word and the wait.
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

// Replaces syscall(), because std::atomic::wait and the C++ library's semaphores call it for futexes.
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
