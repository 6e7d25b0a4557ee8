// SPDX-License-Identifier: Apache-2.0
// seat_state: the state of an election_seat. It has the present *turn* (one stay in the queue), the hold that was
// granted in this turn, the *term* (the time for which the participant leads with this hold), the pause after the term,
// and the changes that the listeners do not know yet.
//
// Each event returns effects. The seat executes them under no lock, because they call the client and the user's
// executor, which may block or call the seat.
//
//     duty_thread        runs the user's function; any thread may call `run`
//     term_pause         how long a participant stays out of the queue after its own term
//     term_in_progress   the task that runs after a participant was granted the lead
//
// Thread safety: none. The seat's mutex guards this value.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/back_off.hpp"
#include "base/out_of_memory.hpp"
#include "base/random.hpp"
#include "client/callback_queue.hpp"
#include "recipe/election/participation.hpp"
#include "turnstile/client.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/owner.hpp"

namespace turnstile::detail {

// Runs the user's function of an election, on a thread of this object or on the user's executor.
//
// Thread safety: a value, whose copies share the thread; `run` from any thread.
class duty_thread {
public:
    // Uses the executor `users`, which must outlive this object. If it is empty, starts a thread. Throws
    // boost::thread_resource_error if no thread can be started.
    explicit duty_thread(const executor& users)
        : users_{&users},
          own_{users ? nullptr : callback_queue::start({}, {.name = "turnstile-lead"})} {}

    // Runs the task soon. The thread runs one task at a time. Throws the exceptions of the user's executor.
    void run(const std::function<void()>& task) const {
        if (!own_) return (*users_)(task);
        base::finish_or_end("a term of an election", [&] { own_->post(task); });
        own_->pump();
    }
    // Waits until the thread has ended; must not be called on that thread. Does not wait for an executor.
    void finish() const {
        if (own_) own_->finish(boottime_clock::now());  // the thread waits for no executor
    }

private:
    const executor* users_;
    std::shared_ptr<callback_queue> own_;
};

// The time for which a participant stays out of the queue after its own term.
//
// During its term a participant runs the user's function. If the function returned, the participant pauses for
// leader_options::pause. If the function threw, the pause is a random time between once and twice
// leader_options::pause. With each further throw both bounds double, up to a minute (or twice leader_options::pause, if
// that is longer). If leader_options::pause is below half a second, the bounds are at first half a second and a second.
// So a participant whose function always throws does not write to the servers and the log without end.
class term_pause {
public:
    using duration = boottime_clock::duration;
    static constexpr duration k_first_after_throw = std::chrono::seconds{1};
    static constexpr duration k_longest_after_throw = std::chrono::minutes{1};

    explicit term_pause(duration pause)
        : pause_{pause},
          after_throw_{std::max(2 * pause, k_first_after_throw),
                       std::max(2 * pause, k_longest_after_throw)} {}

    // Returns the next pause. `threw`: the user's function has thrown; each consecutive throw makes the pause longer.
    [[nodiscard]] duration draw(bool threw, base::random& chance) {
        if (threw) return after_throw_.draw(chance);
        after_throw_.reset();
        return pause_;
    }

private:
    duration pause_;
    base::back_off after_throw_;
};

// The task that runs after a participant of an election was granted the lead. The task decides whether the participant
// leads, and then calls the user's function. This class has the task's turn (one stay of the participant in the queue),
// the task's thread, and the hold with which the participant leads.
//
// | state   | next state: the call that causes it                             |
// |---------|-----------------------------------------------------------------|
// | none    | running: begin()                                                |
// | running | leading: lead(); none: end(), unless a later turn has begun     |
// | leading | running: take_lead()                                            |
class term_in_progress {
public:
    using turn = course::turn;

    // Call this when the task for the turn `of` (one stay in the queue) begins in `thread`. The task must end when
    // `stop` has a stop request.
    void begin(turn of, const owner& thread, const std::stop_source& stop) {
        running_ = task{of, thread};
        stop_ = stop;
    }
    void end(turn of) {
        if (is_running(of)) running_.reset();
    }
    [[nodiscard]] bool is_running(turn which) const { return running_ && running_->of == which; }
    // Returns the turn (stay in the queue) whose task runs, so that the caller can wait for the task's end. Returns
    // nothing if no task runs, or if the task runs in the caller's own thread.
    [[nodiscard]] std::optional<turn> awaited_by(const owner& caller) const {
        return running_ && running_->thread != caller ? std::optional{running_->of} : std::nullopt;
    }
    // Returns the stop source of the latest task: the argument `stop` of the latest begin().
    [[nodiscard]] const std::stop_source& stop() const noexcept { return stop_; }

    // Call this when the participant begins to lead. `hold`: the hold that was granted to the participant.
    void lead(std::shared_ptr<guard> hold) {
        lead_ = std::move(hold);
        ++calls_;
    }
    // Call this when the user's function has returned, or when a participant without a function ceases to lead.
    [[nodiscard]] std::shared_ptr<guard> take_lead() { return std::exchange(lead_, nullptr); }

