// SPDX-License-Identifier: Apache-2.0
// scheduler: decides which of a process's threads runs, one at a time.
//
// stand_in.hpp stands in for what threads wait with (pthread mutexes, conditions, joins, poll, futexes, clocks) and
// brings each of these here, a *scheduling point*: the thread says what it wants, the plan picks one of those that
// can go on, and that one goes on alone until its next point. So a run is decided by its plan alone. Time is virtual: it
// stands still while any thread can go on, and then jumps to the earliest deadline of a wait.
//
// Threads may be those of several *processes* of a simulated world, all of them in this one: each process has its clock,
// may stand still for a while and may end in the middle of its work. A thread is of the process of the thread that
// started it. What they share here and would not share there, as the library's log, must not be taken along: a thread
// whose process stands still, or is over, goes on for as long as it has a mutex that another process has asked for.
//
// What lies between two points is one step. Accesses to atomics are no points of their own: a race that needs a
// change between two of them, with no lock, wait or thread start in between, is not seen; nor are weak memory orders.
//
// Thread safety: everything is called by the thread whose turn it is, so nothing here needs a lock.
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
    // The one of this process while a scenario runs and the calling thread is one of its threads; else nullptr.
    [[nodiscard]] static scheduler* of_this_thread() noexcept;

    // What becomes of a run that comes to k_most_steps: it ends as a livelock, or it goes on, and the record has the
    // latest ones.
    enum class endurance { bounded, endless };
    scheduler(plan how, record& into, endurance lasts = endurance::bounded);
    ~scheduler();
    scheduler(const scheduler&) = delete;
    scheduler& operator=(const scheduler&) = delete;

    // `last` is called at a run's end, when none of the run's threads has a turn any more.
    void at_end(std::function<void()> last) { at_end_ = std::move(last); }
    // Ends the process; the record says why.
    [[noreturn]] void end(verdict result, const char* text) noexcept;

    // ---- what threads want; each returns when it is done -----------------------------------
    void lock(std::uintptr_t mutex, std::uintptr_t caller) {
        (void)lock_until(mutex, k_never, caller);
    }
    // False: the deadline came first.
    bool lock_until(std::uintptr_t mutex, std::int64_t deadline, std::uintptr_t caller);
    [[nodiscard]] bool owns(std::uintptr_t mutex) const {
        return mutexes_.owner_of(mutex) == current_;
    }
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
    // A thread's place in the schedule.
    struct thread {
        std::uint16_t process = 0;
        operation wants = operation::begin;
        std::uintptr_t object = 0;  // mutex, condition
        std::uintptr_t mutex = 0;   // of a wait
        std::int64_t deadline = k_never;
        bool woken = false;
        bool late = false;  // the deadline came first
        std::uint8_t target = 0;
        std::function<bool()> ready;
        std::uint64_t order = 0;             // of the threads that wait on one condition
        std::atomic<std::uint32_t> turn{0};  // 1: its turn
    };
    // A new thread, which begins with `enter` and ends with `leave`. Its number is another one's once it goes on no more,
    // which may be before the system has started it at all; its place stays its own.
    struct newcomer {
        std::uint8_t number = 0;
        thread* place = nullptr;
    };
    newcomer add_thread();
    void created(std::uintptr_t caller) { point(operation::created, 0, caller); }
    void enter(thread& place);
    void leave();
    void join(std::uint8_t thread, std::uintptr_t caller);
    // Until `ready` says so, or the true time has come to `end`; true: ready. `ready` is asked by other threads, too.
    bool wait_until(operation operation, std::function<bool()> ready, std::int64_t end,
                    std::uintptr_t caller);
    void yield(std::uintptr_t caller) { point(operation::yield, 0, caller); }

    // ---- processes; the first is 0 ----------------------------------------------------------
    std::uint16_t add_process(std::string_view name, const process_clock& clock);
    // The calling thread is its from here on.
    void become(std::uint16_t process) noexcept { me().process = process; }
    [[nodiscard]] std::uint16_t process() const noexcept { return threads_[current_]->process; }
    // The process stands still for so long, in nanoseconds of true time.
    void stop(std::uint16_t process, std::int64_t length);
    // The process is over: none of its threads has a turn any more, the caller included.
    void kill(std::uint16_t process) {
        processes_[process].over = true;
        if (process == this->process()) yield(0);
    }

    // In nanoseconds: what all clocks of the thread's process show. Deadlines above are in it, too.
    [[nodiscard]] std::int64_t now() const noexcept { return clock().shown(now_); }
    // The same for a thread that reads its clock: in a run that goes on for long that takes time.
    [[nodiscard]] std::int64_t read_clock() noexcept;
    // The true time, of wait_until(), and when the clocks of the thread's process show this.
    [[nodiscard]] std::int64_t instant() const noexcept { return now_; }
    [[nodiscard]] std::int64_t when(std::int64_t shown) const noexcept {
        return true_deadline(shown);
    }
    // Since the run began, by no process's clock.
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
    std::vector<std::unique_ptr<thread>> former_;  // whose numbers others have now
    mutex_table mutexes_;
    std::uint8_t current_ = 0;
    int ended_ = 0;  // the system's number of a thread that has left just now
    std::int64_t now_ = process_clock::k_start;
    std::uint64_t waits_ = 0;
    base::random bytes_{1};  // what the system's randomness is here
};

}  // namespace turnstile::schedule
