// SPDX-License-Identifier: Apache-2.0
#include "recipe/composite/quorum_hold.hpp"

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "recipe/composite/quorum_report.hpp"

namespace turnstile::detail {

quorum_hold::quorum_hold(std::shared_ptr<const std::vector<quorum_ensemble>> ensembles,
                         const core::quorum_settings& settings, acquire_options options)
    : composite_hold{std::move(options), ensembles->size()},
      ensembles_{std::move(ensembles)},
      tries_{settings.mode == core::quorum_settings::mode::once},
      value_{settings, base::random::from_system()},
      asks_(ensembles_->size()),
      said_(ensembles_->size()) {}

quorum_hold::~quorum_hold() {
    if (forked()) return;
    unlock();
    for (const auto& one : *ensembles_) one.lock.servers()->services().timers->disarm(*this);
}

// ---- one step -------------------------------------------------------------------------------

template <class F>
void quorum_hold::step(F&& event) {
    decisions next;
    {
        const base::scoped_lock lock{mutex_};
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
}

quorum_hold::decisions quorum_hold::decide() {
    decisions made;
    for (const auto& one : value_.take()) {
        if (const auto* asked = std::get_if<core::quorum::ask>(&one)) {
            asks_[asked->part] = std::stop_source{};
            made.ask.push_back(asked->part);
        } else if (const auto* draw = std::get_if<core::quorum::withdraw>(&one)) {
            made.withdraw.push_back(asks_[draw->part]);
        } else if (const auto* back = std::get_if<core::quorum::give_back>(&one)) {
            made.give_back.push_back(std::exchange(parts_[back->part], {}));
        } else if (std::holds_alternative<core::quorum::tell_granted>(one)) {
            made.answer = true;
        } else if (const auto* failed = std::get_if<core::quorum::tell_failed>(&one)) {
            failed_ = failed->why;
            over_ = true;
            made.answer = true;
        } else {
            over_ = true;
            why_ = no_majority(path(), said());
            made.lost = true;
        }
    }
    return made;
}

// After arm(): a client that closes from then on calls once more. So no pause outlives the last of them.
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
    for (const auto& one : *ensembles_) one.lock.servers()->services().timers->arm(*this, next);
}

// The caller is told of a loss before anybody else can be granted what is given back.
void quorum_hold::execute(decisions&& what) {
    if (what.lost) tell_lost();
    give_back(std::move(what.give_back));
    for (auto& one : what.withdraw) one.request_stop();
    for (const auto which : what.ask) ask(which);
    if (!what.answer) return;
    handler done;
    std::shared_ptr<quorum_hold> kept;
    {
        const base::scoped_lock lock{mutex_};
        answered_ = true;
        done = std::exchange(done_, nullptr);
        kept = std::exchange(kept_, nullptr);
    }
    answered_now_.notify_all();
    if (done) post([kept, done = std::move(done)] { done(kept->outcome()); });
}

// Hands over to a thread that may run the user's stop callbacks. The timer's thread owns nothing meanwhile: whoever
// drops the last reference ends what the user gave us, and may end the client, which waits for this very thread.
// The client that calls takes the work in any case: its timer stops before its background.
void quorum_hold::on_timer() {
    const auto work = [weak = weak_from_this()] {
        const auto alive = std::static_pointer_cast<quorum_hold>(weak.lock());
        if (!alive) return;
        alive->step(
            [](core::quorum& value, boottime_clock::time_point now) { value.on_time(now); });
    };
    for (const auto& one : *ensembles_)
        if (one.lock.servers()->services().chores->post(work)) return;
}

// ---- the parts ------------------------------------------------------------------------------

void quorum_hold::ask(std::size_t which) {
    const auto& lock = (*ensembles_)[which].lock;
    auto started = lock.servers()->acquire(
        {.path = lock.path(),
         .wants = core::claim{core::contender_kind::lock},
         .mode = tries_ && !handed() ? core::attempt::once : core::attempt::wait,
         .answers = session_hold::answers::in_background},
        part_options(which), [self = self(), which](result<guard> answer) {
            self->on_answer(which, std::move(answer));
        });
    if (!started) on_answer(which, started.error());
}

acquire_options quorum_hold::part_options(std::size_t which) {
    base::scoped_lock lock{mutex_};
    auto withdrawn = asks_[which].get_token();
    lock.unlock();
    return options_of_part(std::move(withdrawn));
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
        serial = keep_part(which, std::move(*answer).take_hold());
        said_[which].reset();
        value.on_granted(which, parts_[which].held->valid_until(), now);
    });
    if (serial != 0) watch_part(which, serial, loss);
}

