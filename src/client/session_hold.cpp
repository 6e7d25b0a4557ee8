// SPDX-License-Identifier: Apache-2.0
#include "client/session_hold.hpp"

#include <algorithm>
#include <utility>

#include "base/resource_name.hpp"
#include "client/session_runner.hpp"
#include "turnstile/timed_lockable.hpp"

namespace turnstile::detail {

session_hold::session_hold(std::shared_ptr<session_runner> session, core::acquisition_id id,
                           base::shared_text path, acquire_options&& options, audiences&& whom)
    : session_{std::move(session)},
      id_{id},
      path_{std::move(path)},
      user_{taken_from(std::move(options), std::move(whom.on_contended))},
      where_{whom.where},
      done_{std::move(whom.done)} {}

base::cold<session_hold::callbacks> session_hold::taken_from(acquire_options&& options,
                                                             std::function<void()>&& on_contended) {
    callbacks all{std::move(options.on_entered),  std::move(options.on_queued),
                  std::move(options.on_lost),     std::move(options.on_at_risk),
                  std::move(options.on_expiring), std::move(options.on_asked_to_release),
                  std::move(on_contended)};
    base::cold<callbacks> made;
    if (all.on_entered || all.on_queued || all.on_lost || all.on_at_risk || all.on_expiring ||
        all.on_asked_to_release || all.on_contended)
        made.change() = std::move(all);
    return made;
}

namespace {

// Somebody may be blocked for it: the outcome of an acquisition or of a renaming, or the end.
bool wakes(const core::notice& what) {
    return std::holds_alternative<core::granted>(what.what) ||
           std::holds_alternative<core::failed>(what.what) ||
           std::holds_alternative<core::lost>(what.what) ||
           std::holds_alternative<core::renamed>(what.what) ||
           std::holds_alternative<core::gone>(what.what);
}

}  // namespace

// ---- for the session ------------------------------------------------------------------------

bool session_hold::tell(const core::notice& what, const std::shared_ptr<lease_view>& lease) {
    const base::scoped_lock lock{mutex_};
    if (const auto* mine = std::get_if<core::entered>(&what.what)) {
        if (user_->on_entered)
            post(audience::waiter, [this, znode = mine->znode] { user_->on_entered(znode); });
    } else if (const auto* place = std::get_if<core::queued>(&what.what)) {
        if (user_->on_queued)
            post(audience::waiter, [this, ahead = place->ahead] { user_->on_queued(ahead); });
    } else if (const auto* grant = std::get_if<core::granted>(&what.what)) {
        on_granted(*grant, lease);
    } else if (const auto* failure = std::get_if<core::failed>(&what.what)) {
        on_failed(*failure);
    } else if (const auto* loss = std::get_if<core::lost>(&what.what)) {
        on_loss(loss->why);
    } else if (std::holds_alternative<core::at_risk>(what.what)) {
        if (user_->on_at_risk)
            post(audience::holder, [this, until = valid_until()] { user_->on_at_risk(until); });
    } else if (std::holds_alternative<core::expiring>(what.what)) {
        if (user_->on_expiring) {
            post(audience::holder,
                 [this, until = valid_until()] { user_->on_expiring(left_until(until)); });
        }
    } else if (const auto* asked = std::get_if<core::asked_to_release>(&what.what)) {
        if (user_->on_asked_to_release)
            post(audience::holder, [this, asked = *asked] {
                user_->on_asked_to_release({asked.who, asked.why});
            });
    } else if (const auto* other = std::get_if<core::renamed>(&what.what)) {
        on_renamed(*other);
    } else if (std::holds_alternative<core::gone>(what.what)) {
        gone_ = true;
    }
    return wakes(what) && changed_.awaited();
}

void session_hold::on_granted(const core::granted& what, const std::shared_ptr<lease_view>& lease) {
    auto& mine = held_.change();
    mine.token = what.token;
    mine.znode = what.znode;
    const auto name = std::string_view{what.znode}.substr(path().size() + 1);
    if (const auto parsed = core::parse_contender(name)) mine.kind = parsed->wants.kind;
    rights_.change() = {lease, what.until.value_or(boottime_clock::time_point::max()),
                        std::stop_source{}};
    phase_ = phase::held;
    if (done_) finish_async();
}

void session_hold::on_failed(const core::failed& what) {
    phase_ = phase::refused;
    why_ = std::make_unique<const error>(what.why);
    over_ = true;
    if (done_) finish_async();
}

// Whoever has no guard learns it as the outcome of its call.
void session_hold::on_loss(const error& why) {
    if (phase_ == phase::lost) return;
    phase_ = phase::lost;
    why_ = std::make_unique<const error>(why);
    over_ = true;
    if (!handed_) return;
    if (user_->on_lost) post(audience::holder, [this, why] { user_->on_lost(why); });
    for (auto& callback : std::exchange(held_.change().lost_callbacks, {}))
        post_lost(std::move(callback), why);
}

void session_hold::on_renamed(const core::renamed& what) {
    auto& mine = held_.change();
    auto& answered = mine.renamed.change();
    mine.znode = what.znode;
    answered.refused = what.refused;
    ++answered.answered;
    if (what.refused) return;
    mine.token = std::max(what.token, fencing_token{mine.token.zxid(), mine.token.counter() + 1});
    mine.kind = answered.asked_for.value_or(mine.kind);
}

// ---- the user's callbacks -------------------------------------------------------------------

template <class F>
void session_hold::post(audience whom, F&& call) {
    session_->services().callbacks->post(
        [self = shared_from_this(), whom, call = std::forward<F>(call)] {
            if (!self->begin_callback(whom)) return;
            try {
                call();
            } catch (...) {
                self->end_callback();
                throw;
            }
            self->end_callback();
        });
}

bool session_hold::begin_callback(audience whom) {
    const base::scoped_lock lock{mutex_};
    if (released_ || (whom == audience::waiter && answered_)) return false;
    if (whom == audience::waiter) telling_waiter_ = boost::this_thread::get_id();
    return true;
}

void session_hold::end_callback() noexcept {
    const base::scoped_lock lock{mutex_};
    telling_waiter_ = {};
    changed_.notify_all();
}

// Unless called from it.
void session_hold::await_callback(base::scoped_lock& lock) noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    const auto me = boost::this_thread::get_id();
    while (telling_waiter_ != boost::thread::id{} && telling_waiter_ != me) changed_.wait(lock);
}

