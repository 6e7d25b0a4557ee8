// SPDX-License-Identifier: Apache-2.0
#include "verification/work/multi_workload.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/inner_error.hpp"

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr auto k_thread_hand_over = 500us;  // longest time until the next thread acts

core::after_loss after(const error& why) {
    return base::is_contender_gone(why) ? core::after_loss::start_over : core::after_loss::give_up;
}
// Decides whether the call tries again, as quorum_lock does (worth_asking_again). A lease that is too short will not
// become longer.
core::quorum::next again(const error& why) {
    const bool for_good = why == errc::closed || why == errc::lease_too_short;
    return for_good ? core::quorum::next::never : core::quorum::next::again;
}

// Classifies a refusal as multi_lock does (may_be_granted_later).
core::all_of::refusal refusal_of(const error& why, bool tried) {
    if (why == errc::cancelled) return core::all_of::refusal::withdrawn;
    const bool later = why == errc::busy || why == errc::timeout || why == errc::not_connected ||
                       base::is_contender_gone(why);
    return tried && later ? core::all_of::refusal::contested : core::all_of::refusal::own;
}

}  // namespace

multi_workload::multi_workload(client_id id, sim_client& client, const scenario& scenario,
                               dice& chance, composite_judge& judge)
    : id_{id},
      client_{client},
      scenario_{scenario},
      dice_{chance},
      judge_{judge},
      workers_(client.plan().workers) {
    judge_.add(id_, client_, *this);
}

// ---- workers --------------------------------------------------------------------------------

void multi_workload::start() {
    for (auto& actor : workers_) {
        actor.rounds = dice_.from_to(1, scenario_.rounds);
        plan(actor, dice_.up_to(scenario_.time.session_timeout / 2));
    }
}

void multi_workload::stop() {
    stopping_ = true;
    for (auto& actor : workers_)
        if (actor.current && composites_.at(*actor.current).now == composite::state::held)
            plan(actor, dice_.up_to(scenario_.time.session_timeout));
}

bool multi_workload::at_rest() const {
    return std::none_of(workers_.begin(), workers_.end(),
                        [](const worker& actor) { return actor.current.has_value(); }) &&
           composites_.empty();
}

std::vector<const composite*> multi_workload::composites() const {
    std::vector<const composite*> all;
    if (client_.crashed()) return all;
    for (const auto& [key, composite] : composites_)
        if (composite.now != composite::state::over) all.push_back(&composite);
    return all;
}

void multi_workload::plan(worker& actor, core::duration pause) {
    client_.wake_after(pause, static_cast<std::size_t>(&actor - workers_.data()), ++actor.serial);
}

void multi_workload::plan_rest(worker& actor) {
    actor.current.reset();
    plan(actor, dice_.up_to(scenario_.time.session_timeout / 4));
}

// Plans the timer for the quorum's next attempt or the end of its pause.
void multi_workload::plan_timer(composite& set) {
    const auto* most = std::get_if<core::quorum>(&set.value);
    if (most == nullptr || set.now == composite::state::over) return;
    const auto next = most->next_deadline();
    if (!next) return;
    auto& actor = workers_[set.worker];
    const auto pause = client_.true_time(*next) - judge_.now();
    client_.wake_after(std::max(pause, core::duration{}) + 1us, workers_.size() + set.worker,
                       ++actor.timer);
}

core::duration multi_workload::hold_time() {
    const auto timeout = scenario_.time.session_timeout;
    if (!stopping_ && dice_.chance(scenario_.long_holds))
        return dice_.between(timeout / 2, scenario_.longest_hold);
    return dice_.up_to(timeout / 4);
}

void multi_workload::wake(const worker_due& due) {
    if (due.worker == 2 * workers_.size()) {
        const auto next = std::move(told_.front());
        told_.pop_front();
        return on_told(next);
    }
    auto& actor = workers_[due.worker % workers_.size()];
    if (due.worker < workers_.size()) {
        if (actor.serial == due.serial) act(actor);
    } else if (actor.timer == due.serial && actor.current) {
        auto& waits = composites_.at(*actor.current);
        confirm(waits);
        std::get<core::quorum>(waits.value).on_time(client_.local_now());
        execute(*actor.current);
    }
}

void multi_workload::act(worker& actor) {
    if (actor.current) {
        auto& mine = composites_.at(*actor.current);
        judge_.on_write(id_, mine);
        return leave(mine);
    }
    if (stopping_ || actor.rounds == 0) {
        actor.done = true;
    } else {
        --actor.rounds;
        begin(actor);
    }
}

