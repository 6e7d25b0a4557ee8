// SPDX-License-Identifier: Apache-2.0
#include "client/shared_contender.hpp"

#include <utility>

#include <fmt/core.h>

#include "base/check.hpp"
#include "base/inner_error.hpp"
#include "base/out_of_memory.hpp"
#include "base/overloaded.hpp"
#include "client/internals.hpp"
#include "client/metrics_impl.hpp"
#include "client/option_table.hpp"
#include "turnstile/lockable.hpp"

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

// No caller holds or waits here any more, because each caller owns a reference to this object.
shared_contender::~shared_contender() {
    if (servers_->forked()) return;
    servers_->services().timers->disarm(*this);
    current_.loss.reset();
    if (current_.held) current_.held->unlock();
}

// ---- a step: one event of the shared contender ------------------------------------------------

template <class F>
shared_contender::deferred_effects shared_contender::step(F&& event) {
    deferred_effects effects;
    const base::lock_guard lock{mutex_};
    base::finish_or_end("a step of a shared contender", [&]() REQUIRES(mutex_) {
        // certain_until() also shows a loss that came before the end of the lease, for example because an operator
        // deleted the znode.
        if (const auto& held = current_.held) value_.confirm(held->certain_until());
        event(effects, boottime_clock::now());
        record(effects);
        arm(value_.newest_deadline());
    });
    return effects;
}

std::shared_ptr<local_hold> shared_contender::holder() const {
    const auto id = value_.holder();
    return id ? callers_.find(*id) : nullptr;
}

// Records the effects for callers in the order in which local_queue decided them.
void shared_contender::record(deferred_effects& effects) {
    namespace sharing = core::sharing;
    const base::overloaded note{
        [&](const sharing::ask& question) REQUIRES(mutex_) {
            effects.ask = question;
            current_ = {.number = question.contender, .withdrawn = std::stop_source{}};
        },
        [&](const sharing::withdraw&)
            REQUIRES(mutex_) { effects.withdraw.push_back(current_.withdrawn); },
        [&](const sharing::give_back&)
            REQUIRES(mutex_) { effects.given_back.push_back(std::exchange(current_, {})); },
        [&](const sharing::tell_granted& grant) REQUIRES(mutex_) {
            const auto hold = callers_.find(grant.id);
            TURNSTILE_CHECK(hold);
            hold->on_granted(current_.held, fencing_token{current_.zxid, grant.counter},
                             grant.until.value_or(boottime_clock::time_point::max()));
            effects.answered.push_back(hold);
            if (current_.request) effects.asked = {hold, *std::exchange(current_.request, {})};
        },
        [&](const sharing::tell_refused& refused) REQUIRES(mutex_) {
            auto hold = callers_.take(refused.id);
            TURNSTILE_CHECK(hold);
            hold->on_refused(refusal(refused.why));
            effects.answered.push_back(std::move(hold));
        },
        [&](const sharing::tell_lost& lost) REQUIRES(mutex_) {
            auto hold = callers_.take(lost.id);
            TURNSTILE_CHECK(hold);
            auto callbacks = hold->on_loss(lost.why);
            effects.lost.push_back({std::move(hold), std::move(callbacks)});
        },
        [&](const sharing::tell_expiring& expiring)
            REQUIRES(mutex_) { effects.expiring.push_back(callers_.find(expiring.id)); }};
    value_.take(decided_);
    for (const auto& action : decided_) std::visit(note, action);
}

// If no session was connected when the timeout passed, returns an error that names the outage.
error shared_contender::refusal(const error& why) const {
    if (why != errc::timeout) return why;
    for (const auto& session : servers_->sessions().all())
        if (session->state() == session_state::connected) return why;
    return servers_->away_error({errc::not_connected, path_ + ", at " + servers_->describe()});
}

