// SPDX-License-Identifier: Apache-2.0
// local_hold: what one caller has of a contender that its process shares, from the call to the release.
//
// Its shared_contender tells it what happens, under its lock: it only records. Woken, triggered and answered it is
// afterwards, under no lock.
//
// Thread safety: all members from any thread. Lock order: the shared_contender's, then this one's.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/thread/thread.hpp>

#include "base/lazy_condition.hpp"
#include "base/mutex.hpp"
#include "client/hold.hpp"
#include "core/composite/local_queue.hpp"
#include "turnstile/acquire_options.hpp"

namespace turnstile::detail {

class shared_contender;

class local_hold final : public hold, public std::enable_shared_from_this<local_hold> {
public:
    using handler = std::function<void(result<guard>)>;

    // `done` is empty for a caller that blocks in wait().
    local_hold(std::shared_ptr<shared_contender> of, acquire_options&& options, handler&& done);
    ~local_hold() override;

    [[nodiscard]] core::local_id id() const noexcept;
    [[nodiscard]] static local_hold& of(core::local_id id) noexcept;
    [[nodiscard]] const acquire_options& options() const noexcept { return options_; }

    // ---- for the shared_contender, under its lock --------------------------------------------
    void on_granted(std::shared_ptr<hold> contender, const turnstile::fencing_token& token,
                    boottime_clock::time_point limit);
    void on_refused(const error& why);
    void on_loss(const error& why);
    // ---- for it, under no lock ---------------------------------------------------------------
    void wake();
    void trigger_lost();
    // Calls it unless the caller has its answer, which waits for a call under way.
    void tell_waiter(const std::function<void()>& call);
    // Calls it while the caller holds.
    void tell_holder(const std::function<void()>& call);

    // ---- for the caller ----------------------------------------------------------------------
    void keep();    // itself, until its handler has the answer
    void listen();  // to its stop token
    // Blocks until granted or refused. A Boost interruption point.
    result<guard> wait();

    // ---- for the guard -----------------------------------------------------------------------
    [[nodiscard]] const std::string& path() const noexcept override;
    [[nodiscard]] std::string znode() const override;
    [[nodiscard]] turnstile::fencing_token token() const noexcept override { return token_; }
    [[nodiscard]] fencing_vector tokens() const override;
    [[nodiscard]] bool valid() const noexcept override;
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override;
    [[nodiscard]] boottime_clock::time_point certain_until() const noexcept override;
    [[nodiscard]] lease_evidence evidence() const noexcept override;
    [[nodiscard]] result<void> status() const override;
    [[nodiscard]] std::stop_token lost_token() const noexcept override;
    void on_lost(std::function<void(const error&)> callback) override;
    result<commit_result> commit(const transaction& what, const commit_options& options) override;
    void async_commit(const transaction& what, const commit_options& options,
                      std::function<void(result<commit_result>)> done) override;
    void unlock() noexcept override;
    result<void> release(std::optional<boottime_clock::time_point> deadline) override;

private:
    enum class phase { waiting, held, refused, lost };
    using stop_callback = std::stop_callback<std::function<void()>>;

    [[nodiscard]] bool told_by_another() const REQUIRES(mutex_);
    result<guard> outcome() REQUIRES(mutex_);
    // Why it is not valid any more, where nobody has told yet.
    [[nodiscard]] error reason() const;
    void answer_handler();
    void post_lost(std::function<void(const error&)> callback, const error& why);
    [[nodiscard]] result<void> begin_commit();
    void end_commit(const std::optional<error>& why) noexcept;
    // Nothing, if it was done before.
    [[nodiscard]] std::optional<core::local_queue::next> begin_release() noexcept;

    const std::shared_ptr<shared_contender> of_;
    const acquire_options options_;
    const bool blocks_;  // in wait(): there is no handler

    // Written before the guard exists, read by it afterwards.
    std::shared_ptr<hold> contender_;
    turnstile::fencing_token token_;
    boottime_clock::time_point limit_ = boottime_clock::time_point::max();

    std::atomic<bool> over_{false};  // lost, or given up

    mutable base::mutex mutex_;
    base::lazy_condition changed_;
    phase phase_ GUARDED_BY(mutex_) = phase::waiting;
    bool answered_ GUARDED_BY(mutex_) = false;  // the caller has its outcome
    bool handed_ GUARDED_BY(mutex_) = false;    // and it was a guard
    bool released_ GUARDED_BY(mutex_) = false;
    // Commits that are under way, or may be: they are carried out while the contender stands, so it is not passed
    // on with them, but goes at the servers, behind them.
    unsigned commits_ GUARDED_BY(mutex_) = 0;
    bool doubtful_ GUARDED_BY(mutex_) = false;  // one's outcome is unknown
    boost::thread::id telling_waiter_ GUARDED_BY(mutex_);
    std::optional<error> why_ GUARDED_BY(mutex_);
    handler done_ GUARDED_BY(mutex_);
    std::shared_ptr<local_hold> kept_ GUARDED_BY(mutex_);  // until the handler has the answer
    std::vector<std::function<void(const error&)>> lost_callbacks_ GUARDED_BY(mutex_);
    mutable std::optional<std::stop_source> lost_source_ GUARDED_BY(mutex_);  // made when asked for
    std::shared_ptr<stop_callback> stop_ GUARDED_BY(mutex_);                  // ended under no lock
};

}  // namespace turnstile::detail
