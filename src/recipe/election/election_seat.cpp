// SPDX-License-Identifier: Apache-2.0
#include "recipe/election/election_seat.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "base/span_check.hpp"
#include "recipe/election/named_successor.hpp"
#include "recipe/operator/participants.hpp"
#include "turnstile/owner.hpp"

namespace turnstile::detail {

namespace {

core::claim claim_of(election_protocol protocol) {
    if (protocol == election_protocol::latch) return core::claim{core::claim_kind::latch};
    return core::claim{};
}

boottime_clock::duration checked_pause(boottime_clock::duration pause) {
    if (const auto good = base::check_span("leader: pause", pause); !good)
        throw_error(good.error());
    return pause;
}

}  // namespace

election_seat::election_seat(const turnstile::client& servers, std::string_view path,
                             function&& duty, leader_options&& options)
    : wants_{claim_of(options.protocol)},
      queue_{servers, path, core::family(wants_.kind)},
      id_{checked_id(options.id)},
      text_{participant_text(id_, options.data)},
      duty_{std::move(duty)},
      options_{std::move(options)},
      now_{options_.once, checked_pause(options_.pause), static_cast<bool>(duty_)} {}

election_seat::~election_seat() {
    if (queue_.servers()->forked()) return;
    queue_.servers()->services().timers->disarm(*this);
}

// ---- events and their effects -----------------------------------------------------------------

// now_.start() starts the thread, and begins the first turn (the first stay in the queue), under one lock. Otherwise a
// close() in between could end the thread that calls the user's function in this turn.
void election_seat::start() {
    seat_effects to_do;
    {
        const base::lock_guard lock{mutex_};
        to_do = now_.start(options_.run);
    }
    base::finish_or_end("the start of an election", [&] { run(std::move(to_do)); });
}

void election_seat::close() noexcept {
    base::finish_or_end("the end of an election", [this] { end(); });
}

void election_seat::end() {
    auto ending = [&] {
        const base::lock_guard lock{mutex_};
        return now_.close(owner::calling_thread());
    }();
    run(std::move(ending.effects));
    await_end(ending.term);
    if (ending.thread) ending.thread->finish();
}

void election_seat::step(const course::input& event) {
    base::finish_or_end("a step of an election", [&] {
        seat_effects to_do;
        {
            const base::lock_guard lock{mutex_};
            to_do = now_.on(event);
        }
        run(std::move(to_do));
    });
}

void election_seat::run(seat_effects&& effects) {
    changed_.notify_all();
    for (auto& source : effects.to_trigger) source.request_stop();
    if (effects.has_news)
        queue_.servers()->post([self = shared_from_this()] { self->tell_listeners(); });
    effects.to_release.clear();
    if (effects.returns) return_from(*effects.returns);
    if (effects.enters) ask(*effects.enters, std::move(effects.leaves));
    if (effects.calls) hand_over(*effects.calls, effects.by);
    if (effects.pauses) wait_out(*effects.pauses, effects.until);
}

// Reports a change to the listeners. Each posted task takes the oldest change, so the listeners learn of the changes in
// order.
void election_seat::tell_listeners() {
    bool leads = false;
    {
        const base::lock_guard lock{mutex_};
        leads = now_.take_news();
    }
    listeners_.tell(leads);
}

// ---- the queue ------------------------------------------------------------------------------

// Makes the contender for a turn, which is one stay in the queue. If close() was called meanwhile, the token `leaves`
// has a stop request. Then the contender does not enter the queue, or leaves it again.
void election_seat::ask(course::turn turn, std::stop_token leaves) {
    acquire_options options;
    options.stop = std::move(leaves);
    auto call = queue_.request(wants_, core::attempt::wait, std::move(options),
                               [self = shared_from_this(), turn](result<guard> outcome) {
                                   base::finish_or_end("the acquire of a participant", [&] {
                                       self->on_outcome(turn, std::move(outcome));
                                   });
                               });
    if (call) {
        call->set_data(text_);
        call->where = acquire_request::answers::on_workers;
    }
    const auto started = queue_.servers()->acquire(std::move(call));
    if (!started) on_outcome(turn, started.error());
}

void election_seat::on_outcome(course::turn turn, result<guard>&& outcome) {
    if (!outcome) return step(course::turn_refused{turn, outcome.error()});
    const auto granted = std::make_shared<leadership>();
    granted->hold = std::move(*outcome);
    auto to_do = [&] {
        const base::lock_guard lock{mutex_};
        return now_.grant(turn, granted);
    }();
    if (!to_do) return;  // the hold of an earlier turn is released here
    // The callback may run at once, in this thread, so this function owns no mutex here.
    granted->loss.emplace(granted->hold.lost(), [weak = weak_from_this(), turn] {
        if (const auto self = weak.lock()) self->step(course::turn_lost{turn});
    });
    run(std::move(*to_do));
}

// ---- one term as the leader -----------------------------------------------------------------

void election_seat::hand_over(course::turn turn, const std::optional<duty_thread>& thread) {
    if (!thread) return run_term(turn);  // no function: this worker may block
    // The task does not own this election_seat, because an executor may keep the task for ever.
    const std::function<void()> task = [weak = weak_from_this(), turn] {
        if (const auto self = weak.lock())
            base::finish_or_end("a term of an election", [&] { self->run_term(turn); });
    };
    try {
        thread->run(task);
    } catch (...) {
        step(course::not_run{turn});
        tell(std::current_exception());
    }
}

void election_seat::run_term(course::turn turn) {
    std::stop_source stop;
    std::shared_ptr<guard> lead;
    {
        const base::lock_guard lock{mutex_};
        lead = now_.begin_term(turn, owner::calling_thread(), stop);
    }
    if (!lead) return;
    {
        const std::stop_callback on_loss{lead->lost(), [&stop] { stop.request_stop(); }};
        if (decide(turn, lead)) {
            if (!duty_) return;  // no function: the term lasts until its stop
            call(*lead, stop.get_token());
        }
    }
    lead.reset();
    return_from(turn);
}

bool election_seat::decide(course::turn turn, const std::shared_ptr<guard>& lead) {
    const bool may_lead = decide_succession(queue_, id_, *lead);
    seat_effects to_do;
    bool leads = false;
    {
        const base::lock_guard lock{mutex_};
        to_do = now_.decide(turn, may_lead, lead);
        leads = now_.leads_in(turn);
    }
    run(std::move(to_do));
    return leads;
}

void election_seat::call(guard& lead, const std::stop_token& stop) {
    bool threw = false;
    try {
        leader_term term{lead, stop};
        duty_(term);
    } catch (...) {  // also boost::thread_interrupted
        threw = true;
        tell(std::current_exception());
    }
    std::shared_ptr<guard> over;
    const base::lock_guard lock{mutex_};
    over = now_.end_call(threw);
}

void election_seat::return_from(course::turn turn) {
    step(course::returned{turn});
    const base::lock_guard lock{mutex_};
    now_.end_term(turn);
    changed_.notify_all();
}

void election_seat::await_end(std::optional<course::turn> term) noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    base::unique_lock lock{mutex_};
    while (term && now_.term().is_running(*term)) changed_.wait(lock);
}

