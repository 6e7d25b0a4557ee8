// SPDX-License-Identifier: Apache-2.0
#include "verification/work/election_work.hpp"

#include <algorithm>
#include <utility>

#include "recipe/election/succession.hpp"

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr auto k_moment = 20ms;
constexpr double k_at_once = 0.3;    // of what the user says, right after the word before
constexpr double k_stays_out = 0.5;  // of the participants
constexpr double k_executor_throws = 0.03;
constexpr double k_resigns = 0.3;
constexpr double k_moves = 0.4;

}  // namespace

election_work::election_work(sim_client& client, const scenario& what, dice& chance)
    : client_{client}, scenario_{what}, dice_{chance}, folder_{what.folders.front()} {
    for (std::size_t i = 0; i != client.plan().workers; ++i) {
        auto& one = seats_.emplace_back(dice_.chance(k_stays_out) ? after_term_policy::stay_out
                                                                  : after_term_policy::enter_again);
        one.judge.name = id() + '.' + std::to_string(i);
    }
}

// ---- time -----------------------------------------------------------------------------------

std::uint64_t election_work::after(core::duration pause, step what) {
    planned_.emplace(++events_, std::move(what));
    client_.wake_after(pause, 0, events_);
    return events_;
}

void election_work::soon(seat& one, step what) {
    ++one.judge.under_way;
    const auto pause = dice_.chance(0.5) ? core::duration{} : dice_.up_to(k_moment);
    after(pause, [&one, act = std::move(what)] {
        --one.judge.under_way;
        act();
    });
}

core::duration election_work::some_time() {
    return dice_.up_to(dice_.chance(0.5) ? core::duration{k_moment}
                                         : scenario_.time.session_timeout / 3);
}

void election_work::wake(const worker_due& what) {
    const auto next = planned_.extract(what.serial);
    if (!next) return;
    next.mapped()();
    for (const auto& one : seats_) one.judge.look();
}

// ---- the user -------------------------------------------------------------------------------

void election_work::start() {
    for (auto& one : seats_) {
        one.words = dice_.from_to(1, 4 * scenario_.rounds);
        plan_word(one);
    }
}

void election_work::plan_word(seat& one) {
    if (one.words == 0 || stopping_) return;
    --one.words;
    after(dice_.chance(k_at_once) ? dice_.up_to(k_moment) : some_time(), [this, &one] {
        if (!stopping_) speak(one);
        plan_word(one);
    });
}

void election_work::speak(seat& one) {
    switch (dice_.below(4)) {
        case 0:
        case 1: return say_start(one);
        case 2: return say_close(one);
        default: return say_resign(one);
    }
}

void election_work::say_start(seat& one) {
    one.judge.takes_part = true;
    if (one.judge.runs && one.term_is_over) one.started_meanwhile = true;
    feed(one, course::started{});
}

void election_work::say_close(seat& one) {
    one.judge.takes_part = false;
    one.term_is_over = one.judge.runs.has_value();
    one.started_meanwhile = false;
    feed(one, course::closed{});
}

void election_work::say_resign(seat& one) {
    if (one.leads) one.term_is_over = true;
    feed(one, course::resigned{});
}

void election_work::all_give_up() {
    for (auto& one : seats_) after({}, [this, &one] { say_close(one); });
}

// Each participant leads once more before it goes: at the end one of them leads.
void election_work::stop() {
    stopping_ = true;
    for (auto& one : seats_) {
        after({}, [this, &one] {
            one.closes_next = true;
            if (one.judge.takes_part || dice_.chance(0.5)) say_start(one);
        });
    }
}

bool election_work::at_rest() const {
    return planned_.empty() && std::all_of(seats_.begin(), seats_.end(), [](const seat& one) {
               return !one.judge.takes_part && !one.judge.runs && one.asked.empty();
           });
}

// ---- the shell ------------------------------------------------------------------------------

void election_work::feed(seat& one, const course::input& what) {
    for (const auto& next : one.now.on(what)) {
        if (const auto* enters = std::get_if<course::enter>(&next)) one.newest = enters->of;
        soon(one, [this, &one, next] { execute(one, next); });
    }
}

void election_work::execute(seat& one, const course::action& what) {
    if (const auto* next = std::get_if<course::enter>(&what)) return enter(one, next->of);
    if (const auto* next = std::get_if<course::leave>(&what)) return leave(one, next->of);
    if (const auto* next = std::get_if<course::call>(&what)) return hand_over(one, next->of);
    if (const auto* next = std::get_if<course::give_back>(&what)) return give_back(one, next->of);
    end_soon(one, std::get<course::stop>(what).of);
}

void election_work::enter(seat& one, turn which) {
    if (one.given_up.contains(which)) return;
    core::acquire call;
    call.settings.folder = folder_;
    call.settings.wants = scenario_.work_wants;
    call.settings.waiters =
        client_.plan().enters_again ? session_loss_policy::enter_again : session_loss_policy::fail;
    one.asked[which] = client_.next_id();
    one.judge.queued.insert(which);
    client_.acquire(std::move(call));
}

void election_work::leave(seat& one, turn which) {
    one.given_up.insert(which);
    const auto found = one.asked.find(which);
    if (found == one.asked.end() || one.judge.held.contains(which)) return;
    const auto waits = found->second;
    one.judge.queued.erase(which);
    one.asked.erase(found);
    client_.cancel(waits);
}

void election_work::give_back(seat& one, turn which) {
    const auto found = one.asked.find(which);
    if (found == one.asked.end()) return;  // lost
    const auto held = found->second;
    one.judge.queued.erase(which);
    one.judge.held.erase(which);
    one.asked.erase(found);
    client_.release(held);
}

