// SPDX-License-Identifier: Apache-2.0
#include "verification/work/election_work.hpp"

#include <algorithm>
#include <utility>

#include "base/inner_error.hpp"
#include "recipe/election/succession.hpp"

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr auto k_moment = 20ms;
constexpr double k_at_once = 0.3;    // probability that the user acts again without a pause
constexpr double k_stays_out = 0.5;  // probability that a participant stays out after a term
constexpr double k_executor_throws = 0.03;
constexpr double k_resigns = 0.3;
constexpr double k_moves = 0.4;

}  // namespace

election_work::election_work(sim_client& client, const scenario& scenario, dice& chance)
    : client_{client}, scenario_{scenario}, dice_{chance}, folder_{scenario.folders.front()} {
    for (std::size_t i = 0; i != client.plan().workers; ++i) {
        auto& participant = seats_.emplace_back(dice_.chance(k_stays_out));
        participant.judge.name = id() + '.' + std::to_string(i);
    }
}

// ---- time -----------------------------------------------------------------------------------

std::uint64_t election_work::after(core::duration pause, step next_step) {
    planned_.emplace(++events_, std::move(next_step));
    client_.wake_after(pause, 0, events_);
    return events_;
}

void election_work::soon(seat& participant, step next_step) {
    ++participant.judge.under_way;
    const auto pause = dice_.chance(0.5) ? core::duration{} : dice_.up_to(k_moment);
    after(pause, [&participant, act = std::move(next_step)] {
        --participant.judge.under_way;
        act();
    });
}

core::duration election_work::some_time() {
    return dice_.up_to(dice_.chance(0.5) ? core::duration{k_moment}
                                         : scenario_.time.session_timeout / 3);
}

void election_work::wake(const worker_due& due) {
    const auto next = planned_.extract(due.serial);
    if (!next) return;
    next.mapped()();
    for (const auto& participant : seats_) participant.judge.look();
}

// ---- the participant's user -----------------------------------------------------------------

void election_work::start() {
    for (auto& participant : seats_) {
        participant.words = dice_.from_to(1, 4 * scenario_.rounds);
        plan_word(participant);
    }
}

void election_work::plan_word(seat& participant) {
    if (participant.words == 0 || stopping_) return;
    --participant.words;
    after(dice_.chance(k_at_once) ? dice_.up_to(k_moment) : some_time(), [this, &participant] {
        if (!stopping_) speak(participant);
        plan_word(participant);
    });
}

void election_work::speak(seat& participant) {
    switch (dice_.below(4)) {
        case 0:
        case 1: return say_start(participant);
        case 2: return say_close(participant);
        default: return say_resign(participant);
    }
}

void election_work::say_start(seat& participant) {
    participant.judge.takes_part = true;
    if (participant.judge.runs && participant.term_is_over) participant.started_meanwhile = true;
    feed(participant, course::started{});
}

void election_work::say_close(seat& participant) {
    participant.judge.takes_part = false;
    participant.term_is_over = participant.judge.runs.has_value();
    participant.started_meanwhile = false;
    feed(participant, course::closed{});
}

void election_work::say_resign(seat& participant) {
    if (participant.leads) participant.term_is_over = true;
    feed(participant, course::resigned{});
}

void election_work::all_give_up() {
    for (auto& participant : seats_) after({}, [this, &participant] { say_close(participant); });
}

// Each participant leads once more before it closes. So the end of the history shows that every participant can still
// lead.
void election_work::stop() {
    stopping_ = true;
    for (auto& participant : seats_) {
        after({}, [this, &participant] {
            participant.closes_next = true;
            if (participant.judge.takes_part || dice_.chance(0.5)) say_start(participant);
        });
    }
}

bool election_work::at_rest() const {
    return planned_.empty() &&
           std::all_of(seats_.begin(), seats_.end(), [](const seat& participant) {
               return !participant.judge.takes_part && !participant.judge.runs &&
                      participant.requests.empty();
           });
}

// ---- execution of the state machine's actions -----------------------------------------------

