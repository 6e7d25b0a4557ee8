// quorum_hold: one acquisition of a quorum_lock, from the call to the release: core::quorum, fed with what
// the ensembles say.
//
// Answers and losses of the parts come on a background thread of their client, where stop callbacks of the
// user's may run, too; timers only hand over to such a thread. So the user's executor is needed for
// nothing but the user's own callbacks. Its lock guards the value and what it speaks of; what a step decides
// is carried out under no lock. Every client's timer is armed: any of them may have closed.
//
// Thread safety: all members from any thread. Lock order: this lock, then sessions' and holds', timers'.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "client/hold.hpp"
#include "client/timer_thread.hpp"
#include "core/quorum.hpp"
#include "recipe/queue_lock.hpp"
#include "turnstile/acquire_options.hpp"

namespace turnstile::detail {

struct quorum_ensemble {
    std::string name;
    queue_lock lock;
};

class quorum_hold final : public hold,
                          public timer_thread::client,
                          public std::enable_shared_from_this<quorum_hold> {
public:
    using handler = std::function<void(result<guard>)>;

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
    [[nodiscard]] std::string znode() const override { return {}; }
    [[nodiscard]] turnstile::fencing_token token() const noexcept override { return {}; }
    [[nodiscard]] fencing_vector tokens() const override;
    [[nodiscard]] bool valid() const noexcept override;
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override;
    [[nodiscard]] lease_evidence evidence() const noexcept override;
    [[nodiscard]] result<void> status() const override;
    [[nodiscard]] std::stop_token lost_token() const noexcept override {
        return lost_source_.get_token();
    }
    void on_lost(std::function<void(const error&)> callback) override;
    void unlock() noexcept override;
    result<void> release(std::optional<boottime_clock::time_point> deadline) override;

private:
    using stop_callback = std::stop_callback<std::function<void()>>;
    struct part {
        std::shared_ptr<hold> held;
        std::shared_ptr<stop_callback> loss;  // ends under no lock
        std::uint64_t serial = 0;             // of the grant: older losses are void
    };
    struct decisions {
        std::vector<std::size_t> ask;
        std::vector<std::stop_source> withdraw;
        std::vector<part> give_back;
        bool answer = false;  // the call has its outcome
        bool lost = false;
    };

    void start();
    template <class F>
    void step(F&& event);
    decisions decide() REQUIRES(mutex_);
    void arm() REQUIRES(mutex_);
    void carry_out(decisions&& what);
    void ask(std::size_t which);
    acquire_options part_options(std::size_t which);
    void on_answer(std::size_t which, result<guard>&& answer);
    void on_part_lost(std::size_t which, std::uint64_t serial);
    void give_up(const error& why);
    void tell_lost();
    void post(std::function<void()> callback) const;
    void post_lost(std::function<void(const error&)> callback);
    result<guard> outcome();
    [[nodiscard]] error failure() const;
    [[nodiscard]] error late() const;
    [[nodiscard]] std::string said() const REQUIRES(mutex_);
    [[nodiscard]] bool is_certain() const REQUIRES(mutex_);
    [[nodiscard]] boottime_clock::time_point certain_until() const REQUIRES(mutex_);
    [[nodiscard]] fencing_vector part_tokens() const REQUIRES(mutex_);
    void remember() REQUIRES(mutex_);
    [[nodiscard]] bool handed() const;
    [[nodiscard]] bool connected(std::size_t which) const;

    const std::shared_ptr<const std::vector<quorum_ensemble>> ensembles_;
    const acquire_options options_;
    const bool tries_;
    const std::uint64_t generation_;  // of the process: guards do nothing in a forked child
    std::stop_source lost_source_;
    std::atomic<bool> over_{false};  // lost, or given up

    mutable base::mutex mutex_;
    base::condition answered_now_;
    core::quorum value_ GUARDED_BY(mutex_);
    std::vector<part> parts_ GUARDED_BY(mutex_);
    std::vector<std::stop_source> asks_ GUARDED_BY(mutex_);  // the latest of each part
    std::vector<std::optional<error>> said_ GUARDED_BY(mutex_);
    std::uint64_t grants_ GUARDED_BY(mutex_) = 0;
    boottime_clock::time_point armed_ GUARDED_BY(mutex_) = boottime_clock::time_point::max();
    bool answered_ GUARDED_BY(mutex_) = false;
    bool handed_ GUARDED_BY(mutex_) = false;  // the caller has its guard
    bool released_ GUARDED_BY(mutex_) = false;
    std::optional<core::quorum::failure> failed_ GUARDED_BY(mutex_);
    std::optional<error> left_ GUARDED_BY(mutex_);  // why the caller gave up waiting
    std::optional<error> why_ GUARDED_BY(mutex_);   // of a hold that is over
    std::optional<std::pair<fencing_vector, boottime_clock::time_point>> last_ GUARDED_BY(mutex_);
    std::vector<std::function<void(const error&)>> lost_callbacks_ GUARDED_BY(mutex_);
    handler done_ GUARDED_BY(mutex_);
    // An asynchronous call owns itself until it is answered: in a pause nobody else knows of it.
    std::shared_ptr<quorum_hold> self_ GUARDED_BY(mutex_);
    std::optional<stop_callback> stop_;  // of the caller's token; made and ended under no lock
};

}  // namespace turnstile::detail
