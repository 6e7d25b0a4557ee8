// SPDX-License-Identifier: Apache-2.0
// multi_hold: the call for a multi_lock: core::all_of, fed with what the locks say.
//
// What it shares with other holds of several, and how its lock is used: recipe/composite/composite_hold.hpp. A part that
// is over stays until the whole is given up: it has answers and callbacks.
//
// Thread safety: all members from any thread. Lock order: this lock, then the parts' holds'.
#pragma once

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
    // `locks` in their canonical order; `done` is empty for acquire().
    multi_hold(std::vector<any_lock> locks, acquire_request&& request, handler&& done);
    ~multi_hold() override { unlock(); }
    multi_hold(const multi_hold&) = delete;
    multi_hold& operator=(const multi_hold&) = delete;

    // One of these, once. Blocks, and is a Boost interruption point, as the locks' own calls are.
    result<guard> acquire();
    void async_acquire();

    // ---- for the guard ---------------------------------------------------------------------
    [[nodiscard]] const std::string& path() const noexcept override { return path_; }
    [[nodiscard]] turnstile::fencing_token token() const noexcept override;
    [[nodiscard]] fencing_vector tokens() const override;
    [[nodiscard]] bool valid() const noexcept override;
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override;
    result<void> release(std::optional<boottime_clock::time_point> deadline) override;

private:
    // What a step decided beside the next part to ask for.
    struct decisions {
        std::optional<std::size_t> ask;
        std::optional<std::stop_source> withdraw;  // of the wait that it is about
        std::vector<kept_part> give_back;
        std::optional<std::vector<task>> lost;  // the callbacks that tell of the loss
    };
    // What the guard says when the parts are there no more.
    struct last_words {
        turnstile::fencing_token token;
        fencing_vector tokens;
        boottime_clock::time_point valid_until;
    };

    [[nodiscard]] bool is_certain() const noexcept override REQUIRES(mutex_);
    [[nodiscard]] error doubt() const override REQUIRES(mutex_);
    void cancel(const error& why) noexcept override;
    void leave(const error& why) noexcept override;
    // By the callbacks of the lost part's client, and of that part's hold.
    void post(task callback) override;
    void on_part_lost(std::size_t which, std::uint64_t serial) override;
    [[nodiscard]] bool is_short(boottime_clock::duration /*left*/) const override { return true; }

    [[nodiscard]] std::shared_ptr<multi_hold> self() {
        return std::static_pointer_cast<multi_hold>(shared_from_this());
    }
    std::optional<std::size_t> begin();
    void ask_async(std::size_t which);
    acquire_options part_options(std::size_t which);
    std::optional<std::size_t> on_answer(std::size_t which, result<guard>&& answer);
    decisions decide() REQUIRES(mutex_);
    void execute(decisions&& next);
    [[nodiscard]] error failure(std::size_t part) const REQUIRES(mutex_);
    [[nodiscard]] error lease_ended() const;
    [[nodiscard]] error error_of(std::size_t which, const error& why) const;
    [[nodiscard]] fencing_vector part_tokens() const REQUIRES(mutex_);
    [[nodiscard]] boottime_clock::time_point earliest_end() const REQUIRES(mutex_);
    void remember() REQUIRES(mutex_);

    const std::vector<any_lock> locks_;
    const core::attempt mode_;
    const std::optional<boottime_clock::time_point> deadline_;  // of the whole call
    const std::string path_;                                    // all of them

    core::all_of value_ GUARDED_BY(mutex_);
    std::stop_source ask_ GUARDED_BY(mutex_);  // ends the wait for the part that is asked for
    std::optional<error> refused_ GUARDED_BY(mutex_);    // the latest answer that was none
    std::optional<error> part_loss_ GUARDED_BY(mutex_);  // why a part was lost since the last start
    std::optional<last_words> last_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