    // Returns the hold with which the participant leads; null while it does not lead.
    [[nodiscard]] const std::shared_ptr<guard>& lead() const noexcept { return lead_; }
    [[nodiscard]] std::size_t calls() const noexcept { return calls_; }

private:
    struct task {
        turn of = 0;
        owner thread;
    };

    std::optional<task> running_;
    std::stop_source stop_;
    std::shared_ptr<guard> lead_;
    std::size_t calls_ = 0;
};

struct leadership {
    guard hold;
    std::optional<std::stop_callback<std::function<void()>>> loss{};  // destroyed under no lock
};

struct seat_effects {
    std::vector<std::stop_source> to_trigger{};
    std::vector<std::shared_ptr<void>> to_release{};
    std::optional<course::turn> enters{};
    std::stop_token leaves{};  // has a stop request when the turn in `enters` must end
    std::optional<course::turn> calls{};
    std::optional<duty_thread> by{};
    std::optional<course::turn> returns{};  // ends a term without a function
    std::optional<course::turn> pauses{};
    boottime_clock::time_point until{};  // the end of the pause
    bool has_news = false;
};

class seat_state {
public:
    using turn = course::turn;

    // `once`: after one term as the leader, the participant does not queue again. `pause`: the time for which the
    // participant stays out of the queue after a term that it ended itself.
    seat_state(bool once, boottime_clock::duration pause, bool has_function)
        : has_function_{has_function}, now_{once}, pauses_{pause} {}

    // Starts a thread for the function, if there is a function and no executor. Throws the exceptions of duty_thread.
    [[nodiscard]] seat_effects start(const executor& run);
    struct ending {
        seat_effects effects;
        std::optional<duty_thread> thread;
        std::optional<turn> term;  // the term whose end `caller` may wait for
    };
    [[nodiscard]] ending close(const owner& caller);
    [[nodiscard]] seat_effects on(const course::input& event);
    // Stores the hold that was granted in the turn `of` (one stay in the queue). Returns nothing if this turn has
    // ended; then the caller must give the hold back.
    [[nodiscard]] std::optional<seat_effects> grant(turn of,
                                                    const std::shared_ptr<leadership>& held);

    // ---- functions for the task that leads ----
    // When a turn is granted the lead, a task begins. The task calls the next functions in this order, until a call
    // shows that the turn has ended.
    // begin_term() returns the hold that was granted in the turn `of`; null if this turn has ended.
    [[nodiscard]] std::shared_ptr<guard> begin_term(turn of, const owner& thread,
                                                    const std::stop_source& stop);
    [[nodiscard]] seat_effects decide(turn of, bool may_lead, const std::shared_ptr<guard>& lead);
    // Called when the user's function has returned or thrown. Returns the hold with which the function was called.
    [[nodiscard]] std::shared_ptr<guard> end_call(bool threw);
    void end_term(turn of) { term_.end(of); }

    // ---- queries about the state ----
    [[nodiscard]] bool leads() const { return now_.leads(); }
    [[nodiscard]] bool leads_in(turn which) const { return now_.is<course::leading>(which); }
    [[nodiscard]] bool rests() const { return now_.rests(); }
    [[nodiscard]] bool has_entered() const noexcept { return entered_; }
    [[nodiscard]] std::optional<error> failure() const { return now_.failure(); }
    [[nodiscard]] const term_in_progress& term() const noexcept { return term_; }
    // During a pause, pausing() returns the turn (stay in the queue) before the pause, and pause_end() the time at
    // which the pause ends.
    [[nodiscard]] std::optional<turn> pausing() const { return now_.pausing(); }
    [[nodiscard]] boottime_clock::time_point pause_end() const noexcept { return pause_end_; }
    // Removes the oldest change that the listeners do not know yet; at least one must exist. Returns true if the
    // participant began to lead with this change, and false if the participant ceased to lead.
    [[nodiscard]] bool take_news();

private:
    struct granted_hold {
        turn of = 0;
        std::shared_ptr<leadership> held{};
    };

    void add(seat_effects& effects, const course::enter_queue& next);
    void add(seat_effects& effects, const course::leave_queue& next);
    void add(seat_effects& effects, const course::call_function& next);
    void add(seat_effects& effects, const course::stop& next);
    void add(seat_effects& effects, const course::give_back_lead& next);
    void add(seat_effects& effects, const course::pause& next);

    bool has_function_;
    participation now_;
    bool entered_ = false;               // true: has entered the queue before
    std::optional<duty_thread> thread_;  // exists between start() and close()
    std::stop_source waiting_;           // ends the wait of the present turn
    granted_hold held_;
    term_in_progress term_;
    std::deque<bool> news_;  // the oldest first
    base::random chance_ = base::random::from_system();
    term_pause pauses_;
    bool threw_ = false;  // true if the latest call of the function threw
    boottime_clock::time_point pause_end_{};
};

}  // namespace turnstile::detail