// Sets the timer only to an earlier time than before. When the timer fires, on_time() finds the next deadline.
void shared_contender::arm(std::optional<boottime_clock::time_point> next) {
    if (!next || *next >= armed_) return;
    armed_ = *next;
    servers_->services().timers->arm(*this, *next);
}

// Executes the effects of a step. Nothing waits for the callbacks of a loss, because the lost hold is invalid already.
// These callbacks are user code, which may take long, and may acquire the lock again.
void shared_contender::execute(deferred_effects&& effects) {
    base::finish_or_end("the effects of a step of a shared contender", [&] {
        for (auto& loss : effects.lost) {
            for (auto& callback : loss.callbacks) servers_->post(std::move(callback));
            const auto trigger = [hold = loss.hold] { hold->trigger_lost(); };
            if (!servers_->services().loss_callbacks->post(trigger)) trigger();
        }
        for (const auto& hold : effects.answered) hold->announce();
        for (const auto& hold : effects.expiring) {
            servers_->post([hold] {
                hold->tell(call::audience::holder,
                           [&] { hold->options().on_expiring(left_until(hold->valid_until())); });
            });
        }
        if (effects.asked) {
            servers_->post([asked = *std::move(effects.asked)] {
                asked.holder->tell(call::audience::holder, [&asked] {
                    const auto& callback = asked.holder->options().on_asked_to_release;
                    if (callback) callback(asked.request);
                });
            });
        }
        for (auto& returned : effects.given_back) {
            returned.loss.reset();
            if (returned.held) returned.held->unlock();
        }
        for (auto& wait : effects.withdraw) wait.request_stop();
        if (effects.ask) ask(*effects.ask);
    });
}

// Uses a worker: on_time() may run the user's stop callbacks, and may destroy the last reference to the client.
void shared_contender::on_timer() {
    servers_->services().workers->post([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->on_time();
    });
}

void shared_contender::on_time() {
    execute(step([this](deferred_effects&, boottime_clock::time_point now) REQUIRES(mutex_) {
        armed_ = boottime_clock::time_point::max();
        value_.on_time(now);
        arm(value_.next_deadline());
    }));
}

// ---- the contender --------------------------------------------------------------------------

void shared_contender::ask(const core::sharing::ask& question) {
    std::stop_token withdrawn;
    {
        const base::lock_guard lock{mutex_};
        if (current_.number != question.contender) return;  // the contender was withdrawn
        withdrawn = current_.withdrawn.get_token();
    }
    const auto number = question.contender;
    auto call = servers_->request(base::shared_text{path_}, wants_, question.mode,
                                  options_of_contender(number, std::move(withdrawn)),
                                  [self = shared_from_this(), number](result<guard> answer) {
                                      base::finish_or_end("the answer of a shared contender", [&] {
                                          self->on_answer(number, std::move(answer));
                                      });
                                  });
    if (call) {
        call->where = acquire_request::answers::on_workers;
        call->tell_contended([weak = weak_from_this(), number] {
            if (auto self = weak.lock()) on_contended(std::move(self), number);
        });
    }
    const auto started = servers_->acquire(std::move(call));
    if (!started) on_answer(question.contender, started.error());
}

acquire_options shared_contender::options_of_contender(std::uint64_t number,
                                                       std::stop_token withdrawn) {
    std::shared_ptr<local_hold> first;
    {
        const base::lock_guard lock{mutex_};
        if (const auto id = value_.first()) first = callers_.find(*id);
    }
    auto part = options_of_part(first ? first->options() : acquire_options{}, composite::shared);
    part.stop = std::move(withdrawn);
    const auto weak = weak_from_this();
    part.on_entered = [weak](const std::string& znode) {
        if (const auto self = weak.lock())
            self->tell_waiting([&znode](local_hold& hold, std::size_t) {
                if (hold.options().on_entered) hold.options().on_entered(znode);
            });
    };
    part.on_queued = [weak](std::size_t ahead) {
        if (const auto self = weak.lock())
            self->tell_waiting([ahead](local_hold& hold, std::size_t place) {
                hold.note_ahead(ahead + place);
                if (hold.options().on_queued) hold.options().on_queued(ahead + place);
            });
    };
    part.on_at_risk = [weak](boottime_clock::time_point) {
        if (const auto self = weak.lock())
            self->tell_holder([](local_hold& hold) {
                if (hold.options().on_at_risk) hold.options().on_at_risk(hold.valid_until());
            });
    };
    part.on_asked_to_release = [weak, number](const release_request& request) {
        if (const auto self = weak.lock()) self->on_asked_to_release(number, request);
    };
    return part;
}

