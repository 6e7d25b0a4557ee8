// SPDX-License-Identifier: Apache-2.0
// session_hold: one acquisition as its caller sees it, from the call to the last trace of its znode.
//
// The session tells it what happens (`tell`, in order, under the session's lock: it only records
// and enqueues); a blocked caller, a handler, a guard and callbacks learn it from here.
//
// | phase    | the caller              | entered by                  |
// |----------|-------------------------|-----------------------------|
// | waiting  | waits for the lock      | the call                    |
// | held     | has a guard             | granted                     |
// | refused  | has an error            | failed                      |
// | lost     | has a guard, not valid  | lost, without a release     |
//
// Callbacks of the user run on the callback queue, and only while there is somebody to tell: `on_queued`
// while the call waits (whose return waits for one under way, so that it may refer to what is on the
// caller's stack), the others until the hold is given up.
//
// Thread safety: all members from any thread. Lock order: session, then hold, then the queues.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/thread/thread.hpp>

#include "base/cold.hpp"
#include "base/lazy_condition.hpp"
#include "base/mutex.hpp"
#include "base/shared_text.hpp"
#include "client/hold.hpp"
#include "client/lease_view.hpp"
#include "core/contender/notice.hpp"
#include "core/queue/contender_name.hpp"
#include "turnstile/acquire_options.hpp"

namespace turnstile::detail {

class session_runner;

class session_hold final : public hold, public std::enable_shared_from_this<session_hold> {
public:
    using handler = std::function<void(result<guard>)>;

    // Where a handler runs. A recipe's own runs in the background, so that its work goes on while the
    // user's executor does not.
    enum class answers : std::uint8_t { on_callbacks, in_background };

    struct audiences {
        handler done{};  // empty for a caller that blocks in wait()
        answers where = answers::on_callbacks;
        // In the thread that tells the session, under none of its locks: does not wait, ends no client.
        std::function<void()> on_contended{};
    };

    session_hold(std::shared_ptr<session_runner> session, core::acquisition_id id,
                 base::shared_text path, acquire_options&& options, audiences&& whom);

    // ---- for the session -------------------------------------------------------------------
    // True if somebody waits for it: `wake` is to be called, under no lock that the woken one needs.
    [[nodiscard]] bool tell(const core::notice& what, const std::shared_ptr<lease_view>& lease);
    void wake() noexcept { changed_.notify_all(); }
    // That others queue behind it; under no lock, instead of `tell`.
    void tell_contended() const { user_->on_contended(); }
    // Triggers `lost()`, and what is lost with this one, elsewhere: callbacks are user code. False: the client has
    // closed, and there is no thread for it any more.
    bool post_trigger();

    // ---- for the caller --------------------------------------------------------------------
    // Starts to listen to the call's stop token; after the acquisition was handed to the session.
    void listen(const std::stop_token& stop);
    // Blocks until granted or refused. A Boost interruption point: answers `interrupted`.
    result<guard> wait();

    // Whether functions that were given along end with it, and what they own: it may be the client.
    [[nodiscard]] bool carries_user_code() const {
        if (user_.changed()) return true;
        const base::scoped_lock lock{mutex_};
        return done_ || !held_->lost_callbacks.empty();
    }

    [[nodiscard]] core::acquisition_id id() const noexcept { return id_; }
    [[nodiscard]] const std::shared_ptr<session_runner>& session() const noexcept {
        return session_;
    }

    // The hold, which is of a read-write lock, goes on as one of another kind. Waits for the servers' answer,
    // which comes also if the lease ends first.
    result<void> rename(core::contender_kind kind);

    // ---- for holds that are made of several ------------------------------------------------
    // What is lost with this hold, or not waited for any more; one at a time.
    void tie(const std::shared_ptr<session_hold>& other);
    // As if the servers had said so. Called under no lock.
    void lose(const error& why);
    // As what it holds; of a read-write lock it may be renamed.
    [[nodiscard]] core::contender_kind kind() const;
    // What a higher token was given out for goes on under this hold.
    void raise_token(const turnstile::fencing_token& token);

