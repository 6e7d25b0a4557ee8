// SPDX-License-Identifier: Apache-2.0
#include "client/shared_contender.hpp"

#include <utility>

#include <fmt/core.h>

#include "client/settings.hpp"
#include "turnstile/timed_lockable.hpp"

namespace turnstile::detail {

std::shared_ptr<shared_contender> shared_contender::of(const std::shared_ptr<client_impl>& servers,
                                                       const std::string& path,
                                                       const core::claim& wants,
                                                       const lock_options& modes) {
    const auto name =
        fmt::format("shared_contender {} {} {}", path, modes.retain_for.count(), modes.cohort);
    return servers->shared<shared_contender>(
        name, [&] { return std::make_shared<shared_contender>(servers, path, wants, modes); });
}

shared_contender::shared_contender(std::shared_ptr<client_impl> servers, std::string path,
                                   const core::claim& wants, const lock_options& modes)
    : servers_{std::move(servers)},
      path_{std::move(path)},
      wants_{wants},
      value_{{path_, modes.retain_for, modes.cohort}} {}

// Nobody holds or waits any more: each of them keeps this alive.
shared_contender::~shared_contender() {
    if (servers_->forked()) return;
    servers_->services().timers->disarm(*this);
    current_.loss.reset();
    if (current_.held) current_.held->unlock();
}

// ---- one step -------------------------------------------------------------------------------

template <class F>
shared_contender::errands shared_contender::step(F&& event) {
    errands left;
    const base::scoped_lock lock{mutex_};
    // One that was lost while its lease goes on, as by a removal by hand, is certain no longer.
    if (const auto& held = current_.held) value_.confirm(held->certain_until());
    event(left, boottime_clock::now());
    record(left);
    arm(value_.next_deadline());
    return left;
}

// What the callers learn is written down in the order in which it was decided.
void shared_contender::record(errands& left) {
    using queue = core::local_queue;
    value_.take(decided_);
    for (const auto& one : decided_) {
        if (const auto* granted = std::get_if<queue::tell_granted>(&one)) {
            auto& to = local_hold::of(granted->who);
            to.on_granted(current_.held, fencing_token{current_.zxid, granted->counter},
                          granted->until.value_or(boottime_clock::time_point::max()));
            left.wake.push_back(to.shared_from_this());
            if (current_.asked)
                left.asked = {to.shared_from_this(), *std::exchange(current_.asked, {})};
        } else if (const auto* refused = std::get_if<queue::tell_refused>(&one)) {
            auto& to = local_hold::of(refused->who);
            to.on_refused(refusal(refused->why));
            left.wake.push_back(to.shared_from_this());
        } else if (const auto* lost = std::get_if<queue::tell_lost>(&one)) {
            auto& to = local_hold::of(lost->who);
            to.on_loss(lost->why);
            left.lost.push_back(to.shared_from_this());
        } else if (const auto* expiring = std::get_if<queue::tell_expiring>(&one)) {
            left.expiring.push_back(local_hold::of(expiring->who).shared_from_this());
        } else if (std::holds_alternative<queue::give_back>(one)) {
            left.given_back.push_back(std::exchange(current_, {}));
        } else if (std::holds_alternative<queue::withdraw>(one)) {
            left.withdraw.push_back(current_.withdrawn);
        } else {
            left.ask = std::get<queue::ask>(one);
            current_ = {.number = left.ask->contender, .withdrawn = std::stop_source{}};
        }
    }
}

// Late, and there was no server that could have granted it.
error shared_contender::refusal(const error& why) const {
    if (why != errc::timeout) return why;
    for (const auto& one : servers_->sessions())
        if (one->state() == session_state::connected) return why;
    return {errc::not_connected, path_ + ": no server answered in time"};
}

// Not later than it is armed already: the next one is looked for when it comes.
void shared_contender::arm(std::optional<boottime_clock::time_point> next) {
    if (!next || *next >= armed_) return;
    armed_ = *next;
    servers_->services().timers->arm(*this, *next);
}

// What is lost is not valid from the record on; its callbacks are the user's, may take long and ask for the lock
// again: nothing waits for them.
void shared_contender::execute(errands&& left) {
    for (const auto& one : left.lost)
        if (!servers_->services().losses->post([one] { one->trigger_lost(); })) one->trigger_lost();
    for (const auto& one : left.wake) one->wake();
    for (const auto& one : left.expiring) {
        servers_->post([one] {
            one->tell_holder([&] { one->options().on_expiring(left_until(one->valid_until())); });
        });
    }
    if (left.asked) {
        servers_->post([one = *std::move(left.asked)] {
            one.whom->tell_holder([&one] {
                if (const auto& told = one.whom->options().on_asked_to_release) told(one.what);
            });
        });
    }
    for (auto& one : left.given_back) {
        one.loss.reset();
        if (one.held) one.held->unlock();
    }
    for (auto& one : left.withdraw) one.request_stop();
    if (left.ask) ask(*left.ask);
}

// Hands over to a thread that may run the user's stop callbacks, and be the last to know of the client.
void shared_contender::on_timer() {
    servers_->services().chores->post([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->on_time();
    });
}

void shared_contender::on_time() {
    execute(step([this](errands&, boottime_clock::time_point now) REQUIRES(mutex_) {
        armed_ = boottime_clock::time_point::max();
        value_.on_time(now);
    }));
}

// ---- the contender --------------------------------------------------------------------------

void shared_contender::ask(const core::local_queue::ask& what) {
    std::stop_token withdrawn;
    {
        const base::scoped_lock lock{mutex_};
        if (current_.number != what.contender) return;  // withdrawn already
        withdrawn = current_.withdrawn.get_token();
    }
    client_impl::wanted wanted{.path = path_, .wants = wants_, .mode = what.mode};
    wanted.answers = session_hold::answers::in_background;
    wanted.on_contended = [weak = weak_from_this(), number = what.contender] {
        if (auto self = weak.lock()) on_contended(std::move(self), number);
    };
    auto started = servers_->acquire(
        wanted, options_of_contender(what.contender, std::move(withdrawn)),
        [self = shared_from_this(), number = what.contender](result<guard> answer) {
            self->on_answer(number, std::move(answer));
        });
    if (!started) on_answer(what.contender, started.error());
}

// No thread is named as the owner: the hold goes from one to the other.
acquire_options shared_contender::options_of_contender(std::uint64_t number,
                                                       std::stop_token withdrawn) {
    acquire_options made;
    made.stop = std::move(withdrawn);
    {
        const base::scoped_lock lock{mutex_};
        if (const auto first = value_.first()) made.label = local_hold::of(*first).options().label;
    }
    const auto weak = weak_from_this();
    made.on_entered = [weak](const std::string& znode) {
        const auto self = weak.lock();
        if (!self) return;
        self->tell_waiting([&znode](local_hold& one, std::size_t) {
            if (one.options().on_entered) one.options().on_entered(znode);
        });
    };
    made.on_queued = [weak](std::size_t ahead) {
        const auto self = weak.lock();
        if (!self) return;
        self->tell_waiting([ahead](local_hold& one, std::size_t place) {
            if (one.options().on_queued) one.options().on_queued(ahead + place);
        });
    };
    made.on_at_risk = [weak](boottime_clock::time_point) {
        const auto self = weak.lock();
        if (!self) return;
        self->tell_holder([](local_hold& one) {
            if (one.options().on_at_risk) one.options().on_at_risk(one.valid_until());
        });
    };
    made.on_asked_to_release = [weak, number](const release_request& request) {
        if (const auto self = weak.lock()) self->on_asked_to_release(number, request);
    };
    return made;
}

// It was granted and lost before this thread came to it: those who wait enter again as they would have.
bool shared_contender::came_too_late(const error& why) const {
    const bool lost = why == errc::session_lost || why == errc::removed;
    return lost && servers_->waiters() == on_session_loss::enter_again;
}

void shared_contender::on_answer(std::uint64_t number, result<guard>&& answer) {
    std::shared_ptr<hold> came;
    if (answer) came = std::move(*answer).take_hold();
    bool stale = false;
    auto left = step([&](errands&, boottime_clock::time_point now) REQUIRES(mutex_) {
        stale = current_.number != number;
        if (stale) return;
        if (!came && came_too_late(answer.error()))
            return value_.on_granted(number, core::time_point::min(), now);
        if (!came) return value_.on_refused(number, answer.error());
        current_.held = came;
        current_.zxid = came->token().zxid();
        value_.on_granted(number, came->certain_until(), now);
    });
    execute(std::move(left));
    if (!came) return;
    if (stale) return came->unlock();
    // May call back at once, in this thread: under no lock.
    auto loss =
        std::make_shared<stop_callback>(came->lost_token(), [weak = weak_from_this(), number] {
            if (const auto self = weak.lock()) self->on_contender_lost(number);
        });
    const base::scoped_lock lock{mutex_};
    if (current_.number == number && current_.held) current_.loss.swap(loss);
}

void shared_contender::on_contender_lost(std::uint64_t number) {
    execute(step([&](errands& left, boottime_clock::time_point) REQUIRES(mutex_) {
        if (current_.number != number || !current_.held) return;
        const auto status = current_.held->status();
        const auto why = status ? error{errc::session_lost, path_} : status.error();
        left.given_back.push_back(std::exchange(current_, {}));
        value_.on_lost(number, why);
    }));
}

// In the thread of a session, which others wait for: the hold is given up here, and where anything may end or wait
// that is done elsewhere, the end of the loss's callback and of the last one that knows the client among it.
void shared_contender::on_contended(std::shared_ptr<shared_contender>&& self,
                                    std::uint64_t number) {
    auto left = self->step([&self, number](errands&, boottime_clock::time_point)
                               REQUIRES(self->mutex_) { self->value_.on_contended(number); });
    for (const auto& one : left.given_back)
        if (one.held) one.held->unlock();
    const auto chores = self->servers_->services().chores;
    chores->post([self = std::move(self), left = std::move(left)]() mutable {
        self->execute(std::move(left));
    });
}

// May come before the grant is known here: the first holder is told then.
void shared_contender::on_asked_to_release(std::uint64_t number, const release_request& request) {
    execute(step([&](errands& left, boottime_clock::time_point) REQUIRES(mutex_) {
        value_.on_asked_to_release(number);
        if (current_.number != number) return;
        if (const auto who = value_.holder())
            left.asked = {local_hold::of(*who).shared_from_this(), request};
        else
            current_.asked = request;
    }));
}

void shared_contender::tell_holder(const std::function<void(local_hold&)>& call) {
    std::shared_ptr<local_hold> one;
    {
        const base::scoped_lock lock{mutex_};
        if (const auto who = value_.holder()) one = local_hold::of(*who).shared_from_this();
    }
    if (one) one->tell_holder([&] { call(*one); });
}

void shared_contender::tell_waiting(
    const std::function<void(local_hold&, std::size_t ahead)>& call) {
    std::vector<std::shared_ptr<local_hold>> all;
    {
        const base::scoped_lock lock{mutex_};
        for (const auto who : value_.line()) all.push_back(local_hold::of(who).shared_from_this());
    }
    for (std::size_t place = 0; place != all.size(); ++place)
        all[place]->tell_waiter([&] { call(*all[place], place); });
}

// ---- for the callers ------------------------------------------------------------------------

result<void> shared_contender::check(const acquire_options& options) const {
    if (servers_->forked()) return servers_->forked_error();
    if (auto good = check_call(options); !good) return good;
    if (options.lock_delay == options.lock_delay.zero()) return {};
    return error{errc::bad_option,
                 fmt::format("{}: lock_delay {} ns: a lock that is retained or handed over inside "
                             "the process has none",
                             path_, options.lock_delay.count())};
}

void shared_contender::start(const std::shared_ptr<local_hold>& one, core::attempt mode) {
    const auto& options = one->options();
    auto deadline = options.timeout.deadline();
    if (!deadline && mode == core::attempt::once)
        deadline = boottime_clock::now() + servers_->session_timeout();
    const core::local_queue::caller who{
        one->id(), mode, deadline, options.max_hold,
        options.on_expiring ? options.warn_before : core::duration{}};
    std::optional<std::size_t> ahead;  // of this process
    execute(step([&](errands&, boottime_clock::time_point now) REQUIRES(mutex_) {
        value_.arrive(who, now);
        ahead = value_.place_of(who.who);
    }));
    if (ahead.value_or(0) > 0 && options.on_queued)
        servers_->post(
            [one, ahead] { one->tell_waiter([&] { one->options().on_queued(*ahead); }); });
    one->listen();
}

result<guard> shared_contender::acquire(acquire_options&& options, core::attempt mode) {
    if (const auto good = check(options); !good) return good.error();
    const auto one = std::make_shared<local_hold>(shared_from_this(), std::move(options), nullptr);
    start(one, mode);
    return one->wait();
}

void shared_contender::async_acquire(acquire_options&& options, local_hold::handler done) {
    if (const auto good = check(options); !good)
        return servers_->post([done = std::move(done), why = good.error()] { done(why); });
    const auto one =
        std::make_shared<local_hold>(shared_from_this(), std::move(options), std::move(done));
    one->keep();
    start(one, core::attempt::wait);
}

void shared_contender::give_up(core::local_id who, const error& why) {
    execute(step([&](errands&, boottime_clock::time_point)
                     REQUIRES(mutex_) { value_.give_up(who, why); }));
}

std::shared_ptr<hold> shared_contender::release(core::local_id who, core::local_queue::next then) {
    auto left = step([&](errands&, boottime_clock::time_point now)
                         REQUIRES(mutex_) { value_.release(who, now, then); });
    std::shared_ptr<hold> given_back;
    if (!left.given_back.empty()) given_back = left.given_back.front().held;
    execute(std::move(left));
    return given_back;
}

}  // namespace turnstile::detail
