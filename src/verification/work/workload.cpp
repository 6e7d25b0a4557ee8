// SPDX-License-Identifier: Apache-2.0
#include "verification/work/workload.hpp"

#include <utility>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr double k_asks = 0.1;
constexpr double k_goes_on = 0.5;

}  // namespace

void workload::hear(const core::notice& what) {
    const bool over = std::holds_alternative<core::failed>(what.what) ||
                      std::holds_alternative<core::lost>(what.what);
    for (auto& one : workers_) {
        if (one.what != doing::waiting && one.what != doing::holding) continue;
        if (over && one.base == what.who) return lose_base(one);
        if (one.current != what.who) continue;
        if (const auto* grant = std::get_if<core::granted>(&what.what)) {
            one.what = doing::holding;
            one.znode = grant->znode;
            plan(one, hold_time(4));
        } else if (std::holds_alternative<core::renamed>(what.what)) {
            one.renaming = false;
        } else if (over) {
            end_current(one);
        }
        return;
    }
}

// What stands on it is given up at once.
void workload::lose_base(worker& one) {
    one.base.reset();
    plan(one, {});
}

void workload::end_current(worker& one) {
    const auto usual = scenario_.time.session_timeout / 4;
    const auto most = scenario_.longest_rest > core::duration{} ? scenario_.longest_rest : usual;
    if (!one.base) return rest(one, dice_.up_to(most));
    one.current = *std::exchange(one.base, std::nullopt);  // which is held still
    one.wants = {core::contender_kind::read};              // and not upgraded again
    one.what = doing::holding;
    plan(one, hold_time(4));
}

void workload::go_on(worker& one) {
    if (!stopping_ && converts(one)) return;
    const auto held = one.current;
    end_current(one);
    client_.release(held);
}

bool workload::converts(worker& one) {
    using core::contender_kind;
    if (one.base || one.renaming) return false;
    const bool writes = one.wants.kind == contender_kind::write;
    if (!writes && one.wants.kind != contender_kind::upgradable) return false;
    if (!dice_.chance(k_goes_on)) return false;
    if (writes || dice_.chance(0.3)) {
        const bool keeps_a_way_up = writes && dice_.chance(0.5);
        one.wants.kind = keeps_a_way_up ? contender_kind::upgradable : contender_kind::read;
        // Its number in the queue is the same, its name is not.
        one.znode =
            one.folder + '/' +
            core::renamed_contender(one.znode.substr(one.folder.size() + 1), one.wants.kind);
        plan(one, hold_time(4));
        one.renaming = true;
        client_.rename(one.current, one.wants.kind);
        return true;
    }
    core::acquire call;
    call.settings.folder = one.folder;
    call.settings.wants = {contender_kind::upgrade, 1,
                           *core::contender_sequence(one.znode.substr(one.folder.size() + 1))};
    call.settings.waiters = session_loss_policy::fail;
    one.base = one.current;
    one.wants = call.settings.wants;
    this->call(one, std::move(call));
    return true;
}

void workload::acquire(worker& one) {
    core::acquire call;
    choose(one, call);
    call.settings.waiters =
        client_.plan().enters_again ? session_loss_policy::enter_again : session_loss_policy::fail;
    core::operation look = core::children_op{call.settings.folder};
    this->call(one, std::move(call));
    if (dice_.chance(k_asks)) client_.read(std::move(look), scenario_.time.session_timeout);
}

// Which lock, and as what.
void workload::choose(worker& one, core::acquire& call) {
    auto& what = call.settings;
    if (scenario_.other_recipes == 0 || !dice_.chance(scenario_.other_recipes)) {
        what.folder = dice_.pick(scenario_.folders);
        what.lock_delay = scenario_.lock_delay;
        if (client_.plan().knows_floors) what.long_queue = scenario_.long_queue;
    } else if (!scenario_.read_write.empty() &&
               (scenario_.semaphore.empty() || dice_.chance(0.5))) {
        what.folder = scenario_.read_write;
        what.wants.kind = dice_.pick(std::vector<core::contender_kind>{
            core::contender_kind::read, core::contender_kind::read, core::contender_kind::write,
            core::contender_kind::upgradable});
    } else {
        what.folder = scenario_.semaphore;
        what.wants.kind = core::contender_kind::lease;
        what.wants.permits = static_cast<std::int32_t>(dice_.from_to(1, dice_.from_to(1, 3)));
        if (!scenario_.folders_exist || dice_.chance(0.2)) what.limit = scenario_.permits;
    }
    one.wants = what.wants;
    one.renaming = false;
    one.folder = what.folder;
}

void workload::call(worker& one, core::acquire&& call) {
    const auto timeout = scenario_.time.session_timeout;
    call.settings.mode = dice_.chance(scenario_.once) ? core::attempt::once : core::attempt::wait;
    if (dice_.chance(scenario_.with_deadline))
        call.deadline = client_.local_now() + dice_.up_to(timeout * 3 / 2);
    if (scenario_.max_hold > core::duration{} && dice_.chance(0.5))
        call.max_hold = dice_.up_to(scenario_.max_hold) + std::chrono::milliseconds{1};
    ++one.serial;
    if (dice_.chance(scenario_.cancelled)) plan(one, dice_.up_to(timeout));
    one.what = doing::waiting;
    one.current = client_.next_id();
    client_.acquire(std::move(call));
}

void workload::stop() {
    crew::stop();
    for (auto& one : workers_)
        if (one.what == doing::holding) plan(one, dice_.up_to(scenario_.time.session_timeout));
}

}  // namespace turnstile::simulation
