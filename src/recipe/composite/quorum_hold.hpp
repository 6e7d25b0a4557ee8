// SPDX-License-Identifier: Apache-2.0
// quorum_hold: one acquisition of a quorum_lock, from the call to the release: core::quorum, fed with what
// the ensembles say.
//
// What it shares with other holds of several, and how its lock is used: recipe/composite/composite_hold.hpp. Answers and
// losses of the parts come on a background thread of their client; timers only hand over to such a
// thread. So the user's executor is needed for nothing but the user's own callbacks. Every client's timer is
// armed: any of them may have closed. Each calls once more when its client closes, so that a pause does not
// wait for an ensemble that nobody can ask any more.
//
// Thread safety: all members from any thread. Lock order: this lock, then clients', sessions' and holds',
// timers'.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "client/timer_thread.hpp"
#include "core/composite/quorum.hpp"
#include "recipe/composite/composite_hold.hpp"
#include "recipe/lock/queue_lock.hpp"

namespace turnstile::detail {

struct quorum_ensemble {
    std::string name;
    queue_lock lock;
};

class quorum_hold final : public composite_hold, public timer_thread::client {
public:
    quorum_hold(std::shared_ptr<const std::vector<quorum_ensemble>> ensembles,
                const core::quorum_settings& settings, acquire_options options);
    ~quorum_hold() override;
    quorum_hold(const quorum_hold&) = delete;
    quorum_hold& operator=(const quorum_hold&) = delete;

    // One of these, once. Blocks, and is a Boost interruption point.
    result<guard> acquire();
    void async_acquire(handler done);

    void on_timer() override;

    // ---- for the guard ---------------------------------------------------------------------
    [[nodiscard]] const std::string& path() const noexcept override {
        return ensembles_->front().lock.path();
    }
    [[nodiscard]] turnstile::fencing_token token() const noexcept override { return {}; }
    [[nodiscard]] fencing_vector tokens() const override;
    [[nodiscard]] bool valid() const noexcept override;
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override;
    [[nodiscard]] result<void> status() const override;
    void unlock() noexcept override;
    result<void> release(std::optional<boottime_clock::time_point> deadline) override;

private:
    struct decisions {
        std::vector<std::size_t> ask;
        std::vector<std::stop_source> withdraw;
        std::vector<part> give_back;
        bool answer = false;  // the call has its outcome
        bool lost = false;
    };

    void on_part_lost(std::size_t which, std::uint64_t serial) override;
    void post_lost(std::function<void(const error&)> callback) override;
    [[nodiscard]] bool is_short(boottime_clock::duration left) const override {
        return left < options_.warn_before;  // others may last longer
    }

    [[nodiscard]] std::shared_ptr<quorum_hold> self() {
        return std::static_pointer_cast<quorum_hold>(shared_from_this());
    }
    void start();
    template <class F>
    void step(F&& event);
    decisions decide() REQUIRES(mutex_);
    void arm() REQUIRES(mutex_);
    void forget_closed(boottime_clock::time_point now) REQUIRES(mutex_);
    void execute(decisions&& what);
    void ask(std::size_t which);
    acquire_options part_options(std::size_t which);
    void on_answer(std::size_t which, result<guard>&& answer);
    void give_up(const error& why);
    void post(std::function<void()> callback) const;
    result<guard> outcome();
    [[nodiscard]] error failure() const;
    [[nodiscard]] error late() const;
    [[nodiscard]] std::string said() const REQUIRES(mutex_);
    [[nodiscard]] bool is_certain() const REQUIRES(mutex_);
    [[nodiscard]] boottime_clock::time_point majority_until() const REQUIRES(mutex_);
    [[nodiscard]] fencing_vector part_tokens() const REQUIRES(mutex_);
    void remember() REQUIRES(mutex_);
    [[nodiscard]] bool connected(std::size_t which) const;

    const std::shared_ptr<const std::vector<quorum_ensemble>> ensembles_;
    const bool tries_;

    base::condition answered_now_;
    core::quorum value_ GUARDED_BY(mutex_);
    std::vector<std::stop_source> asks_ GUARDED_BY(mutex_);  // the latest of each part
    std::vector<std::optional<error>> said_ GUARDED_BY(mutex_);
    boottime_clock::time_point armed_ GUARDED_BY(mutex_) = boottime_clock::time_point::max();
    bool answered_ GUARDED_BY(mutex_) = false;
    std::optional<core::quorum::failure> failed_ GUARDED_BY(mutex_);
    std::optional<error> left_ GUARDED_BY(mutex_);  // why the caller gave up waiting
    std::optional<std::pair<fencing_vector, boottime_clock::time_point>> last_ GUARDED_BY(mutex_);
    handler done_ GUARDED_BY(mutex_);
    // An asynchronous call owns itself until it is answered: in a pause nobody else knows of it.
    std::shared_ptr<quorum_hold> kept_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
