// SPDX-License-Identifier: Apache-2.0
// scheduler: decides which of a process's threads runs, one at a time.
//
// interpose.cpp stands in for what threads wait with (pthread mutexes, conditions, joins, poll, futexes, clocks) and
// brings each of these here, a *scheduling point*: the thread says what it wants, the plan picks one of those that
// can go on, and that one goes on alone until its next point. So a run is decided by its plan alone. Time is virtual: it
// stands still while any thread can go on, and then jumps to the earliest deadline of a wait.
//
// What lies between two points is one step. Accesses to atomics are no points of their own: a race that needs a
// change between two of them, with no lock, wait or thread start in between, is not seen; nor are weak memory orders.
//
// Thread safety: everything is called by the thread whose turn it is, so nothing here needs a lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "explore/plan.hpp"
#include "explore/record.hpp"

namespace turnstile::explore {

class scheduler {
public:
    // The one of this process while a scenario runs and the calling thread is one of its threads; else nullptr.
    [[nodiscard]] static scheduler* of_this_thread() noexcept;

    scheduler(plan how, record& into);
    ~scheduler();
    scheduler(const scheduler&) = delete;
    scheduler& operator=(const scheduler&) = delete;

    // Ends the process; the record says why.
    [[noreturn]] void end(verdict result, const char* text) noexcept;

    // ---- what threads want; each returns when it is done -----------------------------------
    void lock(std::uintptr_t mutex, std::uintptr_t caller);
    bool try_lock(std::uintptr_t mutex, std::uintptr_t caller);
    void unlock(std::uintptr_t mutex, std::uintptr_t caller);
    // False: the deadline came first. No deadline: k_never.
    bool wait(std::uintptr_t condition, std::uintptr_t mutex, std::int64_t deadline,
              std::uintptr_t caller);
    void notify(std::uintptr_t condition, bool all, std::uintptr_t caller);
    // A futex, whose word the caller has looked at since it last had to wait for its turn. False: the deadline.
    bool wait_for_wake(std::uintptr_t word, std::int64_t deadline, std::uintptr_t caller);
    // How many it has woken: the longest waits first, and at most so many.
    int wake(std::uintptr_t word, int most, std::uintptr_t caller);
    // A new thread, which begins with `enter` and ends with `leave`.
    std::uint8_t add_thread();
    void created(std::uintptr_t caller) { point(operation::created, 0, caller); }
    void enter(std::uint8_t thread);
    void leave();
    void join(std::uint8_t thread, std::uintptr_t caller);
    // Until `ready` says so, or virtual time has come to the deadline; true: ready.
    bool wait_until(operation operation, std::function<bool()> ready, std::int64_t deadline,
                    std::uintptr_t caller);
    void yield(std::uintptr_t caller) { point(operation::yield, 0, caller); }

    // In nanoseconds; all clocks show it.
    [[nodiscard]] std::int64_t now() const noexcept { return now_; }
    [[nodiscard]] std::uint64_t chance() noexcept { return bytes_(); }

    static constexpr std::int64_t k_never = INT64_MAX;

private:
    struct thread {
        operation wants = operation::begin;
        std::uintptr_t object = 0;  // mutex, condition
        std::uintptr_t mutex = 0;   // of a wait
        std::int64_t deadline = k_never;
        bool woken = false;
        bool late = false;  // the deadline came first
        std::uint8_t target = 0;
        std::function<bool()> ready;
        std::uint64_t order = 0;  // of the threads that wait on one condition
        std::int64_t priority = 0;
        std::atomic<std::uint32_t> turn{0};  // 1: its turn
    };

    void point(operation operation, std::uintptr_t object, std::uintptr_t caller);
    [[nodiscard]] bool can_go_on(const thread& thread) const;
    [[nodiscard]] std::uint64_t who_can() const;
    [[nodiscard]] std::uint64_t pass_time();
    [[nodiscard]] std::uint8_t pick(std::uint64_t enabled);
    [[nodiscard]] std::uint8_t pick_by_priority(std::uint64_t enabled);
    [[nodiscard]] std::uint8_t pick_by_chance(std::uint64_t enabled);
    [[nodiscard]] std::uint8_t after_current(std::uint64_t enabled) const;
    void hand_over(std::uint8_t to);
    [[nodiscard]] bool is_free(std::uintptr_t mutex) const { return !owners_.contains(mutex); }
    thread& me() { return *threads_[current_]; }

    const plan plan_;
    record& record_;
    std::vector<std::unique_ptr<thread>> threads_;
    std::map<std::uintptr_t, std::uint8_t> owners_;  // of mutexes that are taken
    std::uint8_t current_ = 0;
    std::int64_t now_;
    std::uint64_t waits_ = 0;
    base::random chance_;  // the plan's
    base::random bytes_;   // what the system's randomness is here
    std::size_t next_deviation_ = 0;
    std::vector<std::uint32_t> changes_;  // steps at which a priority drops
    std::int64_t lowest_ = 0;
};

}  // namespace turnstile::explore
