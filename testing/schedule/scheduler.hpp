// SPDX-License-Identifier: Apache-2.0
// scheduler: decides which of a process's threads runs, one at a time.
//
// stand_in.hpp replaces the functions with which threads wait (pthread mutexes, conditions, joins, poll, futexes,
// clocks). Each call reaches the scheduler at a *scheduling point*: the thread says what it wants, the plan picks one
// of the runnable threads, and that thread runs alone until its next point. So the plan alone decides a run. Time is
// virtual: it does not advance while any thread can run, and then jumps to the earliest deadline of a wait.
//
// Threads may belong to several *processes* of a simulated world, all of them in this process. Each simulated process
// has a clock, may be stopped for a while and may be killed in the middle of its work. A thread belongs to the
// process of the thread that started it. Some objects are shared here that real processes would not share, such as
// the library's log. A stopped or killed process must not block them: its thread continues for as long as it has a
// mutex that another process has requested.
//
// The code between two points is one step. Accesses to atomics are no points. So the scheduler does not find a race
// that needs a switch between two accesses to atomics, if there is no lock, wait or thread start between these. It also
// does not model weak memory orders.
//
// Thread safety: only the running thread calls these functions, so they need no lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "schedule/choice.hpp"
#include "schedule/mutex_table.hpp"
#include "schedule/plan.hpp"
#include "schedule/process_clock.hpp"
#include "schedule/record.hpp"

namespace turnstile::schedule {

class scheduler {
public:
    // Returns this process's scheduler if a scenario runs and the calling thread belongs to the run; otherwise nullptr.
    [[nodiscard]] static scheduler* of_this_thread() noexcept;

    // Selects what happens if a run reaches k_most_steps. bounded: the run ends as a livelock. endless: it continues,
    // and the record keeps the latest steps.
    enum class endurance { bounded, endless };
    scheduler(plan how, record& into, endurance lasts = endurance::bounded);
    ~scheduler();
    scheduler(const scheduler&) = delete;
    scheduler& operator=(const scheduler&) = delete;

    // Sets a function that the scheduler calls at the end of a run. At that time no thread of the run runs any more.
    void at_end(std::function<void()> last) { at_end_ = std::move(last); }
    // Ends the process with this result and reason in the record.
    [[noreturn]] void end(verdict result, const char* text) noexcept;

    // ---- operations of threads; each returns when it is done ------------------------------- ----
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
    // Returns false if the deadline came before a notification. k_never: no deadline.
    bool wait(std::uintptr_t condition, std::uintptr_t mutex, std::int64_t deadline,
              std::uintptr_t caller);
    void notify(std::uintptr_t condition, bool all, std::uintptr_t caller);
    // Waits at a futex. The caller must have read the futex's word since its last switch. Returns false at the
    // deadline.
    bool wait_for_wake(std::uintptr_t word, std::int64_t deadline, std::uintptr_t caller);
    // Wakes up to `most` threads, beginning with the thread that has waited longest. Returns the number of woken
    // threads.
    int wake(std::uintptr_t word, int most, std::uintptr_t caller);
    // The scheduler's data about a thread.
    struct thread {
        std::uint16_t process = 0;
        operation wants = operation::begin;
        std::uintptr_t object = 0;  // address of the mutex or the condition
        std::uintptr_t mutex = 0;   // address of the mutex that a wait on a condition releases
        std::int64_t deadline = k_never;
        bool woken = false;
        bool late = false;  // true: the deadline came first
        std::uint8_t target = 0;
        std::function<bool()> ready;
        std::uint64_t order = 0;             // orders the threads that wait on one condition
        std::atomic<std::uint32_t> turn{0};  // 1: the thread may run
    };
    // A new thread, which begins with `enter` and ends with `leave`. After its end another thread may get its number,
    // perhaps before the system has started that thread. The data at `place` belong to one thread only.
    struct newcomer {
        std::uint8_t number = 0;
        thread* place = nullptr;
    };
    newcomer add_thread();
    void created(std::uintptr_t caller) { point(operation::created, 0, caller); }
    void enter(thread& place);
    void leave();
    void join(std::uint8_t thread, std::uintptr_t caller);
    // Waits until `ready` returns true, or until the true time `end`. Returns true if `ready` did. Other threads may
    // call `ready` too.
    bool wait_until(operation operation, std::function<bool()> ready, std::int64_t end,
                    std::uintptr_t caller);
    void yield(std::uintptr_t caller) { point(operation::yield, 0, caller); }

    // ---- processes; the first has the number 0 ---------------------------------------------------------- ----
    std::uint16_t add_process(std::string_view name, const process_clock& clock);
    // Moves the calling thread to this process.
    void become(std::uint16_t process) noexcept { me().process = process; }
    [[nodiscard]] std::uint16_t process() const noexcept { return threads_[current_]->process; }
    // Stops the process for this length, in nanoseconds of true time.
    void stop(std::uint16_t process, std::int64_t length);
    // Ends the process. None of its threads runs any more, not even the caller.
    void kill(std::uint16_t process) {
        processes_[process].over = true;
        if (process == this->process()) yield(0);
    }

    // Returns the time that all clocks of the thread's process show, in nanoseconds. The deadlines above use this time
    // too.
    [[nodiscard]] std::int64_t now() const noexcept { return clock().shown(now_); }
    // Returns now() to a thread that reads its clock. In an endless run, reading the clock takes time.
    [[nodiscard]] std::int64_t read_clock() noexcept;
    // instant() returns the true time, as in wait_until(). when() returns the true time at which the clocks of the
    // thread's process show `shown`.
    [[nodiscard]] std::int64_t instant() const noexcept { return now_; }
    [[nodiscard]] std::int64_t when(std::int64_t shown) const noexcept {
        return true_deadline(shown);
    }
    // Returns the true time since the run began, whatever the processes' clocks show.
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
    // threads whose numbers belong to other threads now
    std::vector<std::unique_ptr<thread>> former_;
    mutex_table mutexes_;
    std::uint8_t current_ = 0;
    int ended_ = 0;  // the system's number of the thread that has just ended
    std::int64_t now_ = process_clock::k_start;
    std::uint64_t waits_ = 0;
    base::random bytes_{1};  // replaces the system's random numbers
};

}  // namespace turnstile::schedule
