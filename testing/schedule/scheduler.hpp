// SPDX-License-Identifier: Apache-2.0
// scheduler: runs the threads of a process one at a time, and decides which of them runs.
//
// stand_in.hpp replaces the functions by which threads wait: pthread mutexes and conditions, joins, poll, futexes,
// clocks. Each call is a *scheduling point*: the thread names its next operation, the plan (plan.hpp) picks a runnable
// thread, and that thread runs alone until its next point. So a plan determines a whole run. Time is virtual: each
// point takes one microsecond. While no thread can run, the time jumps to the earliest deadline.
//
// Threads may belong to several simulated *processes*, all inside this one real process. Each simulated process has a
// clock, may be stopped and may be killed at any point. A new thread belongs to the process of the thread that started
// it. The simulated processes share some objects that real processes would not share, such as the library's log. A
// stopped or killed process must not keep a shared object from the other processes. So a thread of that process
// continues while it has locked a mutex that another process has requested.
//
// The code between two points is one step. An access to an atomic is no point. So the scheduler misses a race that
// needs a switch of threads between two such accesses, with no lock, wait or thread start between the accesses. It does
// not model weak memory orders.
//
// Thread safety: only the running thread calls these functions, so they need no lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "schedule/choice.hpp"
#include "schedule/plan.hpp"
#include "schedule/process_clock.hpp"
#include "schedule/record.hpp"

namespace turnstile::schedule {

// mutex_table: records each mutex's owner, and the mutexes that several processes use. Copies are independent.
//
// A new mutex may have the address of a destroyed mutex. Then the table may wrongly count the new mutex as used by
// several processes. The only effect: a thread of a stopped process continues until it releases that mutex.
class mutex_table {
public:
    void ask(std::uintptr_t mutex, std::uint16_t process) {
        const auto [found, first] = askers_.try_emplace(mutex, process);
        if (!first && found->second != process) found->second = k_several;
    }
    void take(std::uintptr_t mutex, std::uint8_t thread) { owners_[mutex] = thread; }
    [[nodiscard]] bool try_to_take(std::uintptr_t mutex, std::uint8_t thread) {
        return owners_.try_emplace(mutex, thread).second;
    }
    void let_go(std::uintptr_t mutex) { owners_.erase(mutex); }

    [[nodiscard]] std::optional<std::uint8_t> owner_of(std::uintptr_t mutex) const {
        const auto found = owners_.find(mutex);
        if (found == owners_.end()) return std::nullopt;
        return found->second;
    }
    [[nodiscard]] bool is_free(std::uintptr_t mutex) const { return !owners_.contains(mutex); }
    // Returns true if the thread owns a mutex that several processes use.
    [[nodiscard]] bool holds_up_others(std::size_t thread) const {
        return std::any_of(owners_.begin(), owners_.end(), [&](const auto& taken) {
            if (taken.second != thread) return false;
            const auto asked = askers_.find(taken.first);
            return asked != askers_.end() && asked->second == k_several;
        });
    }

private:
    static constexpr int k_several = -1;

    std::map<std::uintptr_t, std::uint8_t> owners_;  // owners of locked mutexes
    // Maps each mutex to the number of the process that uses it, or to k_several.
    std::map<std::uintptr_t, int> askers_;
};

class scheduler {
public:
    // Returns the scheduler if the calling thread belongs to a run, otherwise nullptr.
    [[nodiscard]] static scheduler* of_this_thread() noexcept;

    // Selects what happens after k_most_steps steps. `bounded`: the run ends as a livelock. `endless`: the run
    // continues, and the record keeps the latest k_most_steps steps.
    enum class endurance { bounded, endless };
    scheduler(plan how, record& into, endurance lasts = endurance::bounded);
    ~scheduler();
    scheduler(const scheduler&) = delete;
    scheduler& operator=(const scheduler&) = delete;

    // Sets a function that end() calls after the threads of the run have stopped for ever.
    void at_end(std::function<void()> last) { at_end_ = std::move(last); }
    // Writes the result and its reason `text` into the record, and ends the real process.
    [[noreturn]] void end(verdict result, const char* text) noexcept;

