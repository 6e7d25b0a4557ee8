// SPDX-License-Identifier: Apache-2.0
// call: one call for a lock, and the hold that it gets, from the request to the release. This class has the code that
// all kinds of hold share: the wait, the stop token, the handler, the user's callbacks, the loss and the release. Each
// kind of hold (session_hold, local_hold, multi_hold, quorum_hold) derives from it. The derived class implements the
// grant and the release.
//
// | event               | the kind of hold calls       | the caller learns it by                         |
// |---------------------|------------------------------|-------------------------------------------------|
// | grant               | grant(), then wake() or      | wait() or the handler: a guard                  |
// |                     | answer_handler()             |                                                 |
// | refusal             | refuse(), then wake() or     | wait() or the handler: the error                |
// |                     | answer_handler()             |                                                 |
// | loss                | lose(), then post(), then    | on_lost, `lost()`; a caller without a guard:    |
// |                     | trigger_lost()               | wait() or the handler: the loss as the error    |
// | stop token          | nothing: the token's stop    | wait() or the handler, when the wait has ended  |
// |                     | callback calls cancel()      |                                                 |
// | release             | nothing: unlock() calls      | the caller itself releases the hold             |
// |                     | leave()                      |                                                 |
//
// The user's callbacks run on the thread to which post() of the derived class gives them. Callbacks for a waiter run
// only until its call is answered. The answer waits for a running callback, so a callback may refer to the caller's
// stack. Callbacks for a holder run only until the caller gives the hold up.
//
//     call_state    the phase of a call
//     holder_side   the state of a call that only a holder needs
//
// Thread safety: all members from any thread. The lock also guards the derived class's state. Lock order: the lock of
// the object that reports the grant (session, shared_contender), then this lock, then the locks of parts and queues.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include <boost/thread/thread.hpp>

#include "base/check.hpp"
#include "base/cold.hpp"
#include "base/lazy_condition.hpp"
#include "base/mutex.hpp"
#include "client/call_record.hpp"
#include "client/caller_help.hpp"
#include "client/user_code.hpp"
#include "turnstile/acquire_options.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/error.hpp"

namespace turnstile::detail {

// The phase of a call for a lock, as a value.
//
// | phase    | the caller                                          | entered by             |
// |----------|-----------------------------------------------------|------------------------|
// | waiting  | waits for the lock                                  | the start of the call  |
// | held     | has a guard, or will be handed one                  | grant(), from waiting  |
// | refused  | has an error, or will get one                       | refuse(), from waiting |
// | lost     | has a guard that is not valid; if the caller has no | lose(), from held      |
// |          | guard yet, it will get the loss as an error         |                        |
//
// Three facts are stored beside the phase. Each becomes true once, and stays true. `answered`: the caller has its
// outcome. `handed`: the outcome was a guard. `given up`: the caller no longer wants the lock.
//
// Thread safety: a value; one thread at a time.
class call_state {
public:
    // The audience of a user's callback: a waiter listens until its call is answered, a holder until it gives up the
    // hold.
    enum class audience : std::uint8_t { waiter, holder };

    void grant() {
        TURNSTILE_CHECK(waits());
        phase_ = phase::held;
    }
    void refuse(const error& why) {
        TURNSTILE_CHECK(waits());
        phase_ = phase::refused;
        why_.change() = why;
    }
    // Records the loss of the hold. Returns false, and changes nothing, if the hold was lost before.
    bool lose(const error& why) {
        if (is_lost()) return false;
        TURNSTILE_CHECK(is_held());
        phase_ = phase::lost;
        why_.change() = why;
        return true;
    }
    void answer() noexcept { answered_ = true; }
    void hand_over() {
        TURNSTILE_CHECK(is_held());
        answered_ = true;
        handed_ = true;
    }
    // Records that the caller no longer wants the lock. Returns false if that was recorded before.
    bool give_up() noexcept { return !std::exchange(given_up_, true); }

    [[nodiscard]] bool waits() const noexcept { return phase_ == phase::waiting; }
    [[nodiscard]] bool is_held() const noexcept { return phase_ == phase::held; }
    [[nodiscard]] bool is_lost() const noexcept { return phase_ == phase::lost; }
    [[nodiscard]] bool is_handed() const noexcept { return handed_; }
    [[nodiscard]] bool is_given_up() const noexcept { return given_up_; }
    [[nodiscard]] bool may_tell(audience listener) const noexcept {
        return !given_up_ && (listener == audience::holder || !answered_);
    }
    // Returns the reason of the refusal or of the loss; empty before that.
    [[nodiscard]] const std::optional<error>& why() const noexcept { return *why_; }

private:
    enum class phase : std::uint8_t { waiting, held, refused, lost };

    phase phase_ = phase::waiting;
    bool answered_ = false;
    bool handed_ = false;
    bool given_up_ = false;
    base::cold<std::optional<error>> why_;  // empty for each of perhaps many waiters
};

// The state that only a holder needs: the listeners to the loss, and the time of the grant.
//
// Thread safety: a value under the call's lock.
class holder_side {
public:
    using loss_callback = std::function<void(const error&)>;

    void add(loss_callback&& listener) { callbacks_.push_back(std::move(listener)); }
    [[nodiscard]] bool has_callbacks() const noexcept { return !callbacks_.empty(); }
    [[nodiscard]] std::vector<loss_callback> take_callbacks() noexcept {
        return std::exchange(callbacks_, {});
    }
    // The first call makes the token. If the hold is lost already, that call also requests a stop.
    [[nodiscard]] std::stop_token token(bool is_lost) {
        if (!lost_.stop_possible()) {
            lost_ = std::stop_source{};
            if (is_lost) lost_.request_stop();  // the new token has no listener yet
        }
        return lost_.get_token();
    }
    // Returns a source without a stop state if token() was not called yet.
    [[nodiscard]] const std::stop_source& lost() const noexcept { return lost_; }

