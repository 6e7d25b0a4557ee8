// SPDX-License-Identifier: Apache-2.0
// quorum_hold: the call for a quorum_lock. It passes the ensembles' answers to a core::quorum, which decides what to
// request and what to give back.
//
// composite_hold.hpp has the code that holds of several locks share, and describes what the mutex guards. A *part* is
// the hold at one of the ensembles. The answers and losses of a part arrive on a worker of the part's client, and
// timers only pass work to a worker. So the user's executor runs only the user's callbacks. The call arms a timer at
// each client, because any client may have closed. A client that closes calls its timers a last time. So the call never
// waits for an ensemble whose client has closed.
//
// Thread safety: all members from any thread. Lock order: this object's mutex, then the mutexes of clients, of sessions
// and holds, and of timers.
#pragma once

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
                const core::quorum_settings& settings, acquire_request&& request);
    ~quorum_hold() override;
    quorum_hold(const quorum_hold&) = delete;
    quorum_hold& operator=(const quorum_hold&) = delete;

    // Starts the call. The handler gets the outcome; without a handler, wait() returns it. Call it once.
    void start();

    void on_timer() override;

    // ---- functions for the guard -----------------------------------------------------------
    [[nodiscard]] const std::string& path() const noexcept override {
        return ensembles_->front().lock.path();
    }
    [[nodiscard]] turnstile::fencing_token token() const noexcept override { return {}; }
    [[nodiscard]] fencing_vector tokens() const override;
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override;
    [[nodiscard]] boottime_clock::time_point certain_until() const noexcept override;
    [[nodiscard]] result<znode_holds> parts_for_commit() override {
        return error{errc::bad_option,
                     path() + ": a quorum_lock's hold cannot commit a transaction"};
    }

private:
    struct decisions {
        std::vector<std::size_t> ask;
        std::vector<std::stop_source> withdraw;
        std::vector<kept_part> give_back;
        bool answer = false;                    // true: the call has its outcome
        std::optional<std::vector<task>> lost;  // the callbacks that report the loss
    };

    [[nodiscard]] result<void> await_release(boottime_clock::time_point deadline) override;
    // True while the leases of a majority of the ensembles are valid. After the lease at an ensemble has ended, that
    // ensemble never belongs to the majority again (core::quorum).
    [[nodiscard]] bool is_certain() const noexcept override REQUIRES(mutex_);
    [[nodiscard]] error doubt() const override REQUIRES(mutex_);
    void cancel(const error& why) noexcept override;
    void leave(const error& why) noexcept override;
    void post(task callback) override;
    void on_part_lost(std::size_t which, std::uint64_t serial) override;
    [[nodiscard]] bool is_short(boottime_clock::duration left) const override {
        return left < options().warn_before;  // the leases of other parts may end later
    }

    [[nodiscard]] std::shared_ptr<quorum_hold> self() {
        return std::static_pointer_cast<quorum_hold>(shared_from_this());
    }
    template <class F>
    void step(F&& event);
    decisions decide() REQUIRES(mutex_);
    void arm() REQUIRES(mutex_);
    void take_timer();
    void forget_closed(boottime_clock::time_point now) REQUIRES(mutex_);
    void execute(decisions&& next);
    void ask(std::size_t which);
    acquire_options part_options(std::size_t which);
    void on_answer(std::size_t which, result<guard>&& answer);
    [[nodiscard]] error failure(core::quorum::failure why) const REQUIRES(mutex_);
    [[nodiscard]] std::string answers_so_far(errc code) const REQUIRES(mutex_);
    [[nodiscard]] boottime_clock::time_point majority_until() const REQUIRES(mutex_);
    [[nodiscard]] fencing_vector part_tokens() const REQUIRES(mutex_);
    void remember() REQUIRES(mutex_);
    [[nodiscard]] bool connected(std::size_t which) const;

    const std::shared_ptr<const std::vector<quorum_ensemble>> ensembles_;
    const bool tries_;

    core::quorum value_ GUARDED_BY(mutex_);
    std::vector<std::stop_source> asks_ GUARDED_BY(mutex_);  // the latest request of each part
    std::vector<std::optional<error>> said_ GUARDED_BY(mutex_);
    boottime_clock::time_point armed_ GUARDED_BY(mutex_) = boottime_clock::time_point::max();
    std::optional<error> left_ GUARDED_BY(mutex_);  // why the caller has given up
    std::optional<std::pair<fencing_vector, boottime_clock::time_point>> last_ GUARDED_BY(mutex_);
    // An asynchronous call keeps itself alive until it has an outcome, because no other object refers to it during a
    // pause between two requests.
    std::shared_ptr<quorum_hold> kept_ GUARDED_BY(mutex_);
};

// ---- one error for the refusals of several ensembles; pure functions --------------------------

// Returns `next::never` if another request would also fail until a person changes something, such as a setting, a
// permission or a quota. So the verdict for `quota_exceeded` and `unresolvable` differs from error::is_retryable().
[[nodiscard]] core::quorum::next worth_asking_again(const error& why);
// Returns the error code of a call for which a majority has become impossible. `tried`: the call does
// not wait for a busy lock; then the code is `busy` if an ensemble was busy.
[[nodiscard]] errc code_of(const std::vector<std::optional<error>>& answers, bool tried);
[[nodiscard]] error no_majority(const std::string& path, const std::string& answers);

}  // namespace turnstile::detail
