// SPDX-License-Identifier: Apache-2.0
#include "client/call.hpp"

#include "base/interruption.hpp"
#include "base/out_of_memory.hpp"
#include "client/internals.hpp"
#include "client/user_code.hpp"

namespace turnstile::detail {

call::call(base::cold<acquire_options>&& options, handler&& done)
    : blocks_{done == nullptr}, options_{std::move(options)}, done_{std::move(done)} {}

// ---- the caller's stop token ----------------------------------------------------------------

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

// ---- the grant or refusal of the lock -------------------------------------------------------

void call::grant() {
    state_.grant();
    if (options_->on_granted_at) holder_.change().note_grant(boottime_clock::now());
    note_grant();
}

void call::refuse(const error& why) {
    state_.refuse(why);
    note_end(why);
    over_ = true;
}

result<guard> call::answer(base::unique_lock& lock, const std::optional<error>& interruption) {
    state_.answer();
    auto own = [&]() REQUIRES(mutex_) -> result<guard> {
        if (interruption) return *interruption;
        if (state_.why()) return *state_.why();
        if (!is_certain()) return doubt();
        state_.hand_over();
        return internals::make_guard(shared_from_this());
    }();
    const auto granted_at = holder_->granted_at();
    lock.unlock();
    if (!own) give_up(own.error());  // even if the lock was granted meanwhile
    tell_answer(own);
    if (own && options_->on_granted_at)
        run_user_code("on_granted_at", [&] { options_->on_granted_at(granted_at); });
    return own;
}

// Ends the process if the wait throws std::bad_alloc. Otherwise the contender would stay in the queue without a caller.
result<guard> call::wait() {
    return base::finish_or_end("a wait", [this] {
        decltype(stop_) stop;  // declared before the lock, so destroyed after it
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
        {
            // Waits until a running callback of the user has returned, unless this thread runs that callback.
            const base::disable_interruption uninterrupted;
            const auto me = boost::this_thread::get_id();
            while (telling_waiter_ != boost::thread::id{} && telling_waiter_ != me)
                changed_.wait(lock);
        }
        return answer(lock, interruption);
    });
}

void call::answer_handler() {
    handler done;
    decltype(stop_) stop;
    {
        const base::lock_guard lock{mutex_};
        done.swap(done_);
        stop = std::move(stop_);
    }
    if (!done) return;
    stop.reset();
    auto own = base::finish_or_end("the answer of a call", [this] {
        base::unique_lock lock{mutex_};
        return answer(lock, std::nullopt);
    });
    call_user(done, std::move(own));
}

// ---- the loss of the hold -------------------------------------------------------------------

// If the caller has no guard yet, the loss becomes the outcome of the call.
std::vector<call::task> call::lose(const error& why) {
    std::vector<task> callbacks;
    if (!state_.lose(why)) return callbacks;
    note_end(why);
    over_ = true;
    if (!state_.is_handed()) return callbacks;
    if (options_->on_lost)
        callbacks.push_back(telling(audience::holder, [this, why] { options_->on_lost(why); }));
    if (!holder_->has_callbacks()) return callbacks;
    for (auto& callback : holder_.change().take_callbacks()) {
        callbacks.push_back(
            telling(audience::holder, [callback = std::move(callback), why] { callback(why); }));
    }
    return callbacks;
}

void call::trigger_lost() {
    std::stop_source lost{std::nostopstate};
    {
        const base::lock_guard lock{mutex_};
        lost = holder_->lost();
    }
    tell_loss();
    lost.request_stop();
}

std::stop_token call::lost_token() const noexcept {
    const base::lock_guard lock{mutex_};
    return base::finish_or_end("the stop token of a hold", [this]() REQUIRES(mutex_) {
        return holder_.change().token(state_.is_lost());
    });
}

void call::on_lost(holder_side::loss_callback callback) {
    task late;
    {
        const base::lock_guard lock{mutex_};
        if (state_.is_given_up()) return;
        if (!state_.is_lost()) {
            holder_.change().add(std::move(callback));
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

// ---- the release of the hold ----------------------------------------------------------------

bool call::begin_release(const error& why) noexcept {
    if (forked()) return false;                      // the hold belongs to the parent process
    std::vector<holder_side::loss_callback> unused;  // destroyed under no lock
    {
        const base::lock_guard lock{mutex_};
        if (!state_.give_up()) return false;
        if (holder_->has_callbacks()) unused = holder_.change().take_callbacks();
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
    return done_ || holder_->has_callbacks();
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

}  // namespace turnstile::detail
