// SPDX-License-Identifier: Apache-2.0
// multi_hold: the call for a multi_lock. It passes the locks' answers to a core::all_of, which decides what to request
// and what to give back.
//
// composite_hold.hpp has the code that holds of several locks share, and describes what the mutex guards. A *part* is
// the hold of one of the locks. The multi_hold keeps a lost part until the whole hold is given up, because the guard
// still queries the part, and the part's client runs callbacks.
//
// Thread safety: all members from any thread. Lock order: this object's mutex, then the mutexes of the parts' holds.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/composite/all_of.hpp"
#include "recipe/composite/composite_hold.hpp"
#include "recipe/composite/multi_parts.hpp"

namespace turnstile::detail {

class multi_hold final : public composite_hold {
public:
    // `locks`: in their canonical order. `request`: has no handler if acquire() will be called.
    multi_hold(std::vector<any_lock> locks, std::shared_ptr<trial_pace> pace,
               acquire_request&& request);
    ~multi_hold() override { unlock(); }
    multi_hold(const multi_hold&) = delete;
    multi_hold& operator=(const multi_hold&) = delete;

    // Both functions start the call. Only one of them may be called, and only once. acquire() blocks. Both are Boost
    // interruption points, like the calls of a single lock.
    result<guard> acquire();
    void async_acquire();

    // ---- functions for the guard -----------------------------------------------------------
    [[nodiscard]] const std::string& path() const noexcept override { return locks_.paths(); }
    [[nodiscard]] turnstile::fencing_token token() const noexcept override;
    [[nodiscard]] fencing_vector tokens() const override;
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override;
    [[nodiscard]] boottime_clock::time_point certain_until() const noexcept override;
    [[nodiscard]] result<znode_holds> parts_for_commit() override;
    void run_as_callback(task callback) override;

private:
    // The actions that follow an event of the call. execute() performs them after mutex_ is unlocked.
    struct decisions {
        part_questions next;
        std::vector<std::stop_source> withdraw;  // ends the waits of these parts
        std::vector<kept_part> give_back;
        std::optional<std::vector<task>> lost;  // the callbacks that report the loss
    };

    [[nodiscard]] result<void> await_release(boottime_clock::time_point deadline) override;
    [[nodiscard]] bool is_certain() const noexcept override REQUIRES(mutex_);
    [[nodiscard]] error doubt() const override REQUIRES(mutex_);
    void cancel(const error& why) noexcept override;
    void leave(const error& why) noexcept override;
    // Passes the callback to the client of the lost lock, which runs it. Drops the callback if all locks were released
    // meanwhile.
    void post(task callback) override;
    void on_part_lost(std::size_t which, std::uint64_t serial) override;
    [[nodiscard]] bool is_short(boottime_clock::duration /*left*/) const override { return true; }

    [[nodiscard]] std::shared_ptr<multi_hold> self() {
        return std::static_pointer_cast<multi_hold>(shared_from_this());
    }
    part_questions begin();
    part_questions wait_for(std::size_t which);
    part_questions try_all(const std::vector<std::size_t>& parts);
    void go_on_async(const part_questions& next);
    void try_all_async(const std::vector<std::size_t>& parts);
    void ask_async(std::size_t which);
    [[nodiscard]] handler answer_to(std::size_t which, asked how);
    acquire_options part_options(std::size_t which, asked how);
    part_questions on_answer(std::size_t which, asked how, result<guard>&& answer);
    [[nodiscard]] core::all_of::refusal refusal_of(const error& why, asked how) const;
    decisions decide() REQUIRES(mutex_);
    void tell_pace() REQUIRES(mutex_);
    void execute(decisions&& next);
    void remember() REQUIRES(mutex_);

    const part_locks locks_;
    const core::attempt mode_;
    const std::optional<boottime_clock::time_point> deadline_;  // the deadline of the whole call

    std::shared_ptr<trial_pace> pace_
        GUARDED_BY(mutex_);  // null: nothing to report, or already reported
    core::all_of value_ GUARDED_BY(mutex_);
    std::vector<std::stop_source> asks_
        GUARDED_BY(mutex_);  // for each part's latest request: a stop ends its wait
    start_failure failure_ GUARDED_BY(mutex_);
    whole_record record_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
