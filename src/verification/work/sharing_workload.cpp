// SPDX-License-Identifier: Apache-2.0
#include "verification/work/sharing_workload.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;
using queue = core::local_queue;

constexpr auto k_hand_over = 500us;  // from thread to thread, at most
constexpr auto k_overtaken = 5ms;    // of a thread that others overtake
constexpr double k_is_overtaken = 0.2;
constexpr double k_wants_a_warning = 0.3;
constexpr double k_gives_up_late = 0.05;  // all waits, when the contender is granted

bool waits(const shared_lock& lock, core::local_id who) {
    return lock.calls.at(who).now == local_call::state::waiting;
}

}  // namespace

sharing_workload::sharing_workload(client_id id, sim_client& client, const scenario& what,
                                   dice& chance, sharing_judge& judge)
    : id_{id},
      client_{client},
      scenario_{what},
      dice_{chance},
      judge_{judge},
      workers_(client.plan().workers) {
    for (const auto& folder : scenario_.folders) {
        const core::local_queue_settings settings{folder, client.plan().retain_for,
                                                  client.plan().passes};
        locks_.push_back({folder, settings, queue{settings}, {}, 0, false, {}, {}, 0});
    }
    judge_.add(id_, client_, *this);
}

// ---- workers --------------------------------------------------------------------------------

void sharing_workload::start() {
    for (auto& one : workers_) {
        one.rounds = dice_.from_to(1, 3 * scenario_.rounds);
        plan(one, dice_.up_to(scenario_.time.session_timeout / 2));
    }
}

void sharing_workload::stop() {
    stopping_ = true;
    for (auto& one : workers_) {
        if (!one.current) continue;
        const auto now = locks_[one.lock].calls.at(*one.current).now;
        if (now == local_call::state::held || now == local_call::state::lost)
            plan(one, dice_.up_to(scenario_.time.session_timeout));
    }
}

bool sharing_workload::at_rest() const {
    return std::none_of(workers_.begin(), workers_.end(),
                        [](const worker& one) { return one.current.has_value(); }) &&
           std::all_of(locks_.begin(), locks_.end(), [](const shared_lock& lock) {
               return lock.calls.empty() && lock.unanswered == 0 && !lock.held &&
                      !lock.value.holds_contender();
           });
}

std::vector<const shared_lock*> sharing_workload::shared_locks() const {
    std::vector<const shared_lock*> all;
    if (client_.crashed()) return all;
    for (const auto& one : locks_) all.push_back(&one);
    return all;
}

void sharing_workload::plan(worker& one, core::duration pause) {
    client_.wake_after(pause, static_cast<std::size_t>(&one - workers_.data()), ++one.serial);
}

void sharing_workload::rest(worker& one) {
    one.current.reset();
    plan(one,
         dice_.up_to(dice_.chance(0.6) ? core::duration{5ms} : scenario_.time.session_timeout / 4));
}

core::duration sharing_workload::hold_time() {
    const auto timeout = scenario_.time.session_timeout;
    if (!stopping_ && dice_.chance(scenario_.long_holds / 2))
        return dice_.between(timeout / 2, scenario_.longest_hold);
    return dice_.up_to(dice_.chance(0.6) ? core::duration{20ms} : timeout / 4);
}

void sharing_workload::later(std::function<void()> chore) {
    chores_.emplace(++chores_planned_, std::move(chore));
    const auto pause =
        dice_.up_to(dice_.chance(k_is_overtaken) ? core::duration{k_overtaken} : k_hand_over);
    client_.wake_after(pause, workers_.size(), chores_planned_);
}

void sharing_workload::soon(std::function<void()> chore) {
    if (dice_.chance(k_is_overtaken)) return later(std::move(chore));
    chore();
}

void sharing_workload::wake(const worker_due& what) {
    if (what.worker == workers_.size()) {
        const auto chore = chores_.extract(what.serial);
        return chore.mapped()();
    }
    auto& one = workers_[what.worker];
    if (one.serial == what.serial) act(one);
}

void sharing_workload::act(worker& one) {
    if (!one.current) {
        if (stopping_ || one.rounds == 0) return;
        --one.rounds;
        return begin(one);
    }
    auto& lock = locks_[one.lock];
    auto& call = lock.calls.at(*one.current);
    const auto who = *one.current;
    if (call.now == local_call::state::waiting) {
        call.given_up = true;
        step(lock, [&] {
            lock.value.give_up(who, {errc::cancelled, lock.folder + ": its caller gave up"});
        });
    } else if (call.now == local_call::state::held || call.now == local_call::state::lost) {
        forget(lock, who);  // its guard is over from here on
        rest(one);
        step(lock, [&] { lock.value.release(who, client_.local_now()); });
    }
}

