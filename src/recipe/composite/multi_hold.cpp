// SPDX-License-Identifier: Apache-2.0
#include "recipe/composite/multi_hold.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/inner_error.hpp"
#include "base/out_of_memory.hpp"
#include "base/overloaded.hpp"
#include "client/internals.hpp"

namespace turnstile::detail {

namespace {

// A waiter of one lock queues again if its session ends or another client deletes its znode. A waiter of several locks
// does the same: it starts over.
core::after_loss after(const error& why) {
    return base::is_contender_gone(why) ? core::after_loss::start_over : core::after_loss::give_up;
}

// True if a waiting caller may still be granted all locks later, although the request for one lock has failed with this
// error.
bool may_be_granted_later(const error& why) {
    return why == errc::busy || why == errc::timeout || why == errc::not_connected ||
           base::is_contender_gone(why);
}

// Only a waiting caller tries all locks at once. If two callers that do not wait tried all locks at once, each could
// get a lock that the other needs, and both would get `busy`. If both callers request the locks in order, the caller
// that gets the first lock can get all locks.
core::all_of::course course_of(const part_locks& locks, core::attempt mode, trial_pace& pace) {
    const bool tries = mode == core::attempt::wait && locks.can_be_tried_together();
    return tries ? pace.next() : core::all_of::course::in_order;
}

// The requests of a call that tries all locks at once. If an exception ends the call, the destructor gives up each
// request that has no outcome yet.
struct started_tries {
    part_locks::started calls;
    std::size_t waited_for = 0;