void election_work::feed(seat& participant, const course::input& input) {
    for (const auto& next : participant.now.on(input)) {
        if (const auto* enters = std::get_if<course::enter_queue>(&next))
            participant.newest = enters->of;
        soon(participant, [this, &participant, next] { execute(participant, next); });
    }
}

void election_work::execute(seat& participant, const course::action& action) {
    if (const auto* next = std::get_if<course::enter_queue>(&action))
        return enter(participant, next->of);
    if (const auto* next = std::get_if<course::leave_queue>(&action))
        return leave(participant, next->of);
    if (const auto* next = std::get_if<course::call_function>(&action))
        return hand_over(participant, next->of);
    if (const auto* next = std::get_if<course::give_back_lead>(&action))
        return give_back(participant, next->of);
    if (const auto* next = std::get_if<course::pause>(&action))
        return wait_out(participant, next->of);
    end_soon(participant, std::get<course::stop>(action).of);
}

void election_work::enter(seat& participant, turn which) {
    if (participant.given_up.contains(which)) return;
    core::acquire call;
    call.settings.folder = folder_;
    call.settings.wants = scenario_.work_wants;
    call.settings.waiters =
        client_.plan().enters_again ? session_loss_policy::enter_again : session_loss_policy::fail;
    participant.requests[which] = client_.next_id();
    participant.judge.queued.insert(which);
    client_.acquire(std::move(call));
}

void election_work::leave(seat& participant, turn which) {
    participant.given_up.insert(which);
    const auto found = participant.requests.find(which);
    if (found == participant.requests.end() || participant.judge.held.contains(which)) return;
    const auto waits = found->second;
    participant.judge.queued.erase(which);
    participant.requests.erase(found);
    client_.cancel(waits);
}

void election_work::give_back(seat& participant, turn which) {
    const auto found = participant.requests.find(which);
    if (found == participant.requests.end()) return;  // the request has failed
    const auto held = found->second;
    participant.judge.queued.erase(which);
    participant.judge.held.erase(which);
    participant.requests.erase(found);
    client_.release(held);
}

void election_work::wait_out(seat& participant, turn which) {
    ++participant.judge.under_way;
    after(k_moment, [this, &participant, which] {
        --participant.judge.under_way;
        feed(participant, course::rested{which});
    });
}

void election_work::hand_over(seat& participant, turn which) {
    if (!stopping_ && dice_.chance(k_executor_throws)) {
        if (which == participant.newest) participant.judge.takes_part = false;
        return feed(participant, course::not_run{which});
    }
    ++participant.judge.under_way;
    after(some_time(), [this, &participant, which] {
        --participant.judge.under_way;
        begin(participant, which);
    });
}

void election_work::hear(const core::notice& notice) {
    for (auto& participant : seats_) {
        const auto found = std::find_if(participant.requests.begin(), participant.requests.end(),
                                        [&](const auto& each) { return each.second == notice.id; });
        if (found == participant.requests.end()) continue;
        const auto which = found->first;
        if (std::holds_alternative<core::granted>(notice.event)) {
            participant.judge.held.insert(which);
            return soon(participant, [this, &participant, which] {
                feed(participant, course::turn_granted{which});
            });
        }
        const auto* failed = std::get_if<core::failed>(&notice.event);
        if (failed == nullptr && !std::holds_alternative<core::lost>(notice.event)) return;
        participant.requests.erase(found);
        participant.judge.queued.erase(which);
        participant.judge.held.erase(which);
        if (failed == nullptr)
            return soon(participant, [this, &participant, which] { on_lost(participant, which); });
        return soon(participant, [this, &participant, which, why = failed->why] {
            on_refused(participant, which, why);
        });
    }
}

void election_work::on_lost(seat& participant, turn which) {
    if (participant.leads && participant.judge.runs == which) participant.term_is_over = true;
    feed(participant, course::turn_lost{which});
}

void election_work::on_refused(seat& participant, turn which, const error& why) {
    if (which == participant.newest && !base::is_contender_gone(why))
        participant.judge.takes_part = false;
    feed(participant, course::turn_refused{which, why});
}

// ---- the participant's task -----------------------------------------------------------------