void sharing_workload::begin(worker& one) {
    const auto timeout = scenario_.time.session_timeout;
    one.lock = dice_.below(locks_.size());
    auto& lock = locks_[one.lock];
    queue::caller who;
    who.who = core::local_id{++calls_};
    who.mode = dice_.chance(scenario_.once) ? core::attempt::once : core::attempt::wait;
    if (dice_.chance(scenario_.with_deadline))
        who.deadline = client_.local_now() + dice_.up_to(timeout * 3 / 2);
    if (scenario_.max_hold > core::duration{} && dice_.chance(0.5))
        who.max_hold = dice_.up_to(scenario_.max_hold) + 1ms;
    if (dice_.chance(k_wants_a_warning)) who.warn_before = dice_.up_to(timeout) + 1ms;
    one.current = who.who;
    local_call call;
    call.worker = static_cast<std::size_t>(&one - workers_.data());
    call.who = who;
    lock.calls.emplace(who.who, call);
    ++one.serial;
    if (dice_.chance(scenario_.cancelled)) plan(one, dice_.up_to(timeout));
    step(lock, [&] { lock.value.arrive(who, client_.local_now()); });
}

// ---- one step of the value --------------------------------------------------------------------

void sharing_workload::step(shared_lock& lock, const std::function<void()>& what) {
    if (lock.held) {
        const bool sure = judge_.contender_valid(id_, *lock.held);
        lock.value.confirm(sure ? judge_.valid_until(id_, *lock.held) : core::time_point::min());
    }
    what();
    for (const auto& one : lock.value.take()) {
        judge_.on_action(id_, lock, one);
        execute(lock, one);
    }
    judge_.on_settled(id_, lock);
    arm(lock);
}

void sharing_workload::execute(shared_lock& lock, const queue::action& what) {
    if (const auto* granted = std::get_if<queue::tell_granted>(&what)) {
        record_grant(lock, *granted);
    } else if (const auto* refused = std::get_if<queue::tell_refused>(&what)) {
        lock.calls.at(refused->who).now = local_call::state::refused;
        later([this, &lock, who = refused->who] { on_outcome(lock, who); });
    } else if (const auto* lost = std::get_if<queue::tell_lost>(&what)) {
        const auto call = lock.calls.find(lost->who);
        if (call != lock.calls.end()) call->second.now = local_call::state::lost;
    } else if (const auto* back = std::get_if<queue::give_back>(&what)) {
        // One that was granted in vain and is another's already: on_granted has it.
        if (back->contender != lock.number || !lock.held) return;
        soon([this, who = *std::exchange(lock.held, std::nullopt)] { client_.release(who); });
    } else if (const auto* draw = std::get_if<queue::withdraw>(&what)) {
        lock.withdrawn = true;
        soon([this, &lock, number = draw->contender] { withdraw(lock, number); });
    } else if (const auto* asked = std::get_if<queue::ask>(&what)) {
        lock.number = asked->contender;
        lock.withdrawn = false;
        later([this, &lock, asks = *asked] { ask(lock, asks); });
    }
}

void sharing_workload::record_grant(shared_lock& lock, const queue::tell_granted& what) {
    auto& call = lock.calls.at(what.who);
    call.now = local_call::state::granted;
    call.contender = lock.held;
    call.token = fencing_token{judge_.token(id_, *lock.held).zxid(), what.counter};
    call.limit = what.until.value_or(core::time_point::max());
    judge_.on_token(id_, lock, call);
    later([this, &lock, who = what.who] { on_outcome(lock, who); });
}

// Not later than it is armed already: the next one is looked for when it comes.
void sharing_workload::arm(shared_lock& lock) {
    const auto next = lock.value.next_deadline();
    if (!next || (lock.armed && *lock.armed <= *next)) return;
    lock.armed = next;
    const auto until = client_.true_time(std::max(*next, client_.local_now())) - judge_.now();
    chores_.emplace(++chores_planned_, [this, &lock] {
        lock.armed.reset();
        step(lock, [&] { lock.value.on_time(client_.local_now()); });
    });
    client_.wake_after(std::max(until, core::duration{}) + 1us +
                           dice_.up_to(scenario_.time.timer_lateness + k_hand_over),
                       workers_.size(), chores_planned_);
}

