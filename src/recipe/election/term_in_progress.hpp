// SPDX-License-Identifier: Apache-2.0
// term_in_progress: the turn whose task runs in an election, the task's thread, and the hold that
// its function was called with.
//
// | state | leads to |
// |---------|-----------------------------------------------------------------|
// | none | running: begin() |
// | running | leading: lead(); none: end(), if no later turn has begun by then |
// | leading | running: take_lead() |
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

    // The task of this turn runs in `thread`. It has to end when this stop token is triggered.
    void begin(turn of, const owner& thread, const std::stop_source& stop) {
        running_ = task{of, thread};
        stop_ = stop;
    }
    void end(turn of) {
        if (is_running(of)) running_.reset();
    }
    [[nodiscard]] bool is_running(turn which) const { return running_ && running_->of == which; }
    // The turn whose end the caller may wait for; nullopt if the task runs in the caller's own thread.
    [[nodiscard]] std::optional<turn> awaited_by(const owner& caller) const {
        return running_ && running_->thread != caller ? std::optional{running_->of} : std::nullopt;
    }
    // The stop source of the turn that began last.
    [[nodiscard]] const std::stop_source& stop() const noexcept { return stop_; }

    // The function gets this hold.
    void lead(std::shared_ptr<guard> hold) {
        lead_ = std::move(hold);
        ++calls_;
    }
    // The function has returned.
    [[nodiscard]] std::shared_ptr<guard> take_lead() { return std::exchange(lead_, nullptr); }

    // nullptr unless the function is running.
    [[nodiscard]] const std::shared_ptr<guard>& lead() const noexcept { return lead_; }
    // The number of calls of the function.
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
