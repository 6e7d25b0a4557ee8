#include "client/hold.hpp"

#include <algorithm>
#include <utility>

#include "base/process.hpp"
#include "client/session_runner.hpp"

namespace turnstile::detail {

hold::hold(std::shared_ptr<session_runner> session, core::acquisition_id id, std::string path,
           acquire_options options, handler done)
    : session_{std::move(session)},
      id_{id},
      path_{std::move(path)},
      generation_{base::process_generation()},
      options_{std::move(options)},
      done_{std::move(done)} {}

// ---- for the session ------------------------------------------------------------------------

void hold::tell(const core::notice& what, const std::shared_ptr<lease_view>& lease) {
    auto& callbacks = *session_->services().callbacks;
    const base::scoped_lock lock{mutex_};
    if (const auto* place = std::get_if<core::queued>(&what.what)) {
        if (options_.on_queued)
            callbacks.post([call = options_.on_queued, ahead = place->ahead] { call(ahead); });
    } else if (const auto* grant = std::get_if<core::granted>(&what.what)) {
        on_granted(*grant, lease);
    } else if (const auto* failure = std::get_if<core::failed>(&what.what)) {
        on_failed(*failure);
    } else if (const auto* loss = std::get_if<core::lost>(&what.what)) {
        on_loss(loss->why);
    } else if (std::holds_alternative<core::at_risk>(what.what)) {
        if (options_.on_at_risk)
            callbacks.post([call = options_.on_at_risk, until = valid_until()] { call(until); });
    } else if (std::holds_alternative<core::expiring>(what.what)) {
        if (options_.on_expiring) {
            callbacks.post([call = options_.on_expiring, until = valid_until()] {
                call(std::max(until - boottime_clock::now(), boottime_clock::duration{}));
            });
        }
    } else {
        gone_ = true;
    }
    changed_.notify_all();
}

void hold::on_granted(const core::granted& what, const std::shared_ptr<lease_view>& lease) {
    token_ = what.token;
    znode_ = what.znode;
    lease_ = lease;
    phase_ = phase::held;
    if (done_) finish_async();
}

void hold::on_failed(const core::failed& what) {
    phase_ = phase::refused;
    why_ = what.why;
    over_ = true;
    if (done_) finish_async();
}

void hold::on_loss(const error& why) {
    phase_ = phase::lost;
    why_ = why;
    over_ = true;
    if (options_.on_lost) post_lost(options_.on_lost, why);
    for (auto& callback : std::exchange(lost_callbacks_, {})) post_lost(std::move(callback), why);
}

// The handler runs later and elsewhere; so does the end of the stop callback, which may have to wait
// for a call that is under way.
void hold::finish_async() {
    session_->services().callbacks->post([self = shared_from_this(),
                                          done = std::exchange(done_, nullptr),
                                          stop = std::exchange(stop_, nullptr)]() mutable {
        stop.reset();
        base::scoped_lock lock{self->mutex_};
        auto answer = self->outcome();
        lock.unlock();
        if (!answer) self->unlock();
        done(std::move(answer));
    });
}

void hold::post_lost(std::function<void(const error&)> callback, const error& why) {
    session_->services().callbacks->post([call = std::move(callback), why] { call(why); });
}

// ---- for the caller -------------------------------------------------------------------------

void hold::listen() {
    if (!options_.stop.stop_possible()) return;
    // May call back at once, in this thread: under no lock.
    auto stop = std::make_shared<std::stop_callback<std::function<void()>>>(
        options_.stop, [weak = weak_from_this()] {
            if (const auto self = weak.lock())
                self->cancel({errc::cancelled, self->path_ + ": the stop token was triggered"});
        });
    const base::scoped_lock lock{mutex_};
    if (phase_ == phase::waiting) stop_ = std::move(stop);
    // Else the answer is there already, and the callback has nothing left to do.
}

result<guard> hold::wait() {
    std::shared_ptr<void> stop;  // ends after the lock
    base::scoped_lock lock{mutex_};
    try {
        while (phase_ == phase::waiting) changed_.wait(lock);
        stop = std::exchange(stop_, nullptr);
        auto answer = outcome();
        lock.unlock();
        if (!answer) unlock();
        return answer;
    } catch (const boost::thread_interrupted&) {
        stop = std::exchange(stop_, nullptr);
    }
    lock.unlock();
    const error why{errc::interrupted, path_ + ": the waiting thread was interrupted"};
    over_ = true;
    session_->leave(id_, why);  // also if it was granted just now
    return why;
}

// Success is told only for a hold that is valid now (F28): the caller may have been woken late.
result<guard> hold::outcome() {
    if (why_) return *why_;
    if (valid()) return guard{shared_from_this()};
    return error{errc::session_lost,
                 path_ + ": granted, and the lease ended before the caller woke"};
}

void hold::cancel(const error& why) noexcept {
    session_->cancel(id_, why);
}

// ---- for the guard --------------------------------------------------------------------------

bool hold::valid() const noexcept {
    return !over_ && base::process_generation() == generation_ &&
           boottime_clock::now() < valid_until();
}

boottime_clock::time_point hold::valid_until() const noexcept {
    return lease_ ? lease_->valid_until() : boottime_clock::time_point::min();
}

lease_evidence hold::evidence() const noexcept {
    return lease_ ? lease_->evidence() : lease_evidence::relayed;
}

void hold::on_lost(std::function<void(const error&)> callback) {
    {
        const base::scoped_lock lock{mutex_};
        if (phase_ != phase::lost) {
            lost_callbacks_.push_back(std::move(callback));
            return;
        }
        post_lost(std::move(callback), *why_);
    }
    session_->services().callbacks->pump();
}

void hold::unlock() noexcept {
    if (base::process_generation() != generation_) return;  // the parent's, not ours
    {
        const base::scoped_lock lock{mutex_};
        if (std::exchange(released_, true)) return;
        lost_callbacks_.clear();
    }
    over_ = true;
    session_->leave(id_, error{errc::cancelled});
}

result<void> hold::release(std::optional<boottime_clock::time_point> deadline) {
    if (base::process_generation() != generation_)
        return error{errc::forked, path_ + " is held by the parent of this process"};
    unlock();
    base::scoped_lock lock{mutex_};
    try {
        while (!gone_ && phase_ != phase::lost) {
            if (!deadline) {
                changed_.wait(lock);
            } else if (!changed_.wait_until(lock, *deadline)) {
                return error{errc::timeout,
                             path_ + ": the servers have not confirmed the release yet"};
            }
        }
    } catch (const boost::thread_interrupted&) {
        return error{errc::interrupted, path_ + ": the release goes on in the background"};
    }
    if (phase_ == phase::lost) return *why_;
    return {};
}

}  // namespace turnstile::detail