void quorum_hold::on_part_lost(std::size_t which, std::uint64_t serial) {
    part gone;
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

// ---- for the caller -------------------------------------------------------------------------

void quorum_hold::start() {
    if (options_.stop.stop_possible()) {
        stop_.emplace(options_.stop, [this, weak = weak_from_this()] {
            if (const auto alive = weak.lock())
                give_up({errc::cancelled, path() + ": the stop token was triggered"});
        });
    }
    step([this](core::quorum& value, boottime_clock::time_point now) REQUIRES(mutex_) {
        value.start(now);
        if (left_) value.leave();  // the request was there before
    });
}

result<guard> quorum_hold::acquire() {
    start();
    std::optional<error> interruption;
    {
        base::scoped_lock lock{mutex_};
        try {
            while (!answered_) answered_now_.wait(lock);
        } catch (const boost::thread_interrupted&) {
            interruption =
                error{errc::interrupted, path() + ": the waiting thread was interrupted"};
        }
    }
    if (interruption) {
        stop_.reset();
        unlock();
        return *interruption;
    }
    return outcome();
}

void quorum_hold::async_acquire(handler done) {
    {
        const base::scoped_lock lock{mutex_};
        done_ = std::move(done);
        kept_ = self();
    }
    start();
}

void quorum_hold::give_up(const error& why) {
    step([&](core::quorum& value, boottime_clock::time_point) REQUIRES(mutex_) {
        if (answered_) return;
        left_ = why;
        value.leave();
    });
}

// Success is told only for a hold that is valid now (F28).
result<guard> quorum_hold::outcome() {
    stop_.reset();
    {
        const base::scoped_lock lock{mutex_};
        handed_ = value_.now() == core::quorum::phase::held && is_certain();
        if (handed_) return guard{shared_from_this()};
    }
    const auto why = failure();
    unlock();
    return why;
}

error quorum_hold::failure() const {
    base::scoped_lock lock{mutex_};
    if (left_) return *left_;
    if (why_ || !failed_) return no_majority(path(), said());
    const auto refusals = said_;
    const bool is_late = *failed_ == core::quorum::failure::late;
    const auto text = said();
    lock.unlock();
    if (!is_late) return {code_of(refusals, tries_), path() + ": no majority grants it: " + text};
    std::size_t reached = 0;
    for (std::size_t i = 0; i != ensembles_->size(); ++i)
        if (connected(i)) ++reached;
    const bool enough = reached > ensembles_->size() / 2;
    return {enough ? errc::timeout : errc::not_connected,
            path() + ": no majority granted it in time: " + text};
}

bool quorum_hold::connected(std::size_t which) const {
    const auto sessions = (*ensembles_)[which].lock.servers()->sessions();
    return !sessions.empty() && sessions.front()->state() == session_state::connected;
}

// What each ensemble is at.
std::string quorum_hold::said() const {
    std::string text;
    for (std::size_t i = 0; i != parts_.size(); ++i) {
        if (i != 0) text += "; ";
        text += (*ensembles_)[i].name + ": ";
        text += parts_[i].held ? "granted" : said_[i] ? said_[i]->message() : "no answer yet";
    }
    return text;
}

}  // namespace turnstile::detail