void election_work::begin(seat& participant, turn which) {
    feed(participant, course::begun{which});
    if (!participant.now.is<course::deciding>(which)) return;
    participant.judge.begins(which);
    read([this, &participant, which](const std::optional<core::reply>& folder) {
        decide(participant, which, folder);
    });
}

void election_work::read(reader then) {
    reads_[client_.next_id<core::inquiry_id>()] = std::move(then);
    client_.read(core::get_op{folder_}, scenario_.time.session_timeout);
}

void election_work::answered(const core::answer& answer) {
    const auto found = reads_.extract(answer.id);
    if (!found) return;
    const auto* reply = std::get_if<core::reply>(&answer.outcome);
    const bool good = reply != nullptr && reply->error == core::server_error::ok;
    after({}, [then = std::move(found.mapped()),
               read = good ? std::optional{*reply} : std::nullopt] { then(read); });
}

void election_work::write(seat& participant, turn which, const core::stat& as_read,
                          const std::string& text, writer then) {
    const auto hold = participant.requests.find(which);
    if (hold == participant.requests.end()) return then(false);  // the hold is lost
    auto unique = text + " of=" + std::to_string(client_.id()) + '.' + std::to_string(++texts_);
    commits_[client_.next_id<core::commit_id>()] = std::move(then);
    client_.commit(hold->second, {core::set_op{folder_, unique, as_read.version}}, unique,
                   scenario_.time.session_timeout / 2);
}

void election_work::answered(const core::commit_answer& answer) {
    const auto found = commits_.extract(answer.id);
    if (!found) return;
    const bool done = std::holds_alternative<core::committed>(answer.outcome);
    after({}, [then = std::move(found.mapped()), done] { then(done); });
}

void election_work::decide(seat& participant, turn which,
                           const std::optional<core::reply>& folder) {
    if (!folder) return on_decision(participant, which, false);
    const auto next =
        detail::next_step(folder->data, id(), client_.local_now().time_since_epoch().count());
    if (!next.write) return on_decision(participant, which, next.leads);
    write(participant, which, folder->stat, *next.write,
          [this, &participant, which, next](bool written) {
              on_decision(participant, which, written && next.leads);
          });
}

void election_work::on_decision(seat& participant, turn which, bool leads) {
    feed(participant, course::decided{which, leads});
    if (!participant.now.is<course::leading>(which)) return end(participant, which);
    if (const auto hold = participant.requests.find(which); hold != participant.requests.end())
        client_.begins_to_lead(hold->second, id());
    participant.leads = true;
    if (participant.closes_next) say_close(participant);
    participant.function =
        after(some_time(), [this, &participant, which] { work_on(participant, which); });
}

// The stop token asks the function to end. The function notices this request a little later.
void election_work::end_soon(seat& participant, turn which) {
    if (!participant.leads || participant.judge.runs != which ||
        planned_.erase(participant.function) == 0)
        return;
    participant.function =
        after(dice_.up_to(k_moment), [this, &participant, which] { end(participant, which); });
}

void election_work::work_on(seat& participant, turn which) {
    if (stopping_ || !dice_.chance(k_moves)) {
        if (dice_.chance(k_resigns)) say_resign(participant);
        return end(participant, which);
    }
    read([this, &participant, which](const std::optional<core::reply>& folder) {
        move(participant, which, folder);
    });
}

void election_work::move(seat& participant, turn which, const std::optional<core::reply>& folder) {
    if (!folder) return end(participant, which);
    const auto all = scenario_.clients.size();
    const detail::succession_hint hint{"client" + std::to_string(dice_.below(all)),
                                       static_cast<std::uint32_t>(all), INT64_MAX};
    write(participant, which, folder->stat, hint.to_string(),
          [this, &participant, which](bool written) {
              if (written) say_resign(participant);
              end(participant, which);
          });
}

void election_work::end(seat& participant, turn which) {
    const bool had_its_term = std::exchange(participant.leads, false);
    const bool again = !participant.once || participant.started_meanwhile;
    if (had_its_term && !again) participant.judge.takes_part = false;
    participant.term_is_over = false;
    participant.started_meanwhile = false;
    participant.judge.runs.reset();
    feed(participant, course::returned{which});
}

}  // namespace turnstile::simulation