void election_work::hand_over(seat& one, turn which) {
    if (!stopping_ && dice_.chance(k_executor_throws)) {
        if (which == one.newest) one.judge.takes_part = false;
        return feed(one, course::not_run{which});
    }
    ++one.judge.under_way;
    after(some_time(), [this, &one, which] {
        --one.judge.under_way;
        begin(one, which);
    });
}

void election_work::hear(const core::notice& what) {
    for (auto& one : seats_) {
        const auto found = std::find_if(one.asked.begin(), one.asked.end(),
                                        [&](const auto& each) { return each.second == what.who; });
        if (found == one.asked.end()) continue;
        const auto which = found->first;
        if (std::holds_alternative<core::granted>(what.what)) {
            one.judge.held.insert(which);
            return soon(one, [this, &one, which] { feed(one, course::granted{which}); });
        }
        const auto* failed = std::get_if<core::failed>(&what.what);
        if (failed == nullptr && !std::holds_alternative<core::lost>(what.what)) return;
        one.asked.erase(found);
        one.judge.queued.erase(which);
        one.judge.held.erase(which);
        if (failed == nullptr) return soon(one, [this, &one, which] { on_lost(one, which); });
        return soon(one, [this, &one, which, why = failed->why] { on_refused(one, which, why); });
    }
}

void election_work::on_lost(seat& one, turn which) {
    if (one.leads && one.judge.runs == which) one.term_is_over = true;
    feed(one, course::lost{which});
}

void election_work::on_refused(seat& one, turn which, const error& why) {
    if (which == one.newest && !detail::is_worth_another_attempt(why)) one.judge.takes_part = false;
    feed(one, course::refused{which, why});
}

// ---- the task -------------------------------------------------------------------------------

void election_work::begin(seat& one, turn which) {
    feed(one, course::begun{which});
    if (!one.now.is<course::deciding>(which)) return;
    one.judge.begins(which);
    read([this, &one, which](const std::optional<core::reply>& folder) {
        decide(one, which, folder);
    });
}

void election_work::read(reader then) {
    reads_[client_.next_id()] = std::move(then);
    client_.read(core::get_op{folder_}, scenario_.time.session_timeout);
}

void election_work::answered(const core::answer& what) {
    const auto found = reads_.extract(what.who);
    if (!found) return;
    const auto* reply = std::get_if<core::reply>(&what.what);
    const bool good = reply != nullptr && reply->error == core::server_error::ok;
    after({}, [then = std::move(found.mapped()),
               read = good ? std::optional{*reply} : std::nullopt] { then(read); });
}

void election_work::write(seat& one, turn which, const core::stat& as_read, const std::string& text,
                          writer then) {
    const auto hold = one.asked.find(which);
    if (hold == one.asked.end()) return then(false);  // lost
    auto unique = text + " of=" + std::to_string(client_.id()) + '.' + std::to_string(++texts_);
    commits_[client_.next_id()] = std::move(then);
    client_.commit(hold->second, core::set_op{folder_, unique, as_read.version}, unique,
                   scenario_.time.session_timeout / 2);
}

void election_work::answered(const core::commit_answer& what) {
    const auto found = commits_.extract(what.who);
    if (!found) return;
    const bool done = std::holds_alternative<core::committed>(what.what);
    after({}, [then = std::move(found.mapped()), done] { then(done); });
}

void election_work::decide(seat& one, turn which, const std::optional<core::reply>& folder) {
    if (!folder) return on_decision(one, which, false);
    const auto next =
        detail::next_step(folder->data, id(), client_.local_now().time_since_epoch().count());
    if (!next.write) return on_decision(one, which, next.leads);
    write(one, which, folder->stat, *next.write, [this, &one, which, next](bool written) {
        on_decision(one, which, written && next.leads);
    });
}

void election_work::on_decision(seat& one, turn which, bool leads) {
    feed(one, course::decided{which, leads});
    if (!one.now.is<course::leading>(which)) return end(one, which);
    if (const auto hold = one.asked.find(which); hold != one.asked.end())
        client_.begins_to_lead(hold->second, id());
    one.leads = true;
    if (one.closes_next) say_close(one);
    one.function = after(some_time(), [this, &one, which] { work_on(one, which); });
}

// The stop token: the function heeds it where it looks at it.
void election_work::end_soon(seat& one, turn which) {
    if (!one.leads || one.judge.runs != which || planned_.erase(one.function) == 0) return;
    one.function = after(dice_.up_to(k_moment), [this, &one, which] { end(one, which); });
}

void election_work::work_on(seat& one, turn which) {
    if (stopping_ || !dice_.chance(k_moves)) {
        if (dice_.chance(k_resigns)) say_resign(one);
        return end(one, which);
    }
    read([this, &one, which](const std::optional<core::reply>& folder) {
        move(one, which, folder);
    });
}

void election_work::move(seat& one, turn which, const std::optional<core::reply>& folder) {
    if (!folder) return end(one, which);
    const auto all = scenario_.clients.size();
    const detail::succession_hint hint{"client" + std::to_string(dice_.below(all)),
                                       static_cast<std::uint32_t>(all), INT64_MAX};
    write(one, which, folder->stat, hint.to_string(), [this, &one, which](bool written) {
        if (written) say_resign(one);
        end(one, which);
    });
}

void election_work::end(seat& one, turn which) {
    const bool had_its_term = std::exchange(one.leads, false);
    const bool again = one.then == after_term_policy::enter_again || one.started_meanwhile;
    if (had_its_term && !again) one.judge.takes_part = false;
    one.term_is_over = false;
    one.started_meanwhile = false;
    one.judge.runs.reset();
    feed(one, course::returned{which});
}

}  // namespace turnstile::simulation
