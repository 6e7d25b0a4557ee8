// SPDX-License-Identifier: Apache-2.0
// call: a hold as its caller sees it, from the call for the lock to the release. The wait, the stop token, the
// handler, the user's callbacks, the loss and the release are here, once; a kind of hold (session_hold, local_hold,
// multi_hold, quorum_hold) derives from it and adds where grants come from and what a release does.
//
// | event               | the kind of hold calls       | the caller learns it by                         |
// |---------------------|------------------------------|-------------------------------------------------|
// | grant               | grant(), then announce()     | wait() or the handler: a guard                  |
// | refusal             | refuse(), then announce()    | wait() or the handler: the error                |
// | loss                | lose(), then post(), then    | on_lost, `lost()`; before the hand-over as the  |
// |                     | trigger_lost()               | outcome of the call                             |
// | stop token          | (listen() calls cancel())    | wait() or the handler, when the wait has ended  |
// | release             | (unlock() calls leave())     |                                                 |
//
// Callbacks of the user run where the kind of hold posts them, and only while they have an audience: those of a
// waiter until its call is answered (the answer waits for one that is under way, so that it may refer to what is
// on the caller's stack), those of a holder until the hold is given up.
//
// Thread safety: all members from any thread. The lock guards the kind's own state, too; it comes after the lock
// of what tells the grant (session, shared_contender) and before those of parts and queues.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include <boost/thread/thread.hpp>

#include "base/cold.hpp"
#include "base/lazy_condition.hpp"
#include "base/mutex.hpp"
#include "client/call_state.hpp"
#include "client/caller_help.hpp"
#include "client/observed_hold.hpp"
#include "client/user_code.hpp"
#include "turnstile/acquire_options.hpp"

namespace turnstile::detail {

class call : public observed_hold, public std::enable_shared_from_this<call> {
public:
    using handler = std::function<void(result<guard>)>;
    using loss_callback = std::function<void(const error&)>;
    using audience = call_state::audience;
    using task = std::function<void()>;

    ~call() override;

    // ---- for the caller --------------------------------------------------------------------
    // Starts to listen to the call's stop token. Under no lock: it may be triggered already.
    void listen(const std::stop_token& stop);
    // Blocks until granted or refused. A Boost interruption point: answers `interrupted`.
    result<guard> wait();
    // Whether functions that were given along end with it, and what they own: it may be the client.
    [[nodiscard]] bool carries_user_code() const;
    [[nodiscard]] const acquire_options& options() const noexcept { return *options_; }

    // ---- for the guard ---------------------------------------------------------------------
    [[nodiscard]] result<void> status() const override;
    [[nodiscard]] std::stop_token lost_token() const noexcept override;
    void on_lost(loss_callback callback) override;
    void unlock() noexcept override { give_up(errc::cancelled); }
    void run_as_callback(task callback) override { post(std::move(callback)); }

protected:
    // `options` has what of the call's is needed later; `done` is empty for a caller that blocks in wait().
    call(base::cold<acquire_options>&& options, handler&& done);

    // ---- what the kind of hold says --------------------------------------------------------
    // It is granted, and certain now. Success is told only then (F28): the caller may have been woken late.
    [[nodiscard]] virtual bool is_certain() const noexcept REQUIRES(mutex_) { return valid(); }
    // Why it is not, where nothing has told so yet.
    [[nodiscard]] virtual error doubt() const REQUIRES(mutex_) = 0;
    // Asks for an early end of the wait, whose outcome follows. Under no lock.
    virtual void cancel(const error& why) noexcept = 0;
    // Ends the wait, or the hold, that the caller has given up. Once, under no lock.
    virtual void leave(const error& why) noexcept = 0;
    // The session whose servers answer; null: several, or none.
    [[nodiscard]] virtual answer_reader* answered_by() const noexcept { return nullptr; }
    // Runs user code as the hold's callbacks run. Under no lock.
    virtual void post(task callback) = 0;

    // ---- what happens ----------------------------------------------------------------------
    void grant() REQUIRES(mutex_);
    void refuse(const error& why) REQUIRES(mutex_);
    // Ends the hold; returns the callbacks that tell of the loss, in the order in which they are to be posted.
    [[nodiscard]] std::vector<task> lose(const error& why) REQUIRES(mutex_);
    // Triggers `lost()`: user code runs, under no lock.
    void trigger_lost();
    // Wakes the caller that waits. Under no lock: the caller needs this one as its next step.
    void wake() noexcept { changed_.notify_all(); }
    // Calls the handler, in this thread, under no lock; nothing where it was called before.
    void answer_handler();
    void give_up(const error& why) noexcept;
    // Tells a commit's audience that it was not sent. Under no lock.
    void refuse_commit(commit_audience&& listeners, const error& why);
    // The part of a release that is the same everywhere; false: it was released before, or belongs to a parent process.
    [[nodiscard]] bool begin_release(const error& why) noexcept;

    // ---- the user's callbacks --------------------------------------------------------------
    // Runs it, in this thread, if its audience is there.
    template <class F>
    void tell(audience listener, F&& callback);
    // The same as a task, which keeps the hold. A function of `options()` is referred to, not copied: copying is user
    // code, and this is called under locks.
    template <class F>
    [[nodiscard]] task telling(audience listener, F&& callback);

    const bool blocks_;              // in wait(): there is no handler
    std::atomic<bool> over_{false};  // refused, lost, or given up
    mutable base::mutex mutex_;
    base::lazy_condition changed_;
    call_state state_ GUARDED_BY(mutex_);

private:
    // Belongs to the hold, whose end waits for a call that is under way, but in its own thread.
    struct cancel_by_stop {
        call* hold;
        void operator()() const noexcept;
    };
    using stop_link = std::unique_ptr<std::stop_callback<cancel_by_stop>>;

    [[nodiscard]] result<guard> wait_for_answer();
    [[nodiscard]] bool begin_callback(audience listener);
    void end_callback(audience listener) noexcept;
    void await_callback(base::unique_lock& lock) noexcept REQUIRES(mutex_);
    [[nodiscard]] result<guard> outcome() REQUIRES(mutex_);
    // In the thread that gets the guard, before it does.
    void tell_granted_at() const noexcept EXCLUDES(mutex_);

    const base::cold<acquire_options> options_;
    boost::thread::id telling_waiter_ GUARDED_BY(mutex_);
    handler done_ GUARDED_BY(mutex_);
    // Destroyed outside the lock: that waits for a callback under way, which takes the lock.
    stop_link stop_ GUARDED_BY(mutex_);
    // A waiter has none of this.
    struct holder_side {
        std::vector<loss_callback> lost_callbacks;
        std::stop_source lost{std::nostopstate};  // comes into being when its token is asked for
        boottime_clock::time_point granted_at{};  // for on_granted_at
    };
    mutable base::cold<holder_side> holder_ GUARDED_BY(mutex_);
};

template <class F>
void call::tell(audience listener, F&& callback) {
    if (!begin_callback(listener)) return;
    try {
        call_user(callback);
    } catch (...) {
        end_callback(listener);
        throw;
    }
    end_callback(listener);
}

template <class F>
call::task call::telling(audience listener, F&& callback) {
    return [self = shared_from_this(), listener, callback = std::forward<F>(callback)] {
        self->tell(listener, callback);
    };
}

}  // namespace turnstile::detail