    void note_grant(boottime_clock::time_point now) noexcept { granted_at_ = now; }
    [[nodiscard]] boottime_clock::time_point granted_at() const noexcept { return granted_at_; }

private:
    std::vector<loss_callback> callbacks_;
    std::stop_source lost_{std::nostopstate};
    boottime_clock::time_point granted_at_{};
};

class call : public observed_hold, public std::enable_shared_from_this<call> {
public:
    using handler = std::function<void(result<guard>)>;
    using audience = call_state::audience;
    using task = std::function<void()>;

    // ---- functions for the caller ----------------------------------------------------------
    // Starts to listen to the call's stop token. Must be called under no lock: if a stop was requested already,
    // cancel() runs in this call.
    void listen(const std::stop_token& stop);
    // Blocks until the lock is granted or refused. A Boost interruption point: an interrupted wait returns
    // `interrupted`.
    result<guard> wait();
    // True if the hold owns functions of the user. Their captures are destroyed with the hold, and may own the client
    // itself.
    [[nodiscard]] bool carries_user_code() const;
    [[nodiscard]] const acquire_options& options() const noexcept { return *options_; }

    // ---- functions for the guard -----------------------------------------------------------
    [[nodiscard]] result<void> status() const override;
    [[nodiscard]] std::stop_token lost_token() const noexcept override;
    void on_lost(holder_side::loss_callback callback) override;
    void unlock() noexcept override { give_up(errc::cancelled); }
    void run_as_callback(task callback) override { post(std::move(callback)); }

protected:
    // `options`: only the options that are needed after the request. `done`: empty if the caller blocks in wait().
    call(base::cold<acquire_options>&& options, handler&& done);

    // ---- each derived class implements these functions -------------------------------------
    // True if the lock is granted and certain now. A caller may wake late, so it gets the guard only if this is still
    // true (docs/reference/failures.md, F28).
    [[nodiscard]] virtual bool is_certain() const noexcept REQUIRES(mutex_) { return valid(); }
    // Returns the reason why the hold is not certain although no loss has been reported.
    [[nodiscard]] virtual error doubt() const REQUIRES(mutex_) = 0;
    // Requests an early end of the wait; the outcome follows later. Called under no lock.
    virtual void cancel(const error& why) noexcept = 0;
    // Ends a wait or a hold that the caller has given up. Called once, under no lock.
    virtual void leave(const error& why) noexcept = 0;
    // Returns the session on which this call's answer arrives; null if the call uses several sessions, or no session.
    [[nodiscard]] virtual answer_reader* answered_by() const noexcept { return nullptr; }
    // Makes user code run on the thread for callbacks. Called under no lock.
    virtual void post(task callback) = 0;

    // ---- events ----------------------------------------------------------------------------
    void grant() REQUIRES(mutex_);
    void refuse(const error& why) REQUIRES(mutex_);
    // Ends the hold. Returns the callbacks that report the loss, in the order in which to post them.
    [[nodiscard]] std::vector<task> lose(const error& why) REQUIRES(mutex_);
    // Triggers `lost()`. Called under no lock, because user code runs.
    void trigger_lost();
    // Wakes the thread that is blocked in wait(). Called under no lock, because that thread then locks this object.
    void wake() noexcept { changed_.notify_all(); }
    // Calls the handler in this thread, under no lock, unless it was called before.
    void answer_handler();
    void give_up(const error& why) noexcept;
    // Does the part of a release that is the same for all kinds of hold. Returns false if the hold was released before,
    // or belongs to the parent process.
    [[nodiscard]] bool begin_release(const error& why) noexcept;

    // ---- the user's callbacks --------------------------------------------------------------
    // Runs `callback` in this thread if the audience `listener` still listens: a waiter until its call is answered, a
    // holder until it gives up the hold.
    template <class F>
    void tell(audience listener, F&& callback);
    // Returns a task that runs `callback` as tell() does, and that keeps the hold alive until then. The task refers to
    // a function of `options()` without a copy: a copy would run user code, and this function is called under locks.
    template <class F>
    [[nodiscard]] task telling(audience listener, F&& callback);

    const bool blocks_;              // the caller blocks in wait(), without a handler
    std::atomic<bool> over_{false};  // the call was refused, lost, or given up
    mutable base::mutex mutex_;
    base::lazy_condition changed_;
    call_state state_ GUARDED_BY(mutex_);

private:
    // A callback on the caller's stop token. It refers to the hold without owning it. The hold's destructor waits while
    // the callback runs, except on the callback's own thread.
    struct cancel_by_stop {
        call* hold;
        void operator()() const noexcept;
    };

    [[nodiscard]] bool begin_callback(audience listener);
    void end_callback(audience listener) noexcept;
    // Returns the outcome for the caller: `interruption` if it has a value, and otherwise the grant or the error. Runs
    // in the thread that gets the guard. Unlocks `lock` through a reference; the compiler's thread-safety analysis
    // cannot follow that.
    [[nodiscard]] result<guard> answer(base::unique_lock& lock,
                                       const std::optional<error>& interruption)
        REQUIRES(mutex_) NO_THREAD_SAFETY_ANALYSIS;

    const base::cold<acquire_options> options_;
    boost::thread::id telling_waiter_ GUARDED_BY(mutex_);
    handler done_ GUARDED_BY(mutex_);
    // Must be destroyed outside the lock: the destructor waits for a running stop callback, and that callback takes the
    // lock.
    std::unique_ptr<std::stop_callback<cancel_by_stop>> stop_ GUARDED_BY(mutex_);
    // A waiter has no holder_side: base::cold allocates it only for a holder, because a client may have very many
    // waiters.
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