    // ---- operations of threads: each function returns when the operation is done ----
    void lock(std::uintptr_t mutex, std::uintptr_t caller) {
        (void)lock_until(mutex, k_never, caller);
    }
    // Returns false if the deadline came before the mutex was free.
    bool lock_until(std::uintptr_t mutex, std::int64_t deadline, std::uintptr_t caller);
    [[nodiscard]] bool owns(std::uintptr_t mutex) const {
        return mutexes_.owner_of(mutex) == current_;
    }
    bool try_lock(std::uintptr_t mutex, std::uintptr_t caller);
    void unlock(std::uintptr_t mutex, std::uintptr_t caller);
    // Returns false if the deadline came before a notification. k_never means no deadline.
    bool wait(std::uintptr_t condition, std::uintptr_t mutex, std::int64_t deadline,
              std::uintptr_t caller);
    void notify(std::uintptr_t condition, bool all, std::uintptr_t caller);
    // Waits for a wake() of the futex `word`. The caller must have read the futex since its last scheduling point.
    // Returns false if the deadline came before a wake().
    bool wait_for_wake(std::uintptr_t word, std::int64_t deadline, std::uintptr_t caller);
    // Wakes up to `most` threads that wait for the futex `word`, the longest waiters first. Returns how many it woke.
    int wake(std::uintptr_t word, int most, std::uintptr_t caller);
    struct thread {
        std::uint16_t process = 0;
        operation wants = operation::begin;
        std::uintptr_t object = 0;  // address of the mutex, condition or futex
        std::uintptr_t mutex = 0;   // the mutex that a wait on a condition releases
        std::int64_t deadline = k_never;
        bool woken = false;
        bool late = false;  // true: the deadline came first
        std::uint8_t target = 0;
        std::function<bool()> ready;
        std::uint64_t order = 0;             // grows with each wait on a condition or futex
        std::atomic<std::uint32_t> turn{0};  // 1: the thread may run
    };
    // A new thread begins with `enter` and ends with `leave`. In an endless run, a later thread reuses the number of an
    // ended thread, or of a thread of a killed process. A thread of a killed process may begin to run after its number
    // has passed to a later thread. So each thread has separate data at `place`.
    struct newcomer {
        std::uint8_t number = 0;
        thread* place = nullptr;
    };
    newcomer add_thread();
    void created(std::uintptr_t caller) { point(operation::created, 0, caller); }
    void enter(thread& place);
    void leave();
    void join(std::uint8_t thread, std::uintptr_t caller);
    // Waits until `ready` returns true, at most until the true time `end`. Returns the latest result of `ready`. Other
    // threads may call `ready`, too.
    bool wait_until(operation operation, std::function<bool()> ready, std::int64_t end,
                    std::uintptr_t caller);
    void yield(std::uintptr_t caller) { point(operation::yield, 0, caller); }

    // ---- processes: the first process has the number 0 ----
    std::uint16_t add_process(std::string_view name, const process_clock& clock);
    void become(std::uint16_t process) noexcept { me().process = process; }
    [[nodiscard]] std::uint16_t process() const noexcept { return threads_[current_]->process; }
    // Stops the process for `length` nanoseconds of true time.
    void stop(std::uint16_t process, std::int64_t length);
    // Ends the process. None of its threads continues, not even the caller.
    void kill(std::uint16_t process) {
        processes_[process].over = true;
        if (process == this->process()) yield(0);
    }

    // Returns the time in nanoseconds that all clocks of the running thread's process show. The deadlines of
    // lock_until(), wait() and wait_for_wake() are times of these clocks.
    [[nodiscard]] std::int64_t now() const noexcept { return clock().shown(now_); }
    // Returns now(). In an endless run each call advances the virtual time, so that a thread that polls a clock makes
    // progress.
    [[nodiscard]] std::int64_t read_clock() noexcept;
    // instant() returns the true time, which wait_until() uses. when() returns the true time at which the clocks of the
    // running thread's process show `shown`. true_time() counts from the run's beginning.
    [[nodiscard]] std::int64_t instant() const noexcept { return now_; }
    [[nodiscard]] std::int64_t when(std::int64_t shown) const noexcept {
        return true_deadline(shown);
    }
    [[nodiscard]] std::int64_t true_time() const noexcept { return now_ - process_clock::k_start; }
    [[nodiscard]] std::uint64_t chance() noexcept { return bytes_(); }

    static constexpr std::int64_t k_never = INT64_MAX;

private:
    struct process_state {
        process_clock clock;
        std::int64_t stands_until = 0;
        bool over = false;
    };
    void point(operation operation, std::uintptr_t object, std::uintptr_t caller);
    [[nodiscard]] bool can_go_on(std::size_t number) const;
    [[nodiscard]] bool has_what_it_wants(const thread& thread) const;
    [[nodiscard]] bool may_go_on(std::size_t number) const;
    [[nodiscard]] std::size_t free_number() const;
    void ask_for(std::uintptr_t mutex);
    [[nodiscard]] const process_clock& clock() const noexcept {
        return processes_[process()].clock;
    }
    [[nodiscard]] std::int64_t true_deadline(std::int64_t shown) const noexcept {
        return shown > k_never / 2 ? k_never : clock().when(shown);
    }
    [[nodiscard]] thread_set who_can() const;
    [[nodiscard]] bool pass_time();
    void mark_late();
    static void take_stack(standing& of);
    [[noreturn]] void end_in_deadlock();
    void hand_over(std::uint8_t to);
    void await_end_of_last() noexcept;
    thread& me() { return *threads_[current_]; }

    choice choice_;
    record& record_;
    const endurance lasts_;
    std::function<void()> at_end_;
    std::vector<process_state> processes_{1};
    std::vector<std::unique_ptr<thread>> threads_;
    // Data of the threads whose numbers later threads have reused.
    std::vector<std::unique_ptr<thread>> former_;
    mutex_table mutexes_;
    std::uint8_t current_ = 0;
    int ended_ = 0;  // system number of the thread that has just ended
    std::int64_t now_ = process_clock::k_start;
    std::uint64_t waits_ = 0;
    base::random bytes_{1};  // replaces the system's random numbers
};

}  // namespace turnstile::schedule
