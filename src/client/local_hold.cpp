// SPDX-License-Identifier: Apache-2.0
#include "client/local_hold.hpp"

#include <utility>

#include "base/resource_name.hpp"
#include "client/shared_contender.hpp"

namespace turnstile::detail {

local_hold::local_hold(std::shared_ptr<shared_contender> of, acquire_options&& options,
                       handler&& done)
    : of_{std::move(of)},
      options_{std::move(options)},
      blocks_{done == nullptr},
      done_{std::move(done)} {}

local_hold::~local_hold() = default;

// The object's address: it outlives what is known of it, since whoever has it says that it is over first.
core::local_id local_hold::id() const noexcept {
    return core::local_id{reinterpret_cast<std::uintptr_t>(this)};
}

local_hold& local_hold::of(core::local_id id) noexcept {
    return *reinterpret_cast<local_hold*>(static_cast<std::uintptr_t>(id));
}

// ---- for the shared_contender ---------------------------------------------------------------

void local_hold::on_granted(std::shared_ptr<hold> contender, const turnstile::fencing_token& token,
                            boottime_clock::time_point limit) {
    const base::scoped_lock lock{mutex_};
    contender_ = std::move(contender);
    token_ = token;
    limit_ = limit;
    phase_ = phase::held;
}

void local_hold::on_refused(const error& why) {
    over_ = true;
    const base::scoped_lock lock{mutex_};
    phase_ = phase::refused;
    why_ = why;
}

void local_hold::on_loss(const error& why) {
    over_ = true;
    const base::scoped_lock lock{mutex_};
    phase_ = phase::lost;
    why_ = why;
}

void local_hold::wake() {
    changed_.notify_all();  // under no lock: who wakes needs it
    if (!blocks_) of_->servers().post([self = shared_from_this()] { self->answer_handler(); });
}

// Whoever has no guard yet learns it as the outcome of its call.
void local_hold::trigger_lost() {
    std::optional<std::stop_source> source;
    std::vector<std::function<void(const error&)>> callbacks;
    std::optional<error> why;
    bool handed = false;
    {
        const base::scoped_lock lock{mutex_};
        source = lost_source_;
        callbacks.swap(lost_callbacks_);
        why = why_;
        handed = handed_;
    }
    if (source) source->request_stop();
    if (!handed) return;
    if (options_.on_lost) post_lost(options_.on_lost, *why);
    for (auto& one : callbacks) post_lost(std::move(one), *why);
}

void local_hold::post_lost(std::function<void(const error&)> callback, const error& why) {
    of_->servers().post([self = shared_from_this(), call = std::move(callback), why] {
        base::scoped_lock lock{self->mutex_};
        if (self->released_) return;
        lock.unlock();
        call(why);
    });
}

void local_hold::tell_waiter(const std::function<void()>& call) {
    {
        const base::scoped_lock lock{mutex_};
        if (answered_ || released_) return;
        telling_waiter_ = boost::this_thread::get_id();
    }
    const auto told = [this]() noexcept {
        const base::scoped_lock lock{mutex_};
        telling_waiter_ = {};
        changed_.notify_all();
    };
    try {
        call();
    } catch (...) {
        told();
        throw;
    }
    told();
}

void local_hold::tell_holder(const std::function<void()>& call) {
    {
        const base::scoped_lock lock{mutex_};
        if (phase_ != phase::held || released_) return;
    }
    call();
}

// ---- for the caller -------------------------------------------------------------------------

void local_hold::keep() {
    const base::scoped_lock lock{mutex_};
    kept_ = shared_from_this();
}

void local_hold::listen() {
    if (!options_.stop.stop_possible()) return;
    // May call back at once, in this thread: under no lock.
    auto stop = std::make_shared<stop_callback>(options_.stop, [weak = weak_from_this()] {
        if (const auto self = weak.lock())
            self->of_->give_up(self->id(),
                               {errc::cancelled, self->path() + ": the stop token was triggered"});
    });
    const base::scoped_lock lock{mutex_};
    if (phase_ == phase::waiting) stop_ = std::move(stop);
    // Else the answer is there already, and the callback has nothing left to do.
}

result<guard> local_hold::wait() {
    std::shared_ptr<void> stop;  // ends after the lock
    std::optional<error> interruption;
    base::scoped_lock lock{mutex_};
    try {
        while (phase_ == phase::waiting) changed_.wait(lock);
    } catch (const boost::thread_interrupted&) {
        interruption = error{errc::interrupted, path() + ": the waiting thread was interrupted"};
    } catch (...) {  // no memory to wait with
        lock.unlock();
        of_->give_up(id(), errc::cancelled);
        unlock();
        throw;
    }
    answered_ = true;
    while (told_by_another()) {
        const boost::this_thread::disable_interruption uninterrupted;
        changed_.wait(lock);
    }
    stop = std::exchange(stop_, nullptr);
    auto answer = interruption ? result<guard>{*interruption} : outcome();
    lock.unlock();
    if (interruption) of_->give_up(id(), *interruption);
    if (!answer) unlock();  // also if it was granted just now
    return answer;
}

bool local_hold::told_by_another() const {
    return telling_waiter_ != boost::thread::id{} &&
           telling_waiter_ != boost::this_thread::get_id();
}

// Success is told only for a hold that is valid now (F28): the caller may have been woken late.
result<guard> local_hold::outcome() {
    answered_ = true;
    if (why_) return *why_;
    handed_ = valid();
    if (handed_) return guard{shared_from_this()};
    return reason();
}

// The contender may have been told why, and we not yet.
error local_hold::reason() const {
    const auto contender = contender_->status();
    const bool in_time = boottime_clock::now() < limit_;
    return in_time && !contender ? contender.error() : end_of_certainty(limit_);
}

void local_hold::answer_handler() {
    handler done;
    std::shared_ptr<local_hold> kept;
    std::shared_ptr<void> stop;
    {
        const base::scoped_lock lock{mutex_};
        done.swap(done_);
        kept.swap(kept_);
        stop = std::exchange(stop_, nullptr);
    }
    if (!done) return;
    stop.reset();
    std::optional<result<guard>> answer;
    {
        const base::scoped_lock lock{mutex_};
        answer = outcome();
    }
    if (!*answer) unlock();
    done(std::move(*answer));
}

// ---- for the guard --------------------------------------------------------------------------

const std::string& local_hold::path() const noexcept {
    return of_->path();
}

std::string local_hold::znode() const {
    return contender_->znode();
}

fencing_vector local_hold::tokens() const {
    return fencing_vector{
        {{base::make_resource_name(of_->servers().describe(), path()).to_string(), token_}}};
}

bool local_hold::valid() const noexcept {
    return boottime_clock::now() < certain_until();
}

boottime_clock::time_point local_hold::certain_until() const noexcept {
    if (over_ || forked()) return boottime_clock::time_point::min();
    return std::min(contender_->certain_until(), limit_);
}

boottime_clock::time_point local_hold::valid_until() const noexcept {
    return std::min(contender_->valid_until(), limit_);
}

lease_evidence local_hold::evidence() const noexcept {
    return contender_->evidence();
}

result<void> local_hold::status() const {
    if (forked()) return forked_error();
    const base::scoped_lock lock{mutex_};
    if (why_) return *why_;
    if (!valid()) return reason();
    return {};
}

std::stop_token local_hold::lost_token() const noexcept {
    const base::scoped_lock lock{mutex_};
    if (!lost_source_) {
        lost_source_.emplace();
        if (phase_ == phase::lost) lost_source_->request_stop();  // nobody listens yet
    }
    return lost_source_->get_token();
}

void local_hold::on_lost(std::function<void(const error&)> callback) {
    std::optional<error> why;
    {
        const base::scoped_lock lock{mutex_};
        if (phase_ != phase::lost) {
            lost_callbacks_.push_back(std::move(callback));
            return;
        }
        why = why_;
    }
    post_lost(std::move(callback), *why);
}

// ---- commits: nobody gets what they may still be written under ---------------------------------

result<void> local_hold::begin_commit() {
    if (auto still = status(); !still) return still;
    const base::scoped_lock lock{mutex_};
    if (released_) return error{errc::not_held, path() + ": the hold was given up"};
    ++commits_;
    return {};
}

void local_hold::end_commit(const std::optional<error>& why) noexcept {
    const base::scoped_lock lock{mutex_};
    --commits_;
    if (why && *why == errc::outcome_unknown) doubtful_ = true;
}

result<commit_result> local_hold::commit(const transaction& what, const commit_options& options) {
    if (const auto may = begin_commit(); !may) return may.error();
    try {
        auto outcome = contender_->commit(what, options);
        end_commit(outcome ? std::nullopt : std::optional{outcome.error()});
        return outcome;
    } catch (...) {
        end_commit(errc::outcome_unknown);
        throw;
    }
}

void local_hold::async_commit(const transaction& what, const commit_options& options,
                              std::function<void(result<commit_result>)> done) {
    if (const auto may = begin_commit(); !may) {
        of_->servers().post([call = std::move(done), why = may.error()] { call(why); });
        return;
    }
    try {
        contender_->async_commit(
            what, options,
            [self = shared_from_this(), call = std::move(done)](result<commit_result> outcome) {
                self->end_commit(outcome ? std::nullopt : std::optional{outcome.error()});
                call(std::move(outcome));
            });
    } catch (...) {
        end_commit(std::nullopt);  // it was not even sent
        throw;
    }
}

// ---- the release ----------------------------------------------------------------------------

std::optional<core::local_queue::next> local_hold::begin_release() noexcept {
    std::vector<std::function<void(const error&)>> unused;  // destroyed under no lock
    over_ = true;
    const base::scoped_lock lock{mutex_};
    if (std::exchange(released_, true)) return std::nullopt;
    unused.swap(lost_callbacks_);
    return doubtful_ || commits_ != 0 ? core::local_queue::next::give_back
                                      : core::local_queue::next::pass_on;
}

void local_hold::unlock() noexcept {
    if (forked()) return;  // the parent's, not ours
    if (const auto then = begin_release()) static_cast<void>(of_->release(id(), *then));
}

// What was passed on, or is kept, has nothing that the servers would have to confirm.
result<void> local_hold::release(std::optional<boottime_clock::time_point> deadline) {
    if (forked()) return forked_error();
    const auto then = begin_release();
    const auto given_back = then ? of_->release(id(), *then) : nullptr;
    if (given_back) return given_back->release(deadline);
    const base::scoped_lock lock{mutex_};
    if (phase_ == phase::lost) return *why_;
    return {};
}

}  // namespace turnstile::detail