// True if the contender was lost before this thread handled its grant, and this client's options let a waiter queue
// again after a loss.
bool shared_contender::came_too_late(const error& why) const {
    return base::is_contender_gone(why) &&
           servers_->options().waiters == session_loss_policy::enter_again;
}

void shared_contender::on_answer(std::uint64_t number, result<guard>&& answer) {
    auto granted = answer ? internals::take_hold(std::move(*answer)) : nullptr;
    bool stale = false;
    auto effects = step([&](deferred_effects&, boottime_clock::time_point now) REQUIRES(mutex_) {
        stale = current_.number != number;
        if (stale) return;
        if (!granted && came_too_late(answer.error()))
            return value_.on_granted(number, core::time_point::min(), now);
        if (!granted) return value_.on_refused(number, answer.error());
        current_.held = granted;
        current_.zxid = granted->token().zxid();
        value_.on_granted(number, granted->certain_until(), now);
    });
    execute(std::move(effects));
    if (!granted) return;
    if (stale) return granted->unlock();
    // Must run under no lock: if the hold is lost already, the constructor calls the stop callback at once, in this
    // thread.
    auto loss =
        std::make_shared<stop_callback>(granted->lost_token(), [weak = weak_from_this(), number] {
            if (const auto self = weak.lock()) self->on_contender_lost(number);
        });
    const base::lock_guard lock{mutex_};
    if (current_.number == number && current_.held) current_.loss.swap(loss);
}

void shared_contender::on_contender_lost(std::uint64_t number) {
    execute(step([&](deferred_effects& effects, boottime_clock::time_point) REQUIRES(mutex_) {
        if (current_.number != number || !current_.held) return;
        const auto status = current_.held->status();
        const auto why = status ? error{errc::session_lost, path_} : status.error();
        effects.given_back.push_back(std::exchange(current_, {}));
        value_.on_lost(number, why);
    }));
}

// Runs in a session's thread, and must not delay it. So this function only releases the contender's hold. A worker
// executes the other effects: they destroy the stop callback for the loss, and perhaps the last reference to the
// client.
void shared_contender::on_contended(std::shared_ptr<shared_contender>&& self,
                                    std::uint64_t number) {
    // The compiler's thread-safety analysis does not see that step() holds the mutex of `self`.
    auto effects = self->step([&](deferred_effects&, boottime_clock::time_point)
                                  NO_THREAD_SAFETY_ANALYSIS { self->value_.on_contended(number); });
    for (const auto& returned : effects.given_back)
        if (returned.held) returned.held->unlock();
    const auto workers = self->servers_->services().workers;
    workers->post([self = std::move(self), effects = std::move(effects)]() mutable {
        self->execute(std::move(effects));
    });
}

// An operator's request to release may arrive before this object knows of the grant. Then the request is stored for the
// first holder.
void shared_contender::on_asked_to_release(std::uint64_t number, const release_request& request) {
    execute(step([&](deferred_effects& effects, boottime_clock::time_point) REQUIRES(mutex_) {
        value_.on_asked_to_release(number);
        if (current_.number != number) return;
        if (auto hold = holder())
            effects.asked = {std::move(hold), request};
        else
            current_.request = request;
    }));
}

