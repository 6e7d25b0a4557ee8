// SPDX-License-Identifier: Apache-2.0
// term_in_progress: in an election a task decides whether a granted participant leads, and then calls the user's
// function. This class has the turn of the running task, its thread, and the hold with which it has called the
// function.
//
// | state   | leads to                                                        |
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

    // Begins a task of this turn, which runs in `thread`, and must end when `stop` is requested.
    void begin(turn of, const owner& thread, const std::stop_source& stop) {
        running_ = task{of, thread};
        stop_ = stop;
    }
    void end(turn of) {
        if (is_running(of)) running_.reset();
    }
    [[nodiscard]] bool is_running(turn which) const { return running_ && running_->of == which; }
    // Returns the turn for whose end the caller may wait; nothing if the task runs in the caller's own thread.
    [[nodiscard]] std::optional<turn> awaited_by(const owner& caller) const {
        return running_ && running_->thread != caller ? std::optional{running_->of} : std::nullopt;
    }
    // Returns the stop source of the latest turn.
    [[nodiscard]] const std::stop_source& stop() const noexcept { return stop_; }

    // Called when the function is called with this hold.
    void lead(std::shared_ptr<guard> hold) {
        lead_ = std::move(hold);
        ++calls_;
    }
    // Called when the function has returned.
    [[nodiscard]] std::shared_ptr<guard> take_lead() { return std::exchange(lead_, nullptr); }

    // Returns the hold with which the function was called; nullptr unless the function is running.
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
