// SPDX-License-Identifier: Apache-2.0
// term_in_progress: the task that runs after a participant of an election was granted the lead. The task decides
// whether the participant leads, and then calls the user's function. This class has the task's turn (one stay of the
// participant in the queue), the task's thread, and the hold with which the participant leads.
//
// | state   | next state: the call that causes it                             |
// |---------|-----------------------------------------------------------------|
// | none    | running: begin()                                                |
// | running | leading: lead(); none: end(), unless a later turn has begun     |
// | leading | running: take_lead()                                            |
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "recipe/election/course.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/owner.hpp"

namespace turnstile::detail {

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

}  // namespace turnstile::detail
