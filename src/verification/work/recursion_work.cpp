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

// As a guard says.
bool recursion_work::valid(const held& hold) const {
    const auto now = client_.local_now();
    return !lost_.contains(hold.by) && now < client_.valid_until() && now < hold.until;
}

void recursion_work::hear(const core::notice& what) {
    if (std::holds_alternative<core::lost>(what.what)) lost_.insert(what.who);
    const auto* grant = std::get_if<core::granted>(&what.what);
    if (grant == nullptr && !std::holds_alternative<core::failed>(what.what)) return;
    const auto queued = queued_.extract(what.who);
    if (!queued) return;
    const auto& who = queued.mapped();
    for (auto& one : workers_) {
        if (one.what != doing::waiting || one.current != what.who) continue;
        if (grant == nullptr) {
            owners_.gave_up(who);
            return rest(one, hold_time());
        }
        owners_.granted(who, {what.who, grant->until.value_or(core::time_point::max())});
        return take_share(one, who);
    }
}

void recursion_work::acquire(worker& one) {
    const bool by_token = dice_.chance(k_owned_by_token);
    enter(one, by_token ? lock_owner{lock_owner::kind::token, 0}
                        : lock_owner{lock_owner::kind::thread, number(one)});
}

void recursion_work::enter(worker& one, const lock_owner& who) {
    switch (owners_.enter(who, [this](const held& hold) { return valid(hold); })) {
        case detail::owner_entry::queues: return queue(one, who);
        case detail::owner_entry::shares: return take_share(one, who);
        case detail::owner_entry::waits:
        case detail::owner_entry::is_over: break;
    }
    if (one.shares.empty()) return rest(one, hold_time());
    plan(one, hold_time());
}

void recursion_work::queue(worker& one, const lock_owner& who) {
    core::acquire call;
    one.folder = scenario_.folders.front();
    call.settings.folder = one.folder;
    call.settings.waiters =
        client_.plan().enters_again ? on_session_loss::enter_again : on_session_loss::fail;
    call.deadline = client_.local_now() + 2 * scenario_.time.session_timeout;
    if (scenario_.max_hold > core::duration{} && dice_.chance(0.5))
        call.max_hold = dice_.up_to(scenario_.max_hold) + 1ms;
    one.what = doing::waiting;
    one.current = client_.next_id();
    queued_.emplace(one.current, who);
    client_.acquire(std::move(call));
}

void recursion_work::take_share(worker& one, const lock_owner& who) {
    const auto by = owners_.hold_of(who)->by;
    client_.takes_share(by, who);
    one.shares.push_back({who, by});
    one.what = doing::holding;
    plan(one, hold_time());
}

void recursion_work::go_on(worker& one) {
    if (one.shares.empty()) return rest(one, hold_time());  // another thread let go of it
    if (dice_.chance(k_meddles)) meddle(one);
    if (one.shares.empty()) return rest(one, hold_time());
    const auto who = one.shares.back().who;
    if (!stopping_ && one.shares.size() < k_deepest && dice_.chance(k_enters_again))
        return enter(one, who);
    leave(one, one.shares.size() - 1, one);
    if (one.shares.empty()) return rest(one, hold_time());
    plan(one, hold_time());
}

// Lets go of what is in another thread's hands, if it may.
void recursion_work::meddle(const worker& one) {
    auto& other = workers_[dice_.below(workers_.size())];
    if (!other.shares.empty()) leave(other, other.shares.size() - 1, one);
}

void recursion_work::leave(worker& from, std::size_t which, const worker& caller) {
    const auto [who, by] = from.shares[which];
    const lock_owner as{lock_owner::kind::thread, number(caller)};
    if (!table::may_leave(who, as)) return;
    from.shares.erase(from.shares.begin() + static_cast<std::ptrdiff_t>(which));
    const auto last = owners_.leave(who);
    client_.leaves_share(by, as);
    if (last && lost_.erase(last->by) == 0) client_.release(last->by);
}

}  // namespace turnstile::simulation