// ---- acquiring ------------------------------------------------------------------------------

composite multi_workload::make(std::size_t which) const {
    const auto timeout = scenario_.time.session_timeout;
    composite composite{which, core::all_of{1}, {}, {}, {}, false, true, {}, 0};
    composite.once = dice_.chance(scenario_.once);
    composite.enters_again = client_.plan().enters_again;
    if (dice_.chance(scenario_.with_deadline))
        composite.deadline = client_.local_now() + dice_.up_to(timeout * 2);
    if (client_.plan().takes == client_plan::taking::all) {
        composite.folders = scenario_.folders;  // in the order in which all clients take them
        if (composite.folders.size() > 2 && dice_.chance(0.5))
            composite.folders.erase(
                composite.folders.begin() +
                static_cast<std::ptrdiff_t>(dice_.below(composite.folders.size())));
        const auto how = draw_course(composite.once);
        // place: parts_in_their_order
        composite.value = core::all_of{composite.folders.size(), how};
    } else {
        composite.folders = scenario_.ensembles;
        core::quorum_settings settings;
        settings.parts = composite.folders.size();
        settings.attempt = timeout / 20;
        settings.retry_first = 10ms;
        settings.retry_longest = timeout / 8;
        settings.deadline = composite.deadline;
        if (composite.once) settings.mode = core::quorum_settings::mode::once;
        composite.value = core::quorum{settings, base::random{dice_.below(UINT64_MAX)}};
    }
    composite.parts.resize(composite.folders.size());
    return composite;
}

// In half of the calls, first tries several locks at once, whatever earlier attempts returned. The library's trial_pace
// tries several locks at once less often.
core::all_of::course multi_workload::draw_course(bool once) const {
    if (once || dice_.chance(0.5)) return core::all_of::course::in_order;
    return dice_.chance(0.5) ? core::all_of::course::all_at_once
                             : core::all_of::course::rest_at_once;
}

void multi_workload::begin(worker& actor) {
    const auto key = ++composites_begun_;
    actor.current = key;
    auto& mine = composites_.emplace(key, make(static_cast<std::size_t>(&actor - workers_.data())))
                     .first->second;
    if (dice_.chance(scenario_.cancelled)) plan(actor, dice_.up_to(scenario_.time.session_timeout));
    if (auto* all = std::get_if<core::all_of>(&mine.value)) {
        all->start();
    } else {
        std::get<core::quorum>(mine.value).start(client_.local_now());
    }
    execute(key);
}

void multi_workload::ask(std::uint64_t key, std::size_t part) {
    client_.acquire(prepare(key, part, asked::as_the_whole, client_.next_id()));
}

void multi_workload::try_all(std::uint64_t key, const std::vector<std::size_t>& parts) {
    std::vector<core::acquire> calls;
    auto id = static_cast<std::uint64_t>(client_.next_id());
    for (const auto part : parts)
        calls.push_back(prepare(key, part, asked::to_try, core::contender_id{id++}));
    client_.acquire_together(std::move(calls));
}

core::acquire multi_workload::prepare(std::uint64_t key, std::size_t part, asked how,
                                      core::contender_id id) {
    auto& mine = composites_.at(key);
    core::acquire call;
    call.settings.folder = mine.folders[part];
    const bool tries = how == asked::to_try || (mine.once && mine.now == composite::state::waiting);
    call.settings.mode = tries ? core::attempt::once : core::attempt::wait;
    call.settings.waiters =
        mine.enters_again ? session_loss_policy::enter_again : session_loss_policy::fail;
    if (!mine.is_quorum()) call.deadline = mine.deadline;
    mine.parts[part] = id;
    parts_[id] = {key, part, how == asked::to_try};
    ++mine.unanswered;
    return call;
}

void multi_workload::leave(composite& set) {
    std::visit([](auto& value) { value.leave(); }, set.value);
    const auto key = *workers_[set.worker].current;
    if (set.now == composite::state::held) over(set);
    execute(key);
}

// ---- notices to the contenders for single locks ---------------------------------------------

void multi_workload::hear(const core::notice& notice) {
    if (!parts_.contains(notice.id)) return;
    if (!std::holds_alternative<core::granted>(notice.event) &&
        !std::holds_alternative<core::failed>(notice.event) &&
        !std::holds_alternative<core::lost>(notice.event))
        return;
    told_.push_back(notice);
    client_.wake_after(dice_.up_to(k_thread_hand_over), 2 * workers_.size(), 0);
}