void session_hold::post_lost(std::function<void(const error&)>&& callback, const error& why) {
    post(audience::holder, [call = std::move(callback), why] { call(why); });
}

// The handler runs later and elsewhere. It and the stop callback stay in the hold until then: we are under
// the locks of the session and of the hold, and whatever a task of ours owned could end here, with the
// last copy of it, after the task has run. The end of a stop callback waits for a call of it that is
// under way, which needs the session; a handler may be the last to refer to what releases holds.
void session_hold::finish_async() {
    const auto& services = session_->services();
    const auto finish = [self = shared_from_this()] { self->answer_handler(); };
    // A client that has closed has no background any more, and runs callbacks where they are posted.
    if (where_ == answers::in_background && services.chores->post(finish)) return;
    services.callbacks->post(finish);
}

void session_hold::answer_handler() {
    handler done;
    std::unique_ptr<std::stop_callback<cancel_by_stop>> stop;
    base::scoped_lock lock{mutex_};
    done.swap(done_);
    stop = std::move(stop_);
    lock.unlock();
    stop.reset();
    lock.lock();
    auto answer = outcome();
    lock.unlock();
    if (!answer) give_up(answer.error());
    done(std::move(answer));
}

// ---- for the caller -------------------------------------------------------------------------

void session_hold::cancel_by_stop::operator()() const noexcept {
    // Nothing, if its end has begun, which waits for this call then.
    if (const auto self = one->weak_from_this().lock())
        self->cancel({errc::cancelled, self->path() + ": the stop token was triggered"});
}

void session_hold::listen(const std::stop_token& given) {
    if (!given.stop_possible()) return;
    // May call back at once, in this thread: under no lock.
    auto stop = std::make_unique<std::stop_callback<cancel_by_stop>>(given, cancel_by_stop{this});
    const base::scoped_lock lock{mutex_};
    if (phase_ == phase::waiting) stop_ = std::move(stop);
    // Else the answer is there already, and the callback has nothing left to do.
}

result<guard> session_hold::wait() {
    std::unique_ptr<std::stop_callback<cancel_by_stop>> stop;  // ends after the lock
    base::scoped_lock lock{mutex_};
    std::optional<error> interruption;
    try {
        while (phase_ == phase::waiting) changed_.wait(lock);
    } catch (const boost::thread_interrupted&) {
        interruption = error{errc::interrupted, path() + ": the waiting thread was interrupted"};
    } catch (...) {  // no memory to wait with
        lock.unlock();
        give_up(errc::cancelled);
        throw;
    }
    answered_ = true;
    stop = std::move(stop_);
    await_callback(lock);
    auto answer = interruption ? result<guard>{*interruption} : outcome();
    lock.unlock();
    if (!answer) give_up(answer.error());  // also if it was granted just now
    return answer;
}

// Success is told only for a hold that is valid now (F28): the caller may have been woken late.
result<guard> session_hold::outcome() {
    answered_ = true;
    if (why_) return *why_;
    handed_ = valid();
    if (handed_) return guard{shared_from_this()};
    return end_of_certainty(rights_->limit);
}