void shared_contender::tell_holder(const std::function<void(local_hold&)>& callback) {
    const auto hold = [this] {
        const base::lock_guard lock{mutex_};
        return holder();
    }();
    if (hold) hold->tell(call::audience::holder, [&] { callback(*hold); });
}

void shared_contender::tell_waiting(
    const std::function<void(local_hold&, std::size_t ahead)>& callback) {
    const auto waiting = base::finish_or_end("the positions of waiters", [this] {
        std::vector<std::shared_ptr<local_hold>> all;
        const base::lock_guard lock{mutex_};
        for (const auto id : value_.line()) all.push_back(callers_.find(id));
        return all;
    });
    for (std::size_t place = 0; place != waiting.size(); ++place)
        waiting[place]->tell(call::audience::waiter, [&] { callback(*waiting[place], place); });
}

// ---- functions for the callers --------------------------------------------------------------

// Makes the request for one caller. Does not make the calling thread the owner of the hold
// (acquire_request::name_owner), because the callers of this process hand the contender over to each other.
result<acquire_request> shared_contender::request(acquire_options&& options, core::attempt mode,
                                                  acquire_request::handler&& done) const {
    if (servers_->forked()) return servers_->forked_error();
    if (options.stop.stop_requested()) return error{errc::cancelled, path_};
    if (const auto good = check_refused(options, composite::shared, path_); !good)
        return good.error();
    return make_request(std::move(options), mode, limit_of_attempt(*servers_), std::move(done));
}

std::shared_ptr<local_hold> shared_contender::start(acquire_request&& request) {
    const auto& message = request.message;
    const core::sharing::caller arrival{next_id(), message.settings.mode, message.deadline,
                                        message.max_hold, message.warn_before};
    const bool tells_place = request.options.on_queued != nullptr;
    auto hold = std::make_shared<local_hold>(shared_from_this(), arrival.id, std::move(request));
    hold->observe(record_of(servers_->services().metrics, path_));
    std::optional<std::size_t> ahead;  // number of callers of this process ahead
    execute(step([&](deferred_effects&, boottime_clock::time_point now) REQUIRES(mutex_) {
        callers_.add(hold);
        value_.arrive(arrival, now);
        if (tells_place) ahead = value_.place_of(arrival.id);
    }));
    base::finish_or_end("the start of a call", [&] {
        if (ahead.value_or(0) > 0)
            servers_->post([hold, ahead] {
                hold->tell(call::audience::waiter, [&] { hold->options().on_queued(*ahead); });
            });
        hold->listen(request.stop);
    });
    return hold;
}

result<guard> shared_contender::acquire(acquire_options&& options, core::attempt mode) {
    auto call = request(std::move(options), mode);
    if (!call) return call.error();
    return start(std::move(*call))->wait();
}

void shared_contender::async_acquire(acquire_options&& options, acquire_request::handler done) {
    auto call = request(std::move(options), core::attempt::wait, acquire_request::handler{done});
    if (!call) return servers_->post([done = std::move(done), why = call.error()] { done(why); });
    start(std::move(*call));
}

void shared_contender::give_up(core::local_id caller, const error& why) {
    execute(step([&](deferred_effects&, boottime_clock::time_point)
                     REQUIRES(mutex_) { value_.give_up(caller, why); }));
}

std::shared_ptr<hold> shared_contender::leave(core::local_id caller, const error& why,
                                              core::local_queue::next then) {
    auto effects =
        step([&](deferred_effects& left, boottime_clock::time_point now) REQUIRES(mutex_) {
            if (value_.holder() != caller) return value_.give_up(caller, why);
            value_.release(caller, now, then);
            left.gone.push_back(callers_.take(caller));
        });
    std::shared_ptr<hold> given_back;
    if (!effects.given_back.empty()) given_back = effects.given_back.front().held;
    execute(std::move(effects));
    return given_back;
}

}  // namespace turnstile::detail
