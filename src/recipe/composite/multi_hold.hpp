// SPDX-License-Identifier: Apache-2.0
// multi_hold: one acquisition of a multi_lock, from the call to the release: core::all_of, fed with what
// the locks say.
//
// What it shares with other holds of several, and how its lock is used: recipe/composite/composite_hold.hpp. A part that
// is over stays until the whole is given up: it has answers and callbacks.
//
// Thread safety: all members from any thread. Lock order: this lock, then the parts' holds'.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/composite/all_of.hpp"
#include "recipe/composite/composite_hold.hpp"
#include "turnstile/any_lock.hpp"

namespace turnstile::detail {

class multi_hold final : public composite_hold {
public:
    enum class attempt { wait, once };

    // `locks` in their canonical order.
    multi_hold(std::vector<any_lock> locks, acquire_options options);
    ~multi_hold() override { unlock(); }
    multi_hold(const multi_hold&) = delete;
    multi_hold& operator=(const multi_hold&) = delete;

    // One of these, once. Blocks, and is a Boost interruption point, as the locks' own calls are.
    result<guard> acquire(attempt mode);
    void async_acquire(handler done);

    // ---- for the guard ---------------------------------------------------------------------
    [[nodiscard]] const std::string& path() const noexcept override { return path_; }
    [[nodiscard]] turnstile::fencing_token token() const noexcept override;
    [[nodiscard]] fencing_vector tokens() const override;
    [[nodiscard]] bool valid() const noexcept override;
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override;
    [[nodiscard]] result<void> status() const override;
    void unlock() noexcept override;
    result<void> release(std::optional<boottime_clock::time_point> deadline) override;

private:
    // What a step decided beside the next part to ask for.
    struct decisions {
        std::optional<std::size_t> ask;
        std::optional<std::stop_source> withdraw;  // of the wait that it is about
        std::vector<part> give_back;
        bool lost = false;
    };
    // What the guard says when the parts are there no more.
    struct last_words {
        turnstile::fencing_token token;
        fencing_vector tokens;
        boottime_clock::time_point valid_until;
    };

    void on_part_lost(std::size_t which, std::uint64_t serial) override;
    void post_lost(std::function<void(const error&)> callback) override;
    [[nodiscard]] bool is_short(boottime_clock::duration /*left*/) const override { return true; }

    [[nodiscard]] std::shared_ptr<multi_hold> self() {
        return std::static_pointer_cast<multi_hold>(shared_from_this());
    }
    std::optional<std::size_t> begin();
    void ask_async(std::size_t which);
    acquire_options part_options(std::size_t which);
    void stop_waiting();
    std::optional<std::size_t> on_answer(std::size_t which, result<guard>&& answer);
    decisions decide() REQUIRES(mutex_);
    void execute(decisions&& what);
    result<guard> outcome();
    [[nodiscard]] error error_of(std::size_t which, const error& why) const;
    [[nodiscard]] bool all_valid() const REQUIRES(mutex_);
    [[nodiscard]] fencing_vector part_tokens() const REQUIRES(mutex_);
    [[nodiscard]] boottime_clock::time_point earliest_end() const REQUIRES(mutex_);
    void remember() REQUIRES(mutex_);

    const std::vector<any_lock> locks_;
    const std::optional<boottime_clock::time_point> deadline_;  // of the whole call
    const std::string path_;                                    // all of them
    handler done_;

    core::all_of value_ GUARDED_BY(mutex_);
    std::stop_source ask_ GUARDED_BY(mutex_);  // ends the wait for the part that is asked for
    std::optional<error> refused_ GUARDED_BY(mutex_);  // the latest answer that was none
    std::optional<last_words> last_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
