// SPDX-License-Identifier: Apache-2.0
#include "recipe/composite/quorum_hold.hpp"

#include <algorithm>
#include <utility>

#include "base/inner_error.hpp"
#include "base/out_of_memory.hpp"
#include "base/overloaded.hpp"
#include "base/random.hpp"
#include "client/internals.hpp"

namespace turnstile::detail {

quorum_hold::quorum_hold(std::shared_ptr<const std::vector<quorum_ensemble>> ensembles,
                         const core::quorum_settings& settings, acquire_request&& request)
    : composite_hold{std::move(request), composite::quorum, ensembles->size()},
      ensembles_{std::move(ensembles)},
      tries_{settings.mode == core::quorum_settings::mode::once},
      value_{settings, base::random::from_system()},
      asks_(ensembles_->size()),
      said_(ensembles_->size()) {}

quorum_hold::~quorum_hold() {
    if (forked()) return;
    unlock();
    for (const auto& ensemble : *ensembles_)
        ensemble.lock.servers()->services().timers->disarm(*this);
}

// ---- handling one event of the call ----------------------------------------------------------

template <class F>
void quorum_hold::step(F&& event) {
    base::finish_or_end("a step of a quorum_lock", [&] {
        decisions next;
        {
            const base::lock_guard lock{mutex_};
            for (std::size_t i = 0; i != parts_.size(); ++i)
                if (parts_[i].held) value_.confirm(i, parts_[i].held->valid_until());
            remember();
            const auto now = boottime_clock::now();
            if (armed_ <= now) armed_ = boottime_clock::time_point::max();
            event(value_, now);
            arm();
            forget_closed(now);
            next = decide();
        }
        execute(std::move(next));
    });
}

quorum_hold::decisions quorum_hold::decide() {
    decisions next;
    using quorum = core::quorum;
    const base::overloaded note{
        [&](const quorum::ask& question) REQUIRES(mutex_) {
            asks_[question.part] = std::stop_source{};
            next.ask.push_back(question.part);
        },
        [&](const quorum::withdraw& wait)
            REQUIRES(mutex_) { next.withdraw.push_back(asks_[wait.part]); },
        [&](const quorum::give_back& back)
            REQUIRES(mutex_) { next.give_back.push_back(std::exchange(parts_[back.part], {})); },
        [&](const quorum::tell_granted&) REQUIRES(mutex_) {
            grant();
            next.answer = true;
        },
        [&](const quorum::tell_failed& failed) REQUIRES(mutex_) {
            refuse(failure(failed.why));
            next.answer = true;
        },
        [&](const quorum::tell_lost&) REQUIRES(mutex_) {
            next.lost = lose(no_majority(path(), answers_so_far(errc::session_lost)));
        }};
    for (const auto& action : value_.take()) std::visit(note, action);
    return next;
}

// A pause is the time before the call requests the lock of an ensemble again. This function ends the pause of each
// ensemble whose client has closed. Must be called after arm(): a client that closes later calls on_timer() a last
// time, which ends that pause.
void quorum_hold::forget_closed(boottime_clock::time_point now) {
    for (std::size_t i = 0; i != parts_.size(); ++i) {
        if (!value_.pauses(i) || (*ensembles_)[i].lock.servers()->open()) continue;
        said_[i] = error{errc::closed};
        value_.on_closed(i, now);
    }
}

void quorum_hold::arm() {
    const auto next = value_.next_deadline().value_or(boottime_clock::time_point::max());
    if (std::exchange(armed_, next) == next || next == boottime_clock::time_point::max()) return;
    for (const auto& ensemble : *ensembles_)
        ensemble.lock.servers()->services().timers->arm(*this, next);
}

// Notes that no timer is armed any more, because a timer has called on_timer(), perhaps before the armed time.
void quorum_hold::take_timer() {
    const base::lock_guard lock{mutex_};
    armed_ = boottime_clock::time_point::max();
}

// First reports a loss to the caller, and then gives locks back: another contender may get a lock as soon as this call
// has given the lock back.
void quorum_hold::execute(decisions&& next) {
    if (next.lost) tell_lost(std::move(*next.lost));
    give_back(std::move(next.give_back));
    for (auto& wait : next.withdraw) wait.request_stop();
    for (const auto which : next.ask) ask(which);
    if (!next.answer) return;
    wake();
    std::shared_ptr<quorum_hold> kept;
    {
        const base::lock_guard lock{mutex_};
        kept = std::exchange(kept_, nullptr);
    }
    if (kept) post([kept] { kept->answer_handler(); });
}

// Handles the event on a worker, because this work may run the user's stop callbacks. The timer's thread must not own
// the call: the last reference may destroy the user's objects and the client, and the client's destructor waits for the
// timer's thread. The client's workers still accept the task, because the client stops its timers before its workers.
void quorum_hold::on_timer() {
    const auto work = [weak = weak_from_this()] {
        const auto alive = std::static_pointer_cast<quorum_hold>(weak.lock());
        if (!alive) return;
        alive->take_timer();
        alive->step(
            [](core::quorum& value, boottime_clock::time_point now) { value.on_time(now); });
    };
    for (const auto& ensemble : *ensembles_)
        if (ensemble.lock.servers()->services().workers->post(work)) return;
}

// ---- the requests for the locks of the single ensembles -------------------------------------

void quorum_hold::ask(std::size_t which) {
    const auto& lock = (*ensembles_)[which].lock;
    auto request = lock.request({core::claim_kind::lock},
                                tries_ && !has_holder() ? core::attempt::once : core::attempt::wait,
                                part_options(which), [self = self(), which](result<guard> answer) {
                                    base::finish_or_end("an answer to a quorum_lock", [&] {
                                        self->on_answer(which, std::move(answer));
                                    });
                                });
    if (request) request->where = acquire_request::answers::on_workers;
    const auto started = lock.servers()->acquire(std::move(request));
    if (!started) on_answer(which, started.error());
}

acquire_options quorum_hold::part_options(std::size_t which) {
    base::unique_lock lock{mutex_};
    auto withdrawn = asks_[which].get_token();
    lock.unlock();
    return options_for_part(std::move(withdrawn));
}

void quorum_hold::on_answer(std::size_t which, result<guard>&& answer) {
    std::stop_token loss;
    std::uint64_t serial = 0;
    step([&](core::quorum& value, boottime_clock::time_point now) REQUIRES(mutex_) {
        if (!answer) {
            said_[which] = answer.error();
            return value.on_refused(which, worth_asking_again(answer.error()), now);
        }
        loss = answer->lost();
        serial = keep_part(which, internals::take_hold(std::move(*answer)));
        said_[which].reset();
        value.on_granted(which, parts_[which].held->valid_until(), now);
    });
    if (serial != 0) watch_part(which, serial, loss);
}

void quorum_hold::on_part_lost(std::size_t which, std::uint64_t serial) {
    kept_part gone;
    step([&](core::quorum& value, boottime_clock::time_point now) REQUIRES(mutex_) {
        if (parts_[which].serial != serial || !value.holds(which)) return;
        gone = std::exchange(parts_[which], {});
        const auto status = gone.held->status();
        said_[which] = status ? error{errc::session_lost} : status.error();
        value.on_lost(which, worth_asking_again(*said_[which]), now);
    });
    if (!gone.held) return;
    gone.loss.reset();
    gone.held->unlock();
}

// ---- functions for the caller ---------------------------------------------------------------

void quorum_hold::start() {
    if (!blocks_) {
        const base::lock_guard lock{mutex_};
        kept_ = self();
    }
    base::finish_or_end("a quorum_lock's call", [this] { listen(options().stop); });
    step([this](core::quorum& value, boottime_clock::time_point now) REQUIRES(mutex_) {
        value.start(now);
        if (left_) value.leave();  // leave() was called before start()
    });
}

void quorum_hold::cancel(const error& why) noexcept {
    step([&](core::quorum& value, boottime_clock::time_point) REQUIRES(mutex_) {
        if (!state_.waits()) return;
        left_ = why;
        value.leave();
    });
}

error quorum_hold::failure(core::quorum::failure why) const {
    if (left_) return *left_;
    auto code = code_of(said_, tries_);
    if (why == core::quorum::failure::late) {
        std::size_t reached = 0;
        for (std::size_t i = 0; i != ensembles_->size(); ++i)
            if (connected(i)) ++reached;
        code = reached > ensembles_->size() / 2 ? errc::timeout : errc::not_connected;
    }
    return {code,
            path() + ": no majority of the ensembles granted the lock: " + answers_so_far(code)};
}

bool quorum_hold::connected(std::size_t which) const {
    const auto sessions = (*ensembles_)[which].lock.servers()->sessions().all();
    return !sessions.empty() && sessions.front()->state() == session_state::connected;
}

// Returns the state of each ensemble as text, for an error with this code.
std::string quorum_hold::answers_so_far(errc code) const {
    std::string text;
    for (std::size_t i = 0; i != parts_.size(); ++i) {
        if (i != 0) text += "; ";
        text += (*ensembles_)[i].name + ": ";
        text += parts_[i].held ? "granted"
                : said_[i]     ? base::words_within(code, *said_[i])
                               : "no answer yet";
    }
    return text;
}

}  // namespace turnstile::detail
