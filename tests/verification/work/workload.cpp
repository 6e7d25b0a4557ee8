// SPDX-License-Identifier: Apache-2.0
#include "verification/work/workload.hpp"

#include <utility>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr double k_asks = 0.1;
constexpr double k_goes_on = 0.5;

}  // namespace

void workload::hear(const core::notice& notice) {
    const bool over = std::holds_alternative<core::failed>(notice.event) ||
                      std::holds_alternative<core::lost>(notice.event);
    for (auto& actor : workers_) {
        if (actor.state != doing::waiting && actor.state != doing::holding) continue;
        if (over && actor.base == notice.id) return lose_base(actor);
        if (actor.current != notice.id) continue;
        if (const auto* grant = std::get_if<core::granted>(&notice.event)) {
            actor.state = doing::holding;
            actor.znode = grant->znode;
            plan(actor, hold_time(4));
        } else if (std::holds_alternative<core::renamed>(notice.event)) {
            actor.renaming = false;
        } else if (over) {
            end_current(actor);
        }
        return;
    }
}

// The upgradable hold is lost, so its upgrade gives up.
void workload::lose_base(worker& actor) {
    actor.base.reset();
    plan(actor, {});
}

void workload::end_current(worker& actor) {
    const auto usual = scenario_.time.session_timeout / 4;
    const auto most = scenario_.longest_rest > core::duration{} ? scenario_.longest_rest : usual;
    if (!actor.base) return rest(actor, dice_.up_to(most));
    actor.current = *std::exchange(actor.base, std::nullopt);  // the upgradable hold remains
    actor.wants = {core::claim_kind::read};                    // so that it is not upgraded again
    actor.state = doing::holding;
    plan(actor, hold_time(4));
}

void workload::go_on(worker& actor) {
    if (!stopping_ && converts(actor)) return;
    const auto held = actor.current;
    end_current(actor);
    client_.release(held);
}

bool workload::converts(worker& actor) {
    using core::claim_kind;
    if (actor.base || actor.renaming) return false;
    const bool writes = actor.wants.kind == claim_kind::write;
    if (!writes && actor.wants.kind != claim_kind::upgradable) return false;
    if (!dice_.chance(k_goes_on)) return false;
    if (writes || dice_.chance(0.3)) {
        const bool keeps_a_way_up = writes && dice_.chance(0.5);
        actor.wants.kind = keeps_a_way_up ? claim_kind::upgradable : claim_kind::read;
        // Renaming keeps the contender's number in the queue.
        actor.znode =
            actor.folder + '/' +
            core::renamed_contender(actor.znode.substr(actor.folder.size() + 1), actor.wants.kind);
        plan(actor, hold_time(4));
        actor.renaming = true;
        client_.rename(actor.current, actor.wants.kind);
        return true;
    }
    core::acquire call;
    call.settings.folder = actor.folder;
    call.settings.wants = {claim_kind::upgrade, 1,
                           *core::contender_sequence(actor.znode.substr(actor.folder.size() + 1))};
    call.settings.waiters = session_loss_policy::fail;
    actor.base = actor.current;
    actor.wants = call.settings.wants;
    this->call(actor, std::move(call));
    return true;
}

void workload::acquire(worker& actor) {
    core::acquire call;
    choose(actor, call);
    call.settings.waiters =
        client_.plan().enters_again ? session_loss_policy::enter_again : session_loss_policy::fail;
    core::operation look = core::children_op{call.settings.folder};
    this->call(actor, std::move(call));
    if (dice_.chance(k_asks)) client_.read(std::move(look), scenario_.time.session_timeout);
}

// Chooses the lock and the kind of hold.
void workload::choose(worker& actor, core::acquire& call) {
    auto& settings = call.settings;
    if (scenario_.other_recipes == 0 || !dice_.chance(scenario_.other_recipes)) {
        settings.folder = dice_.pick(scenario_.folders);
        settings.lock_delay = scenario_.lock_delay;
        if (client_.plan().knows_low_water_marks) settings.long_queue = scenario_.long_queue;
    } else if (!scenario_.read_write.empty() &&
               (scenario_.semaphore.empty() || dice_.chance(0.5))) {
        settings.folder = scenario_.read_write;
        settings.wants.kind = dice_.pick(
            std::vector<core::claim_kind>{core::claim_kind::read, core::claim_kind::read,
                                          core::claim_kind::write, core::claim_kind::upgradable});
    } else {
        settings.folder = scenario_.semaphore;
        settings.wants.kind = core::claim_kind::permit;
        settings.wants.permits = static_cast<std::int32_t>(dice_.from_to(1, dice_.from_to(1, 3)));
        if (!scenario_.folders_exist || dice_.chance(0.2)) settings.limit = scenario_.permits;
    }
    actor.wants = settings.wants;
    actor.renaming = false;
    actor.folder = settings.folder;
}

void workload::call(worker& actor, core::acquire&& call) {
    const auto timeout = scenario_.time.session_timeout;
    call.settings.mode = dice_.chance(scenario_.once) ? core::attempt::once : core::attempt::wait;
    if (dice_.chance(scenario_.with_deadline))
        call.deadline = client_.local_now() + dice_.up_to(timeout * 3 / 2);
    if (scenario_.max_hold > core::duration{} && dice_.chance(0.5))
        call.max_hold = dice_.up_to(scenario_.max_hold) + std::chrono::milliseconds{1};
    ++actor.serial;
    if (dice_.chance(scenario_.cancelled)) plan(actor, dice_.up_to(timeout));
    actor.state = doing::waiting;
    actor.current = client_.next_id();
    client_.acquire(std::move(call));
}

void workload::stop() {
    crew::stop();
    for (auto& actor : workers_)
        if (actor.state == doing::holding) plan(actor, dice_.up_to(scenario_.time.session_timeout));
}

}  // namespace turnstile::simulation
