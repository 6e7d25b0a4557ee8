// SPDX-License-Identifier: Apache-2.0
#include "verification/work/multi_workload.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr auto k_hand_over = 500us;  // from thread to thread, at most

bool ends_with_session(const error& why) {
    return why == errc::session_lost || why == errc::removed;
}
core::after_loss after(const error& why) {
    return ends_with_session(why) ? core::after_loss::start_over : core::after_loss::give_up;
}
core::quorum::next again(const error& why) {
    return why == errc::closed ? core::quorum::next::never : core::quorum::next::again;
}

}  // namespace

multi_workload::multi_workload(client_id id, sim_client& client, const scenario& what, dice& chance,
                               composite_judge& judge)
    : id_{id},
      client_{client},
      scenario_{what},
      dice_{chance},
      judge_{judge},
      workers_(client.plan().workers) {
    judge_.add(id_, client_, *this);
}

// ---- workers --------------------------------------------------------------------------------

void multi_workload::start() {
    for (auto& one : workers_) {
        one.rounds = dice_.from_to(1, scenario_.rounds);
        plan(one, dice_.up_to(scenario_.time.session_timeout / 2));
    }
}

void multi_workload::stop() {
    stopping_ = true;
    for (auto& one : workers_)
        if (one.current && composites_.at(*one.current).now == composite::state::held)
            plan(one, dice_.up_to(scenario_.time.session_timeout));
}

bool multi_workload::at_rest() const {
    return std::none_of(workers_.begin(), workers_.end(),
                        [](const worker& one) { return one.current.has_value(); }) &&
           composites_.empty();
}

std::vector<const composite*> multi_workload::composites() const {
    std::vector<const composite*> all;
    if (client_.crashed()) return all;
    for (const auto& [key, one] : composites_)
        if (one.now != composite::state::over) all.push_back(&one);
    return all;
}

void multi_workload::plan(worker& one, core::duration pause) {
    client_.wake_after(pause, static_cast<std::size_t>(&one - workers_.data()), ++one.serial);
}

void multi_workload::plan_rest(worker& one) {
    one.current.reset();
    plan(one, dice_.up_to(scenario_.time.session_timeout / 4));
}

// Of a quorum's attempts and pauses.
void multi_workload::plan_timer(composite& one) {
    const auto* most = std::get_if<core::quorum>(&one.value);
    if (most == nullptr || one.now == composite::state::over) return;
    const auto next = most->next_deadline();
    if (!next) return;
    auto& who = workers_[one.worker];
    const auto pause = client_.true_time(*next) - judge_.now();
    client_.wake_after(std::max(pause, core::duration{}) + 1us, workers_.size() + one.worker,
                       ++who.timer);
}

core::duration multi_workload::hold_time() {
    const auto timeout = scenario_.time.session_timeout;
    if (!stopping_ && dice_.chance(scenario_.long_holds))
        return dice_.between(timeout / 2, scenario_.longest_hold);
    return dice_.up_to(timeout / 4);
}

void multi_workload::wake(const worker_due& what) {
    if (what.worker == 2 * workers_.size()) {
        const auto next = std::move(told_.front());
        told_.pop_front();
        return on_told(next);
    }
    auto& one = workers_[what.worker % workers_.size()];
    if (what.worker < workers_.size()) {
        if (one.serial == what.serial) act(one);
    } else if (one.timer == what.serial && one.current) {
        auto& waits = composites_.at(*one.current);
        confirm(waits);
        std::get<core::quorum>(waits.value).on_time(client_.local_now());
        execute(*one.current);
    }
}

void multi_workload::act(worker& one) {
    if (one.current) {
        auto& mine = composites_.at(*one.current);
        judge_.on_write(id_, mine);
        return leave(mine);
    }
    if (stopping_ || one.rounds == 0) {
        one.done = true;
    } else {
        --one.rounds;
        begin(one);
    }
}

// ---- acquiring ------------------------------------------------------------------------------

composite multi_workload::make(std::size_t which) const {
    const auto timeout = scenario_.time.session_timeout;
    composite made{which, core::all_of{1}, {}, {}, {}, false, true, {}, 0};
    made.once = dice_.chance(scenario_.once);
    made.enters_again = client_.plan().enters_again;
    if (dice_.chance(scenario_.with_deadline))
        made.deadline = client_.local_now() + dice_.up_to(timeout * 2);
    if (client_.plan().takes == client_plan::taking::all) {
        made.folders = scenario_.folders;  // in their canonical order
        if (made.folders.size() > 2 && dice_.chance(0.5))
            made.folders.erase(made.folders.begin() +
                               static_cast<std::ptrdiff_t>(dice_.below(made.folders.size())));
        made.value = core::all_of{made.folders.size()};  // place: parts_in_their_order
    } else {
        made.folders = scenario_.ensembles;
        core::quorum_settings settings;
        settings.parts = made.folders.size();
        settings.attempt = timeout / 20;
        settings.retry_first = 10ms;
        settings.retry_longest = timeout / 8;
        settings.deadline = made.deadline;
        if (made.once) settings.mode = core::quorum_settings::mode::once;
        made.value = core::quorum{settings, base::random{dice_.below(UINT64_MAX)}};
    }
    made.parts.resize(made.folders.size());
    return made;
}

