// SPDX-License-Identifier: Apache-2.0
#include "verification/work/recursion_work.hpp"

#include <utility>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr double k_owned_by_token = 0.3;
constexpr double k_enters_again = 0.4;
constexpr double k_meddles = 0.2;
constexpr std::size_t k_deepest = 4;

}  // namespace

// Returns what guard::valid() would return.
bool recursion_work::valid(const held& hold) const {
    const auto now = client_.local_now();
    return !lost_.contains(hold.by) && now < client_.valid_until() && now < hold.until;
}

void recursion_work::hear(const core::notice& notice) {
    if (std::holds_alternative<core::lost>(notice.event)) lost_.insert(notice.id);
    const auto* grant = std::get_if<core::granted>(&notice.event);
    if (grant == nullptr && !std::holds_alternative<core::failed>(notice.event)) return;
    const auto queued = queued_.extract(notice.id);
    if (!queued) return;
    const auto& mapped = queued.mapped();
    for (auto& actor : workers_) {
        if (actor.state != doing::waiting || actor.current != notice.id) continue;
        if (grant == nullptr) {
            owners_.gave_up(mapped);
            return rest(actor, hold_time());
        }
        owners_.granted(mapped, {notice.id, grant->until.value_or(core::time_point::max())});
        return take_share(actor, mapped);
    }
}

void recursion_work::acquire(worker& actor) {
    const bool by_token = dice_.chance(k_owned_by_token);
    enter(actor, by_token ? lock_owner{lock_owner::kind::token, 0}
                          : lock_owner{lock_owner::kind::thread, number(actor)});
}

void recursion_work::enter(worker& actor, const lock_owner& owner) {
    switch (owners_.enter(owner, [this](const held& hold) { return valid(hold); })) {
        case detail::owner_entry::queues: return queue(actor, owner);
        case detail::owner_entry::shares: return take_share(actor, owner);
        case detail::owner_entry::waits:
        case detail::owner_entry::is_over: break;
    }
    if (actor.shares.empty()) return rest(actor, hold_time());
    plan(actor, hold_time());
}

void recursion_work::queue(worker& actor, const lock_owner& owner) {
    core::acquire call;
    actor.folder = scenario_.folders.front();
    call.settings.folder = actor.folder;
    call.settings.waiters =
        client_.plan().enters_again ? session_loss_policy::enter_again : session_loss_policy::fail;
    call.deadline = client_.local_now() + 2 * scenario_.time.session_timeout;
    if (scenario_.max_hold > core::duration{} && dice_.chance(0.5))
        call.max_hold = dice_.up_to(scenario_.max_hold) + 1ms;
    actor.state = doing::waiting;
    actor.current = client_.next_id();
    queued_.emplace(actor.current, owner);
    client_.acquire(std::move(call));
}

void recursion_work::take_share(worker& actor, const lock_owner& owner) {
    const auto by = owners_.hold_of(owner)->by;
    client_.takes_share(by, owner);
    actor.shares.push_back({owner, by});
    actor.state = doing::holding;
    plan(actor, hold_time());
}

void recursion_work::go_on(worker& actor) {
    if (actor.shares.empty()) return rest(actor, hold_time());  // another thread released the share
    if (dice_.chance(k_meddles)) meddle(actor);
    if (actor.shares.empty()) return rest(actor, hold_time());
    const auto id = actor.shares.back().owner;
    if (!stopping_ && actor.shares.size() < k_deepest && dice_.chance(k_enters_again))
        return enter(actor, id);
    leave(actor, actor.shares.size() - 1, actor);
    if (actor.shares.empty()) return rest(actor, hold_time());
    plan(actor, hold_time());
}

// Tries to release the lock once for another thread, which has entered the lock. The library must refuse this if the
// owner is a thread, and allow it if the owner is a token that the threads share.
void recursion_work::meddle(const worker& actor) {
    auto& other = workers_[dice_.below(workers_.size())];
    if (!other.shares.empty()) leave(other, other.shares.size() - 1, actor);
}

void recursion_work::leave(worker& from, std::size_t which, const worker& caller) {
    const auto [owner, by] = from.shares[which];
    const lock_owner as{lock_owner::kind::thread, number(caller)};
    if (!table::may_leave(owner, as)) return;
    from.shares.erase(from.shares.begin() + static_cast<std::ptrdiff_t>(which));
    const auto last = owners_.leave(owner);
    client_.leaves_share(by, as);
    if (last && lost_.erase(last->by) == 0) client_.release(last->by);
}

}  // namespace turnstile::simulation
