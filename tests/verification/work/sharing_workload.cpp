// SPDX-License-Identifier: Apache-2.0
#include "verification/work/sharing_workload.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr auto k_hand_over = 500us;  // longest time until the next thread acts
constexpr auto k_overtaken = 5ms;    // delay of a slow thread
constexpr double k_is_overtaken = 0.2;
constexpr double k_wants_a_warning = 0.3;
// Probability that all waiters give up at the moment of the grant.
constexpr double k_gives_up_late = 0.05;

bool waits(const shared_lock& lock, core::local_id id) {
    return lock.calls.at(id).now == local_call::state::waiting;
}

}  // namespace

sharing_workload::sharing_workload(client_id id, sim_client& client, const scenario& scenario,
                                   dice& chance, sharing_judge& judge)
    : id_{id},
      client_{client},
      scenario_{scenario},
      dice_{chance},
      judge_{judge},
      workers_(client.plan().workers) {
    for (const auto& folder : scenario_.folders) {
        const core::local_queue_settings settings{folder, client.plan().retain_for,
                                                  client.plan().passes};
        locks_.push_back({folder, settings, core::local_queue{settings}, {}, 0, false, {}, {}, 0});
    }
    judge_.add(id_, client_, *this);
}

// ---- workers --------------------------------------------------------------------------------

void sharing_workload::start() {
    for (auto& actor : workers_) {
        actor.rounds = dice_.from_to(1, 3 * scenario_.rounds);
        plan(actor, dice_.up_to(scenario_.time.session_timeout / 2));
    }
}

void sharing_workload::stop() {
    stopping_ = true;
    for (auto& actor : workers_) {
        if (!actor.current) continue;
        const auto now = locks_[actor.lock].calls.at(*actor.current).now;
        if (now == local_call::state::held || now == local_call::state::lost)
            plan(actor, dice_.up_to(scenario_.time.session_timeout));
    }
}

bool sharing_workload::at_rest() const {
    return std::none_of(workers_.begin(), workers_.end(),
                        [](const worker& actor) { return actor.current.has_value(); }) &&
           std::all_of(locks_.begin(), locks_.end(), [](const shared_lock& lock) {
               return lock.calls.empty() && lock.unanswered == 0 && !lock.held &&
                      !lock.value.holds_contender();
           });
}

std::vector<const shared_lock*> sharing_workload::shared_locks() const {
    std::vector<const shared_lock*> all;
    if (client_.crashed()) return all;
    for (const auto& lock : locks_) all.push_back(&lock);
    return all;
}

void sharing_workload::plan(worker& actor, core::duration pause) {
    client_.wake_after(pause, static_cast<std::size_t>(&actor - workers_.data()), ++actor.serial);
}

void sharing_workload::rest(worker& actor) {
    actor.current.reset();
    plan(actor,
         dice_.up_to(dice_.chance(0.6) ? core::duration{5ms} : scenario_.time.session_timeout / 4));
}

core::duration sharing_workload::hold_time() {
    const auto timeout = scenario_.time.session_timeout;
    if (!stopping_ && dice_.chance(scenario_.long_holds / 2))
        return dice_.between(timeout / 2, scenario_.longest_hold);
    return dice_.up_to(dice_.chance(0.6) ? core::duration{20ms} : timeout / 4);
}

void sharing_workload::later(std::function<void()> task) {
    tasks_.emplace(++tasks_planned_, std::move(task));
    const auto pause =
        dice_.up_to(dice_.chance(k_is_overtaken) ? core::duration{k_overtaken} : k_hand_over);
    client_.wake_after(pause, workers_.size(), tasks_planned_);
}

void sharing_workload::soon(std::function<void()> task) {
    if (dice_.chance(k_is_overtaken)) return later(std::move(task));
    task();
}

void sharing_workload::wake(const worker_due& due) {
    if (due.worker == workers_.size()) {
        const auto task = tasks_.extract(due.serial);
        return task.mapped()();
    }
    auto& actor = workers_[due.worker];
    if (actor.serial == due.serial) act(actor);
}

void sharing_workload::act(worker& actor) {
    if (!actor.current) {
        if (stopping_ || actor.rounds == 0) return;
        --actor.rounds;
        return begin(actor);
    }
    auto& lock = locks_[actor.lock];
    auto& call = lock.calls.at(*actor.current);
    const auto current = *actor.current;
    if (call.now == local_call::state::waiting) {
        call.given_up = true;
        step(lock, [&] {
            lock.value.give_up(current, {errc::cancelled, lock.folder + ": its caller gave up"});
        });
    } else if (call.now == local_call::state::held || call.now == local_call::state::lost) {
        forget(lock, current);  // its guard is invalid from now on
        rest(actor);
        step(lock, [&] { lock.value.release(current, client_.local_now()); });
    }
}

