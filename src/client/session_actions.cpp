// SPDX-License-Identifier: Apache-2.0
// How a session_runner carries out what its core decided.
#include <exception>
#include <utility>

#include "base/log.hpp"
#include "base/release_if_empty.hpp"
#include "client/session_runner.hpp"

namespace turnstile::detail {

// Passes what the coordinator delivers on to the runner, as of its epoch.
class session_runner::link final : public core::session_sink {
public:
    link(session_runner& runner, std::uint64_t epoch) : runner_{runner}, epoch_{epoch} {}
    void deliver(core::coordinator_event&& event) noexcept override {
        runner_.deliver(epoch_, std::move(event));
    }

private:
    session_runner& runner_;
    const std::uint64_t epoch_;
};

void session_runner::execute() {
    core_.take(decided_);
    for (auto& one : decided_)
        std::visit([this](auto& what) NO_THREAD_SAFETY_ANALYSIS { execute(what); }, one);
    decided_.clear();
    base::release_if_empty(decided_);
}

// Guards of older epochs keep what they have.
void session_runner::publish_lease() {
    if (std::exchange(lease_epoch_, core_.epoch()) != core_.epoch())
        lease_ = std::make_shared<lease_view>();
    lease_->publish(core_.session_lease());
}

void session_runner::publish() {
    if (core_.idle()) changed_.notify_all();
    const auto next = core_.next_deadline();
    if (!next || *next >= armed_ || closed_) return;
    armed_ = *next;
    services_->timers->arm(*this, *next);
}

void session_runner::execute(core::submit& what) {
    if (current_.handle) current_.handle->submit(std::move(what.what));
}

void session_runner::execute(core::forget_watches& what) {
    if (current_.handle) current_.handle->forget_watches(what.path);
}

void session_runner::execute(core::notice& what) {
    const auto found = holds_.find(what.who);
    if (found == holds_.end()) return;
    auto one = found->second;
    if (std::holds_alternative<core::contended>(what.what)) return contended_.push_back(one);
    if (std::holds_alternative<core::lost>(what.what)) lost_.push_back(one);
    const bool over = std::holds_alternative<core::gone>(what.what);
    if (over) {
        holds_.erase(found);
        base::release_if_empty(holds_);
    }
    if (one->tell(what, lease_) || over) woken_.push_back(std::move(one));
}

void session_runner::execute(core::changed& what) {
    const auto& step = what.step;
    const bool bad = step.to == session_state::lost || step.to == session_state::auth_failed;
    log::write(bad ? log_level::warning : log_level::info, "session {}.{}: {} -> {}: {}",
               step.session, step.epoch, to_string(step.from), to_string(step.to), what.reason);
    if (step.to == session_state::connected) {
        attached_once_ = true;
        refused_.reset();
    }
    services_->on_change(step);
    changed_.notify_all();
}

void session_runner::execute(core::warning& what) {
    log::write(log_level::warning, "session epoch {}: {}", core_.epoch(), what.text);
}

// ---- handles --------------------------------------------------------------------------------

namespace {

// What the callers are told whose time is over before a session is there.
error to_error(const std::exception& failure) {
    const auto* coded = dynamic_cast<const std::system_error*>(&failure);
    const bool unresolvable = coded != nullptr && coded->code() == errc::unresolvable;
    return {unresolvable ? errc::unresolvable : errc::not_connected, failure.what()};
}

}  // namespace

void session_runner::open() {
    std::uint64_t epoch = 0;
    {
        const base::scoped_lock lock{mutex_};
        opens_inline_ = true;
        core_.on(core::start{}, boottime_clock::now());
        execute();
        epoch = core_.epoch();
        opens_inline_ = false;
    }
    open_handle(epoch);
}

void session_runner::execute(core::open_session& what) {
    opening_ = what.epoch;
    if (opens_inline_) return;
    on_worker([this, epoch = what.epoch] {
        try {
            open_handle(epoch);
        } catch (const std::exception& failure) {  // no address, no descriptor, no thread
            log::write(log_level::warning, "cannot open a session: {}", failure.what());
            open_failed(epoch, to_error(failure));
        }
    });
}

// May block while names are resolved: under no lock.
void session_runner::open_handle(std::uint64_t epoch) {
    opened made;
    made.sink = std::make_shared<link>(*this, epoch);
    try {
        made.handle = services_->servers->open(services_->session, *made.sink);
    } catch (...) {
        opening_ended();
        throw;
    }
    {
        const base::scoped_lock lock{mutex_};
        why_not_open_.reset();
        if (!closed_ && core_.epoch() == epoch) std::swap(current_, made);
    }
    opening_ended();
    close_handle(std::move(made),
                 core::close_session::how::orderly);  // if nobody wants it any more
}

void session_runner::opening_ended() {
    {
        const base::scoped_lock lock{mutex_};
        opening_ = 0;
    }
    changed_.notify_all();
}

// The first events may come before open() has returned the handle that their requests need.
void session_runner::await_handle(std::uint64_t epoch) noexcept {
    if (opening_ != epoch) return;
    const boost::this_thread::disable_interruption uninterrupted;
    base::scoped_lock lock{mutex_};
    while (opening_ == epoch) changed_.wait(lock);
}

void session_runner::execute(core::close_session& what) {
    if (!current_.handle) return;
    auto old = std::make_shared<opened>(std::exchange(current_, {}));
    on_worker([old, manner = what.manner] { close_handle(std::move(*old), manner); });
}

void session_runner::close_handle(opened&& what, core::close_session::how manner) noexcept {
    if (!what.handle) return;
    if (manner == core::close_session::how::orderly) {
        what.handle->close();
    } else {
        what.handle->abandon();
    }
    what.handle.reset();
}

void session_runner::on_worker(std::function<void()> task) {
    services_->workers->post([self = shared_from_this(), task = std::move(task)] { task(); });
}

}  // namespace turnstile::detail