    started_tries() = default;
    started_tries(const started_tries&) = delete;
    started_tries& operator=(const started_tries&) = delete;
    ~started_tries() {
        for (auto i = waited_for; i != calls.size(); ++i)
            if (calls[i]) (*calls[i])->unlock();
    }
};

}  // namespace

multi_hold::multi_hold(std::vector<any_lock> locks, std::shared_ptr<trial_pace> pace,
                       acquire_request&& request)
    : composite_hold{std::move(request), composite::multi, locks.size()},
      locks_{std::move(locks)},
      mode_{request.message.settings.mode},
      deadline_{request.message.deadline},
      pace_{std::move(pace)},
      value_{locks_.size(), course_of(locks_, mode_, *pace_)},
      asks_(locks_.size()) {}

// ---- acquiring ------------------------------------------------------------------------------

// Requests locks until the outcome of the call is known. So wait() then returns at once.
result<guard> multi_hold::acquire() {
    return base::finish_or_end("a multi_lock's call", [this] {
        for (auto next = begin(); !next.empty();)
            next = next.ask ? wait_for(*next.ask) : try_all(next.tries);
        return wait();
    });
}

part_questions multi_hold::wait_for(std::size_t which) {
    const auto& lock = locks_[which];
    auto options = part_options(which, asked::to_wait);
    return on_answer(which, asked::to_wait,
                     mode_ == core::attempt::once ? lock.try_acquire(std::move(options))
                                                  : lock.acquire(std::move(options)));
}

// Requests all locks in `parts` before it waits for the first answer.
part_questions multi_hold::try_all(const std::vector<std::size_t>& parts) {
    started_tries started;
    started.calls = locks_.start_tries(parts, [this](const queue_lock& queue, std::size_t which) {
        return queue.exclusive_try(part_options(which, asked::to_try));
    });
    part_questions next;
    for (const auto which : parts) {
        const auto& begun = started.calls[started.waited_for++];
        auto answer = begun ? (*begun)->wait() : result<guard>{begun.error()};
        next = on_answer(which, asked::to_try, std::move(answer));
    }
    return next;
}

void multi_hold::async_acquire() {
    base::finish_or_end("a multi_lock's call", [this] { go_on_async(begin()); });
}

void multi_hold::go_on_async(const part_questions& next) {
    if (next.is_over) return answer_handler();
    if (next.ask) return ask_async(*next.ask);
    if (!next.tries.empty()) try_all_async(next.tries);
}

call::handler multi_hold::answer_to(std::size_t which, asked how) {
    return [self = self(), which, how](result<guard> answer) {
        base::finish_or_end("an answer to a multi_lock", [&] {
            self->go_on_async(self->on_answer(which, how, std::move(answer)));
        });
    };
}

void multi_hold::try_all_async(const std::vector<std::size_t>& parts) {
    const auto started =
        locks_.start_tries(parts, [this](const queue_lock& queue, std::size_t which) {
            return queue.exclusive_try(part_options(which, asked::to_try),
                                       answer_to(which, asked::to_try));
        });
    for (std::size_t i = 0; i != parts.size(); ++i) {
        if (started[i]) continue;
        locks_.servers()->post([answer = answer_to(parts[i], asked::to_try),
                                why = started[i].error()] { answer(why); });
    }
}

// If async_acquire() refuses the options, it throws and does not call the handler. So this function calls the handler.
void multi_hold::ask_async(std::size_t which) {
    const auto answered = answer_to(which, asked::to_wait);
    try {
        locks_[which].async_acquire(part_options(which, asked::to_wait), answered);
    } catch (const std::system_error& refused) {
        answered(error{static_cast<errc>(refused.code().value()), refused.what()});
    }
}

part_questions multi_hold::begin() {
    listen(options().stop);
    const base::lock_guard lock{mutex_};
    value_.start();
    return decide().next;
}

// Cancels the request for each lock. `why` is not needed, because the answers to the requests contain the reason.
void multi_hold::cancel(const error& /*why*/) noexcept {
    for (std::size_t i = 0; i != locks_.size(); ++i) {
        base::unique_lock lock{mutex_};
        auto wait = asks_[i];
        lock.unlock();
        wait.request_stop();
    }
}

acquire_options multi_hold::part_options(std::size_t which, asked how) {
    base::unique_lock lock{mutex_};
    auto withdrawn = asks_[which];
    lock.unlock();
    auto part = options_for_part(withdrawn.get_token());
    if (deadline_) part.timeout = wait_limit::until(*deadline_);
    if (how == asked::to_try) part.on_queued = {};  // a try does not queue for long
    // Only the last lock gets the time limit: the limit of the whole hold starts with the grant of the last lock, and
    // the end of this lock's hold ends the whole hold.
    if (which + 1 == locks_.size()) part.max_hold = options().max_hold;
    // If the caller requested a stop before the wait began, the wait for this lock ends at once.
    if (options().stop.stop_requested()) withdrawn.request_stop();
    return part;
}

// Handles the servers' answer to the request for the lock `which`. Returns the locks to request next. Returns none if
// other requests that were sent together are unanswered, or if the outcome of the whole call is known.
part_questions multi_hold::on_answer(std::size_t which, asked how, result<guard>&& answer) {
    std::stop_token loss;
    std::uint64_t serial = 0;
    decisions decided;
    {
        const base::lock_guard lock{mutex_};
        if (answer) {
            loss = answer->lost();
            serial = keep_part(which, internals::take_hold(std::move(*answer)));
            value_.on_granted(which);
        } else {
            const auto refusal = refusal_of(answer.error(), how);
            if (refusal == core::all_of::refusal::own)
                failure_.refuse(locks_.error_of(which, answer.error()));
            value_.on_refused(which, refusal);
        }
        decided = decide();
    }
    auto next = std::move(decided.next);
    if (serial != 0) watch_part(which, serial, loss);
    execute(std::move(decided));
    return next;
}

core::all_of::refusal multi_hold::refusal_of(const error& why, asked how) const {
    using refusal = core::all_of::refusal;
    if (why == errc::cancelled && !options().stop.stop_requested()) return refusal::withdrawn;
    return how == asked::to_try && may_be_granted_later(why) ? refusal::contested : refusal::own;
}

void multi_hold::on_part_lost(std::size_t which, std::uint64_t serial) {
    // Keeps the running stop callback alive until the end of this function. Below, code of the user may release the
    // hold. A release that destroyed the running callback would wait for the callback's return, and so for itself.
    std::shared_ptr<stop_callback> ends_here;
    decisions next;
    {
        const base::lock_guard lock{mutex_};
        if (parts_[which].serial != serial || !value_.holds(which)) return;
        ends_here = std::exchange(parts_[which].loss, nullptr);
        const auto status = parts_[which].held->status();
        const auto why = status ? error{errc::session_lost} : status.error();
        remember();
        failure_.lose(locks_.error_of(which, why));
        value_.on_lost(which, after(why));
        next = decide();
    }
    execute(std::move(next));
}

// ---- decisions after an answer of the servers ------------------------------------------------

multi_hold::decisions multi_hold::decide() {
    decisions decided;
    auto& next = decided.next;
    using all_of = core::all_of;
    const base::overloaded note{
        [&](const all_of::ask& question) REQUIRES(mutex_) {
            next.ask = question.part;
            asks_[question.part] = std::stop_source{};  // no stop is requested for this part yet
        },
        [&](const all_of::try_part& trial) REQUIRES(mutex_) {
            next.tries.push_back(trial.part);
            asks_[trial.part] = std::stop_source{};
        },
        [&](const all_of::withdraw& wait)
            REQUIRES(mutex_) { decided.withdraw.push_back(asks_[wait.part]); },
        [&](const all_of::give_back& back)
            REQUIRES(mutex_) { decided.give_back.push_back(std::exchange(parts_[back.part], {})); },
        [&](const all_of::tell_granted&) REQUIRES(mutex_) {
            grant();
            next.is_over = true;
        },
        [&](const all_of::tell_failed&) REQUIRES(mutex_) {
            refuse(failure_.why(locks_.lease_ended()));
            next.is_over = true;
        },
        [&](const all_of::tell_lost&) REQUIRES(mutex_) { decided.lost = lose(*failure_.loss()); }};
    for (const auto& action : value_.take()) std::visit(note, action);
    if (!next.empty()) failure_.go_on();
    tell_pace();
    return decided;
}

// If the call began by trying all locks at once, reports to `pace_`, once, whether it got them all.
void multi_hold::tell_pace() {
    const bool got_all = value_.now() == core::all_of::phase::held;
    if (!pace_ || (!got_all && value_.failed_trials() == 0)) return;
    if (value_.began_with_a_trial()) pace_->on_trial(value_.failed_trials() == 0);
    pace_.reset();
}

// First reports a loss to the caller, and then gives locks back: another contender may get a lock as soon as this call
// has given the lock back.
void multi_hold::execute(decisions&& decided) {
    for (auto& wait : decided.withdraw) wait.request_stop();
    if (decided.lost) tell_lost(std::move(*decided.lost));
    give_back(std::move(decided.give_back));
}

void multi_hold::post(task callback) {
    std::shared_ptr<hold> lost;
    {
        const base::lock_guard lock{mutex_};
        for (std::size_t i = 0; i != parts_.size(); ++i)
            if (parts_[i].held && !value_.holds(i)) lost = parts_[i].held;
    }
    if (!lost) return;  // the whole hold was released meanwhile
    lost->on_lost([callback = std::move(callback)](const error&) { callback(); });
}

}  // namespace turnstile::detail
