// SPDX-License-Identifier: Apache-2.0
#include "client/call.hpp"

#include "base/out_of_memory.hpp"
#include "client/internals.hpp"
#include "client/user_code.hpp"

namespace turnstile::detail {

call::call(base::cold<acquire_options>&& options, handler&& done)
    : blocks_{done == nullptr}, options_{std::move(options)}, done_{std::move(done)} {}

call::~call() = default;

// ---- the stop token -------------------------------------------------------------------------

void call::cancel_by_stop::operator()() const noexcept {
    // lock() fails if the hold is being destroyed. In that case the destructor waits for this callback to return.
    if (const auto self = hold->weak_from_this().lock(); self && !self->forked())
        base::finish_or_end("a stop request", [&] {
            self->cancel({errc::cancelled, self->path()});
        });
}

void call::listen(const std::stop_token& stop) {
    if (!stop.stop_possible()) return;
    // Runs under no lock, because the constructor of a stop callback may call cancel() at once, in this thread.
    auto link = std::make_unique<std::stop_callback<cancel_by_stop>>(stop, cancel_by_stop{this});
    const base::lock_guard lock{mutex_};
    if (state_.waits()) stop_ = std::move(link);
    // If the call has been answered meanwhile, `link` is destroyed here: nothing is left to cancel.
}

// ---- the outcome ----------------------------------------------------------------------------

void call::grant() {
    state_.grant();
    if (options_->on_granted_at) holder_.change().granted_at = boottime_clock::now();
    note_grant();
}

void call::refuse(const error& why) {
    state_.refuse(why);
    note_refusal(why);
    over_ = true;
}

result<guard> call::outcome() {
    state_.answer();
    if (state_.why()) return *state_.why();
    if (!is_certain()) return doubt();
    state_.hand_over();
    return internals::make_guard(shared_from_this());
}

// Ends the process if the wait throws std::bad_alloc. Otherwise the contender would stay in the queue without an owner.
result<guard> call::wait() {
    return base::finish_or_end("a wait", [this] { return wait_for_answer(); });
}

result<guard> call::wait_for_answer() {
    stop_link stop;  // declared before the lock, so destroyed after it
    caller_help help{answered_by()};
    base::unique_lock lock{mutex_};
    std::optional<error> interruption;
    try {
        while (state_.waits())
            if (!help.go_on(lock)) changed_.wait(lock);
    } catch (const boost::thread_interrupted&) {
        interruption = error{errc::interrupted, "the wait for " + path()};
    }
    state_.answer();
    stop = std::move(stop_);
    await_callback(lock);
    auto answer = interruption ? result<guard>{*interruption} : outcome();
    lock.unlock();
    if (!answer) give_up(answer.error());  // even if the lock was granted meanwhile
    tell_answer(answer);
    if (answer) tell_granted_at();
    return answer;
}

void call::answer_handler() {
    handler done;
    stop_link stop;
    base::unique_lock lock{mutex_};
    done.swap(done_);
    stop = std::move(stop_);
    lock.unlock();
    if (!done) return;
    stop.reset();
    auto answer = base::finish_or_end("the answer of a call", [this] {
        base::unique_lock answered{mutex_};
        auto own = outcome();
        answered.unlock();
        if (!own) give_up(own.error());
        return own;
    });
    tell_answer(answer);
    if (answer) tell_granted_at();
    call_user(done, std::move(answer));
}

void call::refuse_commit(commit_audience&& listeners, const error& why) {
    post([told = std::move(listeners), why] {
        if (told.settled) told.settled(why);
        call_user(told.handler, why);
    });
}

void call::tell_granted_at() const noexcept {
    if (!options_->on_granted_at) return;
    boottime_clock::time_point granted_at;
    {
        const base::lock_guard lock{mutex_};
        granted_at = holder_->granted_at;
    }
    run_user_code("on_granted_at", [&] { options_->on_granted_at(granted_at); });
}

// ---- the loss -------------------------------------------------------------------------------

// If the caller has no guard yet, the loss becomes the outcome of the call.
std::vector<call::task> call::lose(const error& why) {
    std::vector<task> callbacks;
    if (!state_.lose(why)) return callbacks;
    note_loss(why);
    over_ = true;
    if (!state_.is_handed()) return callbacks;
    if (options_->on_lost)
        callbacks.push_back(telling(audience::holder, [this, why] { options_->on_lost(why); }));
    if (holder_->lost_callbacks.empty()) return callbacks;
    for (auto& callback : std::exchange(holder_.change().lost_callbacks, {})) {
        callbacks.push_back(
            telling(audience::holder, [callback = std::move(callback), why] { callback(why); }));
    }
    return callbacks;
}

void call::trigger_lost() {
    std::stop_source lost{std::nostopstate};
    {
        const base::lock_guard lock{mutex_};
        lost = holder_->lost;
    }
    tell_loss();
    lost.request_stop();
}

std::stop_token call::lost_token() const noexcept {
    if (forked()) return {};
    const base::lock_guard lock{mutex_};
    return base::finish_or_end("the stop token of a loss", [this]() REQUIRES(mutex_) {
        auto& lost = holder_.change().lost;
        if (!lost.stop_possible()) {
            lost = std::stop_source{};
            if (state_.is_lost()) lost.request_stop();  // the new token has no listener yet
        }
        return lost.get_token();
    });
}

void call::on_lost(loss_callback callback) {
    if (forked()) return;
    task late;
    {
        const base::lock_guard lock{mutex_};
        if (state_.is_given_up()) return;
        if (!state_.is_lost()) {
            holder_.change().lost_callbacks.push_back(std::move(callback));
            return;
        }
        late = telling(audience::holder,
                       [callback = std::move(callback), why = *state_.why()] { callback(why); });
    }
    post(std::move(late));
}

result<void> call::status() const {
    if (forked()) return forked_error();
    const base::lock_guard lock{mutex_};
    if (state_.why()) return *state_.why();
    if (!is_certain()) return doubt();
    return {};
}

// ---- the release ----------------------------------------------------------------------------

bool call::begin_release(const error& why) noexcept {
    if (forked()) return false;         // the hold belongs to the parent process
    std::vector<loss_callback> unused;  // destroyed under no lock
    {
        const base::lock_guard lock{mutex_};
        if (!state_.give_up()) return false;
        if (!holder_->lost_callbacks.empty()) unused.swap(holder_.change().lost_callbacks);
    }
    over_ = true;
    note_given_up(why);
    return true;
}

void call::give_up(const error& why) noexcept {
    if (begin_release(why)) leave(why);
}

// ---- the user's callbacks -------------------------------------------------------------------

bool call::carries_user_code() const {
    if (options_.changed()) return true;
    const base::lock_guard lock{mutex_};
    return done_ || !holder_->lost_callbacks.empty();
}

bool call::begin_callback(audience listener) {
    const base::lock_guard lock{mutex_};
    if (!state_.may_tell(listener)) return false;
    if (listener == audience::waiter) telling_waiter_ = boost::this_thread::get_id();
    return true;
}

void call::end_callback(audience listener) noexcept {
    if (listener != audience::waiter) return;
    const base::lock_guard lock{mutex_};
    telling_waiter_ = {};
    changed_.notify_all();
}

// Waits until the running callback has returned. Does not wait inside that callback.
void call::await_callback(base::unique_lock& lock) noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    const auto me = boost::this_thread::get_id();
    while (telling_waiter_ != boost::thread::id{} && telling_waiter_ != me) changed_.wait(lock);
}

}  // namespace turnstile::detail