void sharing_workload::begin(worker& actor) {
    const auto timeout = scenario_.time.session_timeout;
    actor.lock = dice_.below(locks_.size());
    auto& lock = locks_[actor.lock];
    core::sharing::caller caller;
    caller.id = core::local_id{++calls_};
    caller.mode = dice_.chance(scenario_.once) ? core::attempt::once : core::attempt::wait;
    if (dice_.chance(scenario_.with_deadline))
        caller.deadline = client_.local_now() + dice_.up_to(timeout * 3 / 2);
    if (scenario_.max_hold > core::duration{} && dice_.chance(0.5))
        caller.max_hold = dice_.up_to(scenario_.max_hold) + 1ms;
    if (dice_.chance(k_wants_a_warning)) caller.warn_before = dice_.up_to(timeout) + 1ms;
    actor.current = caller.id;
    local_call call;
    call.worker = static_cast<std::size_t>(&actor - workers_.data());
    call.caller = caller;
    lock.calls.emplace(caller.id, call);
    ++actor.serial;
    if (dice_.chance(scenario_.cancelled)) plan(actor, dice_.up_to(timeout));
    step(lock, [&] { lock.value.arrive(caller, client_.local_now()); });
}

// ---- one step of the state machine ------------------------------------------------------------

void sharing_workload::step(shared_lock& lock, const std::function<void()>& task) {
    if (lock.held) {
        const bool sure = judge_.contender_valid(id_, *lock.held);
        lock.value.confirm(sure ? judge_.valid_until(id_, *lock.held) : core::time_point::min());
    }
    task();
    for (const auto& entry : lock.value.take()) {
        judge_.on_action(id_, lock, entry);
        execute(lock, entry);
    }
    judge_.on_settled(id_, lock);
    arm(lock);
}

void sharing_workload::execute(shared_lock& lock, const core::sharing::action& action) {
    if (const auto* granted = std::get_if<core::sharing::tell_granted>(&action)) {
        record_grant(lock, *granted);
    } else if (const auto* refused = std::get_if<core::sharing::tell_refused>(&action)) {
        lock.calls.at(refused->id).now = local_call::state::refused;
        later([this, &lock, id = refused->id] { on_outcome(lock, id); });
    } else if (const auto* lost = std::get_if<core::sharing::tell_lost>(&action)) {
        const auto call = lock.calls.find(lost->id);
        if (call != lock.calls.end()) call->second.now = local_call::state::lost;
    } else if (const auto* back = std::get_if<core::sharing::give_back>(&action)) {
        // If a newer request has replaced this contender's request, on_granted releases the contender.
        if (back->contender != lock.number || !lock.held) return;
        soon([this, id = *std::exchange(lock.held, std::nullopt)] { client_.release(id); });
    } else if (const auto* draw = std::get_if<core::sharing::withdraw>(&action)) {
        lock.withdrawn = true;
        soon([this, &lock, number = draw->contender] { withdraw(lock, number); });
    } else if (const auto* question = std::get_if<core::sharing::ask>(&action)) {
        lock.number = question->contender;
        lock.withdrawn = false;
        later([this, &lock, asks = *question] { ask(lock, asks); });
    }
}

void sharing_workload::record_grant(shared_lock& lock, const core::sharing::tell_granted& grant) {
    auto& call = lock.calls.at(grant.id);
    call.now = local_call::state::granted;
    call.contender = lock.held;
    call.token = fencing_token{judge_.token(id_, *lock.held).zxid(), grant.counter};
    call.limit = grant.until.value_or(core::time_point::max());
    judge_.on_token(id_, lock, call);
    later([this, &lock, id = grant.id] { on_outcome(lock, id); });
}

// The timer may only move to an earlier time. A timer that runs too early computes its next time.
void sharing_workload::arm(shared_lock& lock) {
    const auto next = lock.value.next_deadline();
    if (!next || (lock.armed && *lock.armed <= *next)) return;
    lock.armed = next;
    const auto until = client_.true_time(std::max(*next, client_.local_now())) - judge_.now();
    tasks_.emplace(++tasks_planned_, [this, &lock] {
        lock.armed.reset();
        step(lock, [&] { lock.value.on_time(client_.local_now()); });
    });
    client_.wake_after(std::max(until, core::duration{}) + 1us +
                           dice_.up_to(scenario_.time.timer_lateness + k_hand_over),
                       workers_.size(), tasks_planned_);
}

// ---- the shared contender -------------------------------------------------------------------