    // ---- for the guard ---------------------------------------------------------------------
    [[nodiscard]] const std::string& path() const noexcept override { return path_.str(); }
    [[nodiscard]] std::string znode() const override;
    [[nodiscard]] turnstile::fencing_token token() const noexcept override;
    [[nodiscard]] fencing_vector tokens() const override;
    [[nodiscard]] bool valid() const noexcept override;
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override;
    [[nodiscard]] boottime_clock::time_point certain_until() const noexcept override;
    [[nodiscard]] lease_evidence evidence() const noexcept override;
    [[nodiscard]] result<void> status() const override;
    [[nodiscard]] std::stop_token lost_token() const noexcept override {
        return rights_->lost.get_token();
    }
    void on_lost(std::function<void(const error&)> callback) override;
    result<commit_result> commit(const transaction& what, const commit_options& options) override;
    void async_commit(const transaction& what, const commit_options& options,
                      std::function<void(result<commit_result>)> done) override;
    void unlock() noexcept override;
    result<void> release(std::optional<boottime_clock::time_point> deadline) override;

private:
    enum class phase : std::uint8_t { waiting, held, refused, lost };
    enum class audience { waiter, holder };

    // What was given along to be called; most callers give nothing.
    struct callbacks {
        std::function<void(const std::string& znode)> on_entered;
        std::function<void(std::size_t ahead)> on_queued;
        std::function<void(const error& why)> on_lost;
        std::function<void(boottime_clock::time_point valid_until)> on_at_risk;
        std::function<void(boottime_clock::duration remaining)> on_expiring;
        std::function<void(const release_request& request)> on_asked_to_release;
        std::function<void()> on_contended;
    };
    [[nodiscard]] static base::cold<callbacks> taken_from(acquire_options&& options,
                                                          std::function<void()>&& on_contended);
    // Belongs to the hold, whose end waits for a call that is under way, but in its own thread.
    struct cancel_by_stop {
        session_hold* one;
        void operator()() const noexcept;
    };
    void on_granted(const core::granted& what, const std::shared_ptr<lease_view>& lease)
        REQUIRES(mutex_);
    void on_failed(const core::failed& what) REQUIRES(mutex_);
    void on_renamed(const core::renamed& what) REQUIRES(mutex_);
    void on_loss(const error& why) REQUIRES(mutex_);
    void finish_async() REQUIRES(mutex_);
    void answer_handler();
    // Queues user code; it runs if its audience is still there then. A function of `options_` is
    // referred to, not copied: copying is user code, and this is called under locks.
    template <class F>
    void post(audience whom, F&& call);
    bool begin_callback(audience whom);
    void end_callback() noexcept;
    void await_callback(base::scoped_lock& lock) noexcept REQUIRES(mutex_);
    void post_lost(std::function<void(const error&)>&& callback, const error& why);
    void trigger_lost();
    void cancel(const error& why) noexcept;
    void give_up(const error& why) noexcept;
    result<guard> outcome() REQUIRES(mutex_);

    const std::shared_ptr<session_runner> session_;
    const core::acquisition_id id_;
    const base::shared_text path_;
    const base::cold<callbacks> user_;

    // A waiter, of which there may be very many, has none of this. Written before the guard exists, read by it
    // afterwards.
    struct rights {
        std::shared_ptr<lease_view> lease;
        boottime_clock::time_point limit = boottime_clock::time_point::max();  // max_hold
        std::stop_source lost{std::nostopstate};
    };
    base::cold<rights> rights_;

    const answers where_;
    std::atomic<bool> over_{false};  // lost, or given up
    phase phase_ GUARDED_BY(mutex_) = phase::waiting;
    bool gone_ GUARDED_BY(mutex_) = false;
    bool answered_ GUARDED_BY(mutex_) = false;  // the caller has its outcome
    bool handed_ GUARDED_BY(mutex_) = false;    // and it was a guard
    bool released_ GUARDED_BY(mutex_) = false;  // or given up in another way
    mutable base::mutex mutex_;
    base::lazy_condition changed_;
    struct renaming {
        std::optional<core::contender_kind> asked_for;
        unsigned answered = 0;  // so many of them
        std::optional<error> refused;
    };
    struct held {
        turnstile::fencing_token token;
        core::contender_kind kind = core::contender_kind::lock;
        std::string znode;
        std::weak_ptr<session_hold> tied;
        std::vector<std::function<void(const error&)>> lost_callbacks;
        base::cold<renaming> renamed;
    };
    base::cold<held> held_ GUARDED_BY(mutex_);
    boost::thread::id telling_waiter_ GUARDED_BY(mutex_);
    std::unique_ptr<const error> why_ GUARDED_BY(mutex_);
    handler done_ GUARDED_BY(mutex_);
    // Destroyed outside the lock: that waits for a callback under way, which takes the lock.
    std::unique_ptr<std::stop_callback<cancel_by_stop>> stop_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