void session_hold::cancel(const error& why) noexcept {
    session_->cancel(id_, why);
}

result<void> session_hold::rename(core::contender_kind kind) {
    if (forked()) return forked_error();
    base::scoped_lock lock{mutex_};
    const auto before = held_->renamed->answered;
    held_.change().renamed.change().asked_for = kind;
    lock.unlock();
    session_->rename(id_, kind);
    lock.lock();
    // Bounded: the session answers, or its lease or the session ends. Not an interruption point: the caller
    // has to know what it holds.
    const boost::this_thread::disable_interruption uninterrupted;
    while (held_->renamed->answered == before && phase_ == phase::held && !gone_)
        changed_.wait(lock);
    if (phase_ == phase::lost) return *why_;
    if (held_->renamed->answered == before)
        return error{errc::not_held, path() + ": the hold was given up"};
    if (held_->renamed->refused) return *held_->renamed->refused;
    return {};
}

// ---- for the guard --------------------------------------------------------------------------

fencing_vector session_hold::tokens() const {
    const auto servers = session_->services().servers->describe();
    return fencing_vector{{{base::make_resource_name(servers, path()).to_string(), token()}}};
}

bool session_hold::valid() const noexcept {
    return boottime_clock::now() < certain_until();
}

boottime_clock::time_point session_hold::certain_until() const noexcept {
    return over_ || forked() ? boottime_clock::time_point::min() : valid_until();
}

std::string session_hold::znode() const {
    const base::scoped_lock lock{mutex_};
    return held_->znode;
}

fencing_token session_hold::token() const noexcept {
    const base::scoped_lock lock{mutex_};
    return held_->token;
}

boottime_clock::time_point session_hold::valid_until() const noexcept {
    return rights_->lease ? std::min(rights_->lease->valid_until(), rights_->limit)
                          : boottime_clock::time_point::min();
}

lease_evidence session_hold::evidence() const noexcept {
    return rights_->lease ? rights_->lease->evidence() : lease_evidence::relayed;
}

result<void> session_hold::status() const {
    if (forked()) return forked_error();
    const base::scoped_lock lock{mutex_};
    if (why_) return *why_;
    if (!valid()) return end_of_certainty(rights_->limit);
    return {};
}

void session_hold::on_lost(std::function<void(const error&)> callback) {
    {
        const base::scoped_lock lock{mutex_};
        if (phase_ != phase::lost) {
            held_.change().lost_callbacks.push_back(std::move(callback));
            return;
        }
        post_lost(std::move(callback), *why_);
    }
    session_->services().callbacks->pump();
}

result<commit_result> session_hold::commit(const transaction& what, const commit_options& options) {
    if (const auto still = status(); !still) return still.error();
    auto outcome = session_->commit(id_, what, options);
    if (outcome || outcome.error() != errc::not_held) return outcome;
    const base::scoped_lock lock{
        mutex_};  // lost between our look and the session's: for one reason
    if (why_) return *why_;
    return outcome;
}

void session_hold::async_commit(const transaction& what, const commit_options& options,
                                std::function<void(result<commit_result>)> done) {
    if (const auto still = status(); !still) {
        session_->services().callbacks->post(
            [call = std::move(done), why = still.error()] { call(why); });
        session_->services().callbacks->pump();
        return;
    }
    session_->async_commit(id_, what, options, std::move(done));
}

void session_hold::unlock() noexcept {
    give_up(error{errc::cancelled});
}

void session_hold::give_up(const error& why) noexcept {
    if (forked()) return;                                   // the parent's, not ours
    std::vector<std::function<void(const error&)>> unused;  // destroyed under no lock
    {
        const base::scoped_lock lock{mutex_};
        if (std::exchange(released_, true)) return;
        if (!held_->lost_callbacks.empty()) unused.swap(held_.change().lost_callbacks);
    }
    over_ = true;
    session_->leave(id_, why);
}

result<void> session_hold::release(std::optional<boottime_clock::time_point> deadline) {
    if (forked()) return forked_error();
    unlock();
    base::scoped_lock lock{mutex_};
    try {
        while (!gone_ && phase_ != phase::lost) {
            if (!deadline) {
                changed_.wait(lock);
            } else if (!changed_.wait_until(lock, *deadline)) {
                return error{errc::timeout,
                             path() + ": the servers have not confirmed the release yet"};
            }
        }
    } catch (const boost::thread_interrupted&) {
        return error{errc::interrupted, path() + ": the release goes on in the background"};
    }
    if (phase_ == phase::lost) return *why_;
    return {};
}

}  // namespace turnstile::detail