void sharing_workload::ask(shared_lock& lock, const core::sharing::ask& question) {
    if (lock.number != question.contender || lock.withdrawn) return;
    core::acquire call;
    call.settings.folder = lock.folder;
    call.settings.mode = question.mode;
    call.settings.tells_contended = true;
    call.settings.waiters =
        client_.plan().enters_again ? session_loss_policy::enter_again : session_loss_policy::fail;
    contenders_[client_.next_id()] = {static_cast<std::size_t>(&lock - locks_.data()),
                                      question.contender};
    ++lock.unanswered;
    client_.acquire(std::move(call));
}

// Cancels the contender's acquire. If the contender is granted before that, the client releases it when it learns of
// the grant.
void sharing_workload::withdraw(shared_lock& lock, std::uint64_t number) {
    for (const auto& [id, waiter] : contenders_) {
        if (&locks_[waiter.lock] == &lock && waiter.number == number && !judge_.answered(id_, id))
            return client_.cancel(id);
    }
}

void sharing_workload::hear(const core::notice& notice) {
    const auto found = contenders_.find(notice.id);
    if (found == contenders_.end()) return;
    auto& lock = locks_[found->second.lock];
    const auto number = found->second.number;
    if (std::holds_alternative<core::granted>(notice.event)) {
        later([this, &lock, number, id = notice.id] { on_granted(lock, number, id); });
        if (dice_.chance(k_gives_up_late)) give_up_all(lock);
    } else if (const auto* failure = std::get_if<core::failed>(&notice.event)) {
        later([this, &lock, number, why = failure->why] { on_refused(lock, number, why); });
    } else if (const auto* loss = std::get_if<core::lost>(&notice.event)) {
        later([this, &lock, number, why = loss->why] { on_lost(lock, number, why); });
    } else if (std::holds_alternative<core::contended>(notice.event)) {
        later([this, &lock, number] {
            judge_.on_contended(lock, number);
            step(lock, [&] { lock.value.on_contended(number); });
        });
    } else if (std::holds_alternative<core::asked_to_release>(notice.event)) {
        later([this, &lock, number] {
            judge_.on_asked_to_release(lock, number);
            step(lock, [&] { lock.value.on_asked_to_release(number); });
        });
    }
}

void sharing_workload::give_up_all(const shared_lock& lock) {
    for (auto& actor : workers_)
        if (actor.current && &locks_[actor.lock] == &lock && waits(lock, *actor.current))
            plan(actor, dice_.up_to(k_hand_over));
}

// Reports success only for a valid hold. Threads that enter again need a valid hold, too.
void sharing_workload::on_granted(shared_lock& lock, std::uint64_t number, core::contender_id id) {
    if (!judge_.contender_valid(id_, id)) {
        client_.release(id);
        if (client_.plan().enters_again) return on_late_grant(lock, number);
        return on_refused(lock, number,
                          {errc::session_lost, lock.folder + ": the lease has ended"});
    }
    --lock.unanswered;
    if (lock.number != number) return client_.release(id);
    lock.held = id;
    judge_.on_contender_granted(lock, number);
    step(lock,
         [&] { lock.value.on_granted(number, judge_.valid_until(id_, id), client_.local_now()); });
}

void sharing_workload::on_late_grant(shared_lock& lock, std::uint64_t number) {
    --lock.unanswered;
    if (lock.number != number) return;
    judge_.on_contender_granted(lock, number);
    step(lock,
         [&] { lock.value.on_granted(number, core::time_point::min(), client_.local_now()); });
}

void sharing_workload::on_refused(shared_lock& lock, std::uint64_t number, const error& why) {
    --lock.unanswered;
    if (lock.number != number) return;
    judge_.on_contender_refused(lock, number, why);
    step(lock, [&] { lock.value.on_refused(number, why); });
}

void sharing_workload::on_lost(shared_lock& lock, std::uint64_t number, const error& why) {
    if (lock.number != number || !lock.held) return;
    const auto id = *std::exchange(lock.held, std::nullopt);
    judge_.on_contender_lost(lock, number);
    step(lock, [&] { lock.value.on_lost(number, why); });
    client_.release(id);
}

// ---- the callers ----------------------------------------------------------------------------

// The caller resumes and learns the result. If the hold was granted and then lost, the caller may be gone.
void sharing_workload::on_outcome(shared_lock& lock, core::local_id id) {
    const auto found = lock.calls.find(id);
    if (found == lock.calls.end()) return;
    auto& call = found->second;
    auto& actor = workers_[call.worker];
    if (call.now == local_call::state::granted && judge_.valid(id_, call)) {
        call.now = local_call::state::held;
        return plan(actor, hold_time());
    }
    const bool refused = call.now == local_call::state::refused;
    forget(lock, id);
    rest(actor);
    if (!refused) step(lock, [&] { lock.value.release(id, client_.local_now()); });
}

void sharing_workload::forget(shared_lock& lock, core::local_id id) {
    judge_.on_over(lock, lock.calls.at(id));
    lock.calls.erase(id);
}

}  // namespace turnstile::simulation