void multi_workload::begin(worker& one) {
    const auto key = ++made_;
    one.current = key;
    auto& mine = composites_.emplace(key, make(static_cast<std::size_t>(&one - workers_.data())))
                     .first->second;
    if (dice_.chance(scenario_.cancelled)) plan(one, dice_.up_to(scenario_.time.session_timeout));
    if (auto* all = std::get_if<core::all_of>(&mine.value)) {
        all->start();
    } else {
        std::get<core::quorum>(mine.value).start(client_.local_now());
    }
    execute(key);
}

void multi_workload::ask(std::uint64_t key, std::size_t part) {
    auto& mine = composites_.at(key);
    core::acquire call;
    call.settings.folder = mine.folders[part];
    const bool tries = mine.once && mine.now == composite::state::waiting;
    call.settings.mode = tries ? core::attempt::once : core::attempt::wait;
    call.settings.waiters =
        mine.enters_again ? on_session_loss::enter_again : on_session_loss::fail;
    if (!mine.is_quorum()) call.deadline = mine.deadline;
    mine.parts[part] = client_.next_id();
    parts_[client_.next_id()] = {key, part};
    ++mine.unanswered;
    client_.acquire(std::move(call));
}

void multi_workload::leave(composite& one) {
    std::visit([](auto& value) { value.leave(); }, one.value);
    const auto key = *workers_[one.worker].current;
    if (one.now == composite::state::held) over(one);
    execute(key);
}

// ---- what the parts tell --------------------------------------------------------------------

void multi_workload::hear(const core::notice& what) {
    if (!parts_.contains(what.who)) return;
    if (!std::holds_alternative<core::granted>(what.what) &&
        !std::holds_alternative<core::failed>(what.what) &&
        !std::holds_alternative<core::lost>(what.what))
        return;
    told_.push_back(what);
    client_.wake_after(dice_.up_to(k_hand_over), 2 * workers_.size(), 0);
}

void multi_workload::on_told(const core::notice& what) {
    const auto found = parts_.find(what.who);
    if (found == parts_.end()) return;
    const auto [key, part] = found->second;
    auto& mine = composites_.at(key);
    confirm(mine);
    on_part(mine, part, what);
    execute(key);
}

void multi_workload::on_part(composite& one, std::size_t part, const core::notice& what) {
    const auto now = client_.local_now();
    auto* all = std::get_if<core::all_of>(&one.value);
    auto* most = std::get_if<core::quorum>(&one.value);
    if (std::holds_alternative<core::granted>(what.what)) {
        --one.unanswered;
        if (all != nullptr) return all->on_granted(part);
        most->on_granted(part, judge_.valid_until(id_, *one.parts[part]), now);
    } else if (const auto* failure = std::get_if<core::failed>(&what.what)) {
        --one.unanswered;
        const bool withdrawn = failure->why == errc::cancelled;
        if (all != nullptr) {
            return all->on_refused(
                part, withdrawn ? core::all_of::refusal::withdrawn : core::all_of::refusal::own);
        }
        most->on_refused(part, again(failure->why), now);
    } else if (const auto* loss = std::get_if<core::lost>(&what.what)) {
        if (all != nullptr) return all->on_lost(part, after(loss->why));
        most->on_lost(part, again(loss->why), now);
    }
}

void multi_workload::confirm(composite& one) const {
    auto* most = std::get_if<core::quorum>(&one.value);
    if (most == nullptr) return;
    for (std::size_t i = 0; i != one.parts.size(); ++i)
        if (most->holds(i)) most->confirm(i, judge_.valid_until(id_, *one.parts[i]));
}

// ---- what follows ---------------------------------------------------------------------------

void multi_workload::execute(std::uint64_t key) {
    auto& mine = composites_.at(key);
    const auto carry = [&](auto& value) {
        using V = std::decay_t<decltype(value)>;
        for (const auto& one : value.take()) {
            if (const auto* asked = std::get_if<typename V::ask>(&one)) {
                ask(key, asked->part);
            } else if (const auto* draw = std::get_if<typename V::withdraw>(&one)) {
                client_.cancel(*mine.parts[draw->part]);
            } else if (const auto* back = std::get_if<typename V::give_back>(&one)) {
                client_.release(*mine.parts[back->part]);
            } else if (std::holds_alternative<typename V::tell_granted>(one)) {
                granted(mine);
            } else if (mine.now != composite::state::over) {
                over(mine);
            }
        }
    };
    std::visit(carry, mine.value);
    plan_timer(mine);
    forget(key);
}

bool multi_workload::parts_valid(const composite& one) const {
    for (std::size_t i = 0; i != one.parts.size(); ++i)
        if (one.holds(i) && !judge_.part_valid(id_, one, i)) return false;
    return true;
}

// Its caller gets no guard that is not valid (F28).
void multi_workload::granted(composite& one) {
    one.now = composite::state::held;
    auto& who = workers_[one.worker];
    if (one.is_quorum() ? !judge_.valid(id_, one) : !parts_valid(one)) {
        plan(who, {});  // gives it up
        return;
    }
    judge_.on_granted(id_, one);
    plan(who, hold_time());
}

void multi_workload::over(composite& one) {
    one.now = composite::state::over;
    plan_rest(workers_[one.worker]);
}

void multi_workload::forget(std::uint64_t key) {
    const auto found = composites_.find(key);
    if (found->second.now != composite::state::over || found->second.unanswered != 0) return;
    std::erase_if(parts_, [key](const auto& one) { return one.second.first == key; });
    judge_.on_over(id_, found->second);
    composites_.erase(found);
}

}  // namespace turnstile::simulation
