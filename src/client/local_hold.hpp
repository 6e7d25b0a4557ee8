// SPDX-License-Identifier: Apache-2.0
// local_hold: the call of one caller for a contender that callers of its process share, and the hold of that caller.
//
// The shared_contender reports events under its lock, so this class then only records them. After the release of that
// lock, the shared_contender lets this class wake the caller and run the caller's handler and callbacks.
//
//     local_callers   the callers that share a contender
//     shared_queue    the functions of a shared_contender that a local_hold calls
//
// Thread safety: all members from any thread. Lock order: the shared_contender's lock, then this lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/acquire_request.hpp"
#include "client/call.hpp"
#include "core/composite/local_queue.hpp"

namespace turnstile::detail {

class client_impl;

// The functions of a shared_contender that a local_hold calls.
class shared_queue {
public:
    [[nodiscard]] virtual const std::string& path() const noexcept = 0;
    [[nodiscard]] virtual client_impl& servers() const noexcept = 0;
    virtual void give_up(core::local_id caller, const error& why) = 0;
    // Ends the caller's wait or hold. If the process gives up the contender, returns the contender's hold, which the
    // caller of this function must release.
    [[nodiscard]] virtual std::shared_ptr<hold> leave(core::local_id caller, const error& why,
                                                      core::local_queue::next then) = 0;

protected:
    ~shared_queue() = default;
};

class local_hold final : public call, public znode_hold {
public:
    local_hold(std::shared_ptr<shared_queue> queue, core::local_id id, acquire_request&& request);

    [[nodiscard]] core::local_id id() const noexcept { return id_; }

    // ---- functions for shared_contender, called under its lock --------------------------------
    void on_granted(std::shared_ptr<hold> contender, const turnstile::fencing_token& token,
                    boottime_clock::time_point limit);
    void on_refused(const error& why);
    // Ends the call. Returns the callbacks that report the loss, which the shared_contender must post.
    [[nodiscard]] std::vector<task> on_loss(const error& why);
    // ---- functions for shared_contender, called under no lock ---------------------------------
    void announce();  // reports the outcome to the caller
    using call::tell;
    using call::trigger_lost;

    // ---- functions for the guard -------------------------------------------------------------
    [[nodiscard]] const std::string& path() const noexcept override;
    [[nodiscard]] std::string znode() const override;
    [[nodiscard]] turnstile::fencing_token token() const noexcept override { return token_; }
    [[nodiscard]] fencing_vector tokens() const override;
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override;
    [[nodiscard]] boottime_clock::time_point certain_until() const noexcept override;
    [[nodiscard]] lease_evidence evidence() const noexcept override;
    [[nodiscard]] result<znode_holds> parts_for_commit() override;
    [[nodiscard]] standing_znode standing() const override { return carrier()->standing(); }
    [[nodiscard]] result<void> status() const override { return call::status(); }
    [[nodiscard]] result<void> begin_commit() override;
    void end_commit(const std::optional<error>& why) noexcept override;
    result<commit_result> commit(const transaction& writes, const std::vector<std::string>& further,
                                 const commit_options& options) override;
    void async_commit(const transaction& writes, const std::vector<std::string>& further,
                      const commit_options& options, commit_audience&& listeners) override;
    [[nodiscard]] result<seen_node> read(const std::string& path,
                                         boottime_clock::time_point deadline,
                                         const std::stop_token& stop) override;
    [[nodiscard]] boottime_clock::duration release_limit() const override;

private:
    [[nodiscard]] result<void> await_release(boottime_clock::time_point deadline) override;
    [[nodiscard]] error doubt() const override REQUIRES(mutex_);
    void cancel(const error& why) noexcept override;
    void leave(const error& why) noexcept override;
    void post(task callback) override;

    // Returns the contender's hold, which sends the commits of all callers that share the contender.
    [[nodiscard]] std::shared_ptr<znode_hold> carrier() const;
    // Called once the release has begun. Decides whether another caller may get the contender.
    [[nodiscard]] core::local_queue::next next_after_release() const noexcept;

    const std::shared_ptr<shared_queue> queue_;
    const core::local_id id_;

    // Written before the guard exists. Afterwards these members are only read.
    std::shared_ptr<hold> contender_;
    turnstile::fencing_token token_;
    boottime_clock::time_point limit_ = boottime_clock::time_point::max();

    // The contender's hold. await_release() waits until the servers have confirmed the release of this hold. Null: the
    // contender was handed over to another caller, or kept for later callers.
    std::shared_ptr<hold> given_back_ GUARDED_BY(mutex_);

    [[nodiscard]] result<void> begin_own_commit();
    void end_own_commit(const std::optional<error>& why) noexcept;

    // Number of commits that the servers may still execute. A commit requires the contender's znode, so it would also
    // succeed under another caller's hold. So while there are such commits, a release gives up the contender, and no
    // other caller gets it. No commit begins after the release, so from then on the number only decreases.
    std::atomic<unsigned> commits_{0};
    std::atomic<bool> doubtful_{false};  // the outcome of a commit is unknown
};

// The callers that share a contender, both waiters and holders, by their ids.
//
// Thread safety: a value under the shared_contender's lock.
class local_callers {
public:
    void add(std::shared_ptr<local_hold> caller) {
        const auto place = place_of(caller->id());
        all_.insert(place, std::move(caller));
    }
    // Returns null if no caller has this id.
    [[nodiscard]] std::shared_ptr<local_hold> find(core::local_id id) const {
        const auto place = place_of(id);
        return place != all_.end() && (*place)->id() == id ? *place : nullptr;
    }
    // Returns what find() returns, and removes that caller.
    [[nodiscard]] std::shared_ptr<local_hold> take(core::local_id id) {
        auto caller = find(id);
        if (caller) all_.erase(place_of(id));
        return caller;
    }

private:
    // Callers join at the back and mostly leave at the front. A binary search is fast when many callers wait.
    [[nodiscard]] std::deque<std::shared_ptr<local_hold>>::const_iterator place_of(
        core::local_id id) const {
        return std::lower_bound(
            all_.begin(), all_.end(), id,
            [](const auto& caller, core::local_id wanted) { return caller->id() < wanted; });
    }

    std::deque<std::shared_ptr<local_hold>> all_;
};

}  // namespace turnstile::detail