// ---- the contender --------------------------------------------------------------------------

void sharing_workload::ask(shared_lock& lock, const queue::ask& what) {
    if (lock.number != what.contender || lock.withdrawn) return;
    core::acquire call;
    call.settings.folder = lock.folder;
    call.settings.mode = what.mode;
    call.settings.tells_contended = true;
    call.settings.waiters =
        client_.plan().enters_again ? on_session_loss::enter_again : on_session_loss::fail;
    contenders_[client_.next_id()] = {static_cast<std::size_t>(&lock - locks_.data()),
                                      what.contender};
    ++lock.unanswered;
    client_.acquire(std::move(call));
}

// One that is granted meanwhile is given back when its grant is known.
void sharing_workload::withdraw(shared_lock& lock, std::uint64_t number) {
    for (const auto& [who, one] : contenders_) {
        if (&locks_[one.lock] == &lock && one.number == number && !judge_.answered(id_, who))
            return client_.cancel(who);
    }
}

void sharing_workload::hear(const core::notice& what) {
    const auto found = contenders_.find(what.who);
    if (found == contenders_.end()) return;
    auto& lock = locks_[found->second.lock];
    const auto number = found->second.number;
    if (std::holds_alternative<core::granted>(what.what)) {
        later([this, &lock, number, who = what.who] { on_granted(lock, number, who); });
        if (dice_.chance(k_gives_up_late)) give_up_all(lock);
    } else if (const auto* failure = std::get_if<core::failed>(&what.what)) {
        later([this, &lock, number, why = failure->why] { on_refused(lock, number, why); });
    } else if (const auto* loss = std::get_if<core::lost>(&what.what)) {
        later([this, &lock, number, why = loss->why] { on_lost(lock, number, why); });
    } else if (std::holds_alternative<core::contended>(what.what)) {
        later([this, &lock, number] {
            judge_.on_contended(lock, number);
            step(lock, [&] { lock.value.on_contended(number); });
        });
    } else if (std::holds_alternative<core::asked_to_release>(what.what)) {
        later([this, &lock, number] {
            judge_.on_asked_to_release(lock, number);
            step(lock, [&] { lock.value.on_asked_to_release(number); });
        });
    }
}

void sharing_workload::give_up_all(const shared_lock& lock) {
    for (auto& one : workers_)
        if (one.current && &locks_[one.lock] == &lock && waits(lock, *one.current))
            plan(one, dice_.up_to(k_hand_over));
}

// Success is told only for a hold that is valid now; threads that enter again do so.
void sharing_workload::on_granted(shared_lock& lock, std::uint64_t number,
                                  core::acquisition_id who) {
    if (!judge_.contender_valid(id_, who)) {
        client_.release(who);
        if (client_.plan().enters_again) return on_late_grant(lock, number);
        return on_refused(lock, number,
                          {errc::session_lost, lock.folder + ": the lease has ended"});
    }
    --lock.unanswered;
    if (lock.number != number) return client_.release(who);
    lock.held = who;
    judge_.on_contender_granted(lock, number);
    step(lock,
         [&] { lock.value.on_granted(number, judge_.valid_until(id_, who), client_.local_now()); });
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
    const auto who = *std::exchange(lock.held, std::nullopt);
    judge_.on_contender_lost(lock, number);
    step(lock, [&] { lock.value.on_lost(number, why); });
    client_.release(who);
}

// ---- the callers ----------------------------------------------------------------------------

// It wakes and learns how its call has ended.
void sharing_workload::on_outcome(shared_lock& lock, core::local_id who) {
    auto& call = lock.calls.at(who);
    auto& one = workers_[call.worker];
    if (call.now == local_call::state::granted && judge_.valid(id_, call)) {
        call.now = local_call::state::held;
        return plan(one, hold_time());
    }
    const bool refused = call.now == local_call::state::refused;
    forget(lock, who);
    rest(one);
    if (!refused) step(lock, [&] { lock.value.release(who, client_.local_now()); });
}

void sharing_workload::forget(shared_lock& lock, core::local_id who) {
    judge_.on_over(lock, lock.calls.at(who));
    lock.calls.erase(who);
}

}  // namespace turnstile::simulation