void multi_workload::on_told(const core::notice& notice) {
    const auto found = parts_.find(notice.id);
    if (found == parts_.end()) return;
    const auto which = found->second;
    auto& mine = composites_.at(which.key);
    confirm(mine);
    on_part(mine, which, notice);
    execute(which.key);
}

void multi_workload::on_part(composite& composite, const part_of& which,
                             const core::notice& notice) {
    const auto now = client_.local_now();
    const auto part = which.part;
    auto* all = std::get_if<core::all_of>(&composite.value);
    auto* most = std::get_if<core::quorum>(&composite.value);
    if (std::holds_alternative<core::granted>(notice.event)) {
        --composite.unanswered;
        if (all != nullptr) return all->on_granted(part);
        most->on_granted(part, judge_.valid_until(id_, *composite.parts[part]), now);
    } else if (const auto* failure = std::get_if<core::failed>(&notice.event)) {
        --composite.unanswered;
        if (all != nullptr) return all->on_refused(part, refusal_of(failure->why, which.tried));
        most->on_refused(part, again(failure->why), now);
    } else if (const auto* loss = std::get_if<core::lost>(&notice.event)) {
        if (all != nullptr) return all->on_lost(part, after(loss->why));
        most->on_lost(part, again(loss->why), now);
    }
}

void multi_workload::confirm(composite& composite) const {
    auto* most = std::get_if<core::quorum>(&composite.value);
    if (most == nullptr) return;
    for (std::size_t i = 0; i != composite.parts.size(); ++i)
        if (most->holds(i)) most->confirm(i, judge_.valid_until(id_, *composite.parts[i]));
}

// ---- actions of a call for several locks (a composite) --------------------------------------

void multi_workload::execute(std::uint64_t key) {
    auto& mine = composites_.at(key);
    const auto carry = [&](auto& value) {
        using V = std::decay_t<decltype(value)>;
        std::vector<core::contender_id> given_back;
        const auto give_back = [&] {
            if (!given_back.empty()) client_.release_together(std::exchange(given_back, {}));
        };
        std::vector<std::size_t> tries;
        for (const auto& entry : value.take()) {
            if constexpr (std::is_same_v<V, core::all_of>) {
                if (const auto* trial = std::get_if<core::all_of::try_part>(&entry)) {
                    tries.push_back(trial->part);
                    continue;
                }
            }
            if (const auto* question = std::get_if<typename V::ask>(&entry)) {
                give_back();  // before the next request
                ask(key, question->part);
            } else if (const auto* draw = std::get_if<typename V::withdraw>(&entry)) {
                client_.cancel(*mine.parts[draw->part]);
            } else if (const auto* back = std::get_if<typename V::give_back>(&entry)) {
                given_back.push_back(*mine.parts[back->part]);
            } else if (std::holds_alternative<typename V::tell_granted>(entry)) {
                granted(mine);
            } else if (mine.now != composite::state::over) {
                over(mine);
            }
        }
        give_back();
        if (!tries.empty()) try_all(key, tries);
    };
    std::visit(carry, mine.value);
    plan_timer(mine);
    forget(key);
}

bool multi_workload::parts_valid(const composite& composite) const {
    for (std::size_t i = 0; i != composite.parts.size(); ++i)
        if (composite.holds(i) && !judge_.part_valid(id_, composite, i)) return false;
    return true;
}

// A caller must never get a guard that is already invalid (failure F28).
void multi_workload::granted(composite& set) {
    set.now = composite::state::held;
    auto& actor = workers_[set.worker];
    if (set.is_quorum() ? !judge_.valid(id_, set) : !parts_valid(set)) {
        plan(actor, {});  // the caller gives the composite up at once
        return;
    }
    judge_.on_granted(id_, set);
    plan(actor, hold_time());
}

void multi_workload::over(composite& set) {
    set.now = composite::state::over;
    plan_rest(workers_[set.worker]);
}

void multi_workload::forget(std::uint64_t key) {
    const auto found = composites_.find(key);
    if (found->second.now != composite::state::over || found->second.unanswered != 0) return;
    std::erase_if(parts_, [key](const auto& entry) { return entry.second.key == key; });
    judge_.on_over(id_, found->second);
    composites_.erase(found);
}

}  // namespace turnstile::simulation