void election_seat::tell(const std::exception_ptr& thrown) const noexcept {
    try {
        if (options_.on_exception) return options_.on_exception(thrown);
        std::rethrow_exception(thrown);
    } catch (const std::exception& failure) {
        log::write(log_level::error, "the leader function of the election {} threw: {}",
                   queue_.path(), failure.what());
    } catch (...) {
        log::write(
            log_level::error,
            "the leader function of the election {} threw something that is no std::exception",
            queue_.path());
    }
}

result<void> election_seat::move_to(std::string_view successor, boottime_clock::duration within,
                                    const query_options& options) {
    if (auto good = base::check_span("within", within); !good) return good;
    const auto held = lead();
    if (!held || !held->valid())
        return error{errc::not_held, queue_.path() + ": " + id_ + " does not lead"};
    if (successor == id_) return {};
    if (auto named = name_successor(queue_, *held, successor, within, options); !named)
        return named;
    resign();
    return {};
}

// ---- the pause after a term as the leader ---------------------------------------------------

void election_seat::wait_out(course::turn turn, boottime_clock::time_point until) {
    auto& servers = *queue_.servers();
    if (until > boottime_clock::now()) servers.services().timers->arm(*this, until);
    // Ends the pause now if its end has come, or if the client is closing: a client that is closing may never call the
    // timer.
    if (until <= boottime_clock::now() || !servers.open()) step(course::rested{turn});
}

// Ends the pause on a worker of the client, because the timer's thread must not block.
void election_seat::on_timer() {
    base::finish_or_end("the end of a pause", [this] {
        queue_.servers()->services().workers->post([weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->end_pause();
        });
    });
}

// Ends the pause if its end has come. Otherwise arms the timer again, because the timer has called on_timer() too
// early.
void election_seat::end_pause() {
    std::optional<course::turn> turn;
    boottime_clock::time_point until;
    {
        const base::lock_guard lock{mutex_};
        turn = now_.pausing();
        until = now_.pause_end();
    }
    if (turn) wait_out(*turn, until);
}

// ---- queries about the state ----------------------------------------------------------------

std::shared_ptr<guard> election_seat::lead() const {
    const base::lock_guard lock{mutex_};
    return now_.term().lead();
}

std::optional<std::stop_token> election_seat::while_leading() const {
    const base::lock_guard lock{mutex_};
    if (!now_.leads()) return std::nullopt;
    return now_.term().stop().get_token();
}

std::size_t election_seat::terms() const {
    const base::lock_guard lock{mutex_};
    return now_.term().calls();
}

std::optional<error> election_seat::failure() const {
    const base::lock_guard lock{mutex_};
    return now_.failure();
}

result<void> election_seat::why_not() const {
    if (!now_.rests()) return {};
    if (const auto why = now_.failure()) return *why;
    if (now_.has_entered())
        return error{errc::closed,
                     queue_.path() + ": " + id_ + " no longer takes part in the election"};
    return error{errc::not_held, queue_.path() + ": " + id_ +
                                     " does not take part in the election yet: call start() first"};
}

result<void> election_seat::await(const query_options& options) {
    const auto deadline = options.timeout.deadline();
    const std::stop_callback on_stop{options.stop, [this] {
                                         const base::lock_guard lock{mutex_};
                                         changed_.notify_all();
                                     }};
    base::unique_lock lock{mutex_};
    try {
        for (;;) {
            const auto& lead = now_.term().lead();
            if (now_.leads() && lead && lead->valid()) return {};
            if (const auto in = why_not(); !in) return in;
            if (options.stop.stop_requested()) return error{errc::cancelled, queue_.path()};
            if (!deadline) {
                changed_.wait(lock);
            } else if (!changed_.wait_until(lock, *deadline)) {
                return error{errc::timeout, queue_.path() + ": " + id_ + " does not lead yet"};
            }
        }
    } catch (const boost::thread_interrupted&) {
        return error{errc::interrupted, "the wait for " + queue_.path()};
    }
}

}  // namespace turnstile::detail
