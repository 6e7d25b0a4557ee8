// SPDX-License-Identifier: Apache-2.0
// candidacy: one participant of a latch's election: in the queue, leading, in the queue again.
//
// | stage   | at the servers             | leads to                                                 |
// |---------|----------------------------|----------------------------------------------------------|
// | resting | nothing                    | waiting: enter()                                         |
// | waiting | in the queue               | leading: granted; failed; resting: leave()               |
// | leading | first, with a valid hold   | waiting: lost; resting: leave()                          |
// | failed  | nothing, `why` says why    | waiting: enter()                                         |
//
// Every stage has a number of its own (its *turn*), and what belongs to an earlier turn, a late grant or
// a late loss, changes nothing (F4). Entering anew follows the end of a hold, never what others do: so
// participants do not stir each other up (F3).
//
// Thread safety: all members from any thread. The observer is called on the client's callbacks executor,
// one call at a time and in order. The stages do not depend on that executor: await() may be called there.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "recipe/lock/queue_lock.hpp"
#include "turnstile/guard.hpp"

namespace turnstile::detail {

class candidacy : public std::enable_shared_from_this<candidacy> {
public:
    enum class stage { resting, waiting, leading, failed };
    using observer = std::function<void(stage now)>;

    candidacy(const client& servers, std::string_view path, core::claim wants, std::string id);

    void observe(observer callback);  // before the first enter()
    void enter();                     // does nothing while waiting or leading
    void leave();

    // nullptr unless leading. Each copy keeps the hold: the lock is released with the last one.
    [[nodiscard]] std::shared_ptr<guard> lead() const;
    // Triggered when this leadership ends, for whatever reason; nothing unless leading.
    [[nodiscard]] std::optional<std::stop_token> while_leading() const;
    [[nodiscard]] std::optional<error> failure() const;  // nothing unless failed
    // Waits until it leads with a valid hold.
    result<void> await(const query_options& options);

    [[nodiscard]] const queue_lock& queue() const noexcept { return queue_; }
    [[nodiscard]] const std::string& id() const noexcept { return id_; }

private:
    struct leadership {
        guard hold;
        std::optional<std::stop_callback<std::function<void()>>> loss;  // ends under no lock
    };
    void ask(std::uint64_t turn);
    void on_outcome(std::uint64_t turn, result<guard>&& outcome);
    void on_lost(std::uint64_t turn);
    // A new turn in this stage. Returns what was held in the one before, to be let go of under no lock.
    [[nodiscard]] std::shared_ptr<guard> go_to(stage next, std::shared_ptr<guard> lead = {})
        REQUIRES(mutex_);
    void announce();  // what go_to has noted; under no lock: stop callbacks are user code
    void tell_observer();
    [[nodiscard]] result<void> why_not() const REQUIRES(mutex_);

    const queue_lock queue_;
    const core::claim wants_;
    const std::string id_;
    observer observer_;

    mutable base::mutex mutex_;
    base::condition changed_;
    stage stage_ GUARDED_BY(mutex_) = stage::resting;
    std::uint64_t turn_ GUARDED_BY(mutex_) = 0;
    bool entered_ GUARDED_BY(mutex_) = false;  // ever
    std::shared_ptr<guard> lead_ GUARDED_BY(mutex_);
    std::stop_source waiting_ GUARDED_BY(mutex_);
    std::stop_source leading_ GUARDED_BY(mutex_);
    std::vector<std::stop_source> over_ GUARDED_BY(mutex_);  // to be triggered
    std::optional<error> why_ GUARDED_BY(mutex_);            // failed
    std::deque<stage> news_ GUARDED_BY(mutex_);
};

// The id itself, or a default; throws bad_option for one that breaks the rule.
[[nodiscard]] std::string checked_id(const std::string& id);

}  // namespace turnstile::detail
