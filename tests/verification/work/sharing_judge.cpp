// SPDX-License-Identifier: Apache-2.0
#include "verification/work/sharing_judge.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace turnstile::simulation {

namespace {

using namespace std::chrono_literals;

constexpr auto k_slack = 30ms;  // tolerance for timers, and for passing a hold between threads

std::string name(client_id client, const shared_lock& lock) {
    return fmt::format("{} of client {}", lock.folder, client);
}

std::string name(client_id client, const shared_lock& lock, core::local_id id) {
    return fmt::format("call {} on {}", static_cast<std::uint64_t>(id), name(client, lock));
}

bool waits(const local_call& call) {
    return call.now == local_call::state::waiting;
}

bool anybody_waits(const shared_lock& lock) {
    return std::any_of(lock.calls.begin(), lock.calls.end(),
                       [](const auto& entry) { return waits(entry.second); });
}

}  // namespace

// ---- questions ------------------------------------------------------------------------------

const contender_record& sharing_judge::record(client_id client, core::contender_id which) const {
    return history_.contenders.at({client, which});
}

const client_view& sharing_judge::view(client_id client) const {
    return *std::find_if(holders_.begin(), holders_.end(), [client](const holder& party) {
                return party.id == client;
            })->client;
}

core::time_point sharing_judge::valid_until(client_id client, core::contender_id which) const {
    return record(client, which).valid_until.value_or(core::time_point::min());
}

fencing_token sharing_judge::token(client_id client, core::contender_id which) const {
    return record(client, which).token;
}

bool sharing_judge::contender_valid(client_id client, core::contender_id which) const {
    return record(client, which).holds() && view(client).local_now() < valid_until(client, which);
}

bool sharing_judge::valid(client_id client, const local_call& call) const {
    return call.contender && contender_valid(client, *call.contender) &&
           view(client).local_now() < call.limit;
}

bool sharing_judge::answered(client_id client, core::contender_id which) const {
    return record(client, which).answered();
}

bool sharing_judge::forced(client_id client, core::contender_id which) const {
    const auto* znode = history_.find(record(client, which).znode);
    return znode != nullptr &&
           (history_.forced(*znode) || contenders_.is_failed_by_servers({client, which}, *znode));
}

// ---- inputs of the state machine ------------------------------------------------------------

void sharing_judge::on_contender_granted(const shared_lock& lock, std::uint64_t number) {
    auto& mine = books_[&lock];
    if (mine.number == number && mine.contender == has::asked) mine.contender = has::it;
}

void sharing_judge::on_contender_refused(const shared_lock& lock, std::uint64_t number,
                                         const error& why) {
    auto& mine = books_[&lock];
    if (mine.number != number || mine.contender != has::asked) return;
    mine.contender = has::nothing;
    mine.refused = why;
}

void sharing_judge::on_contender_lost(const shared_lock& lock, std::uint64_t number) {
    auto& mine = books_[&lock];
    if (mine.number == number && mine.contender == has::it) mine.contender = has::nothing;
}

void sharing_judge::on_contended(const shared_lock& lock, std::uint64_t number) {
    auto& mine = books_[&lock];
    if (mine.number == number && mine.contender != has::nothing) mine.knows_of_waiters = true;
}

void sharing_judge::on_asked_to_release(const shared_lock& lock, std::uint64_t number) {
    on_contended(lock, number);
    auto& mine = books_[&lock];
    mine.asked_to_go = mine.asked_to_go || (mine.knows_of_waiters && mine.number == number);
}

// ---- decisions of the state machine ---------------------------------------------------------

void sharing_judge::on_action(client_id client, const shared_lock& lock,
                              const core::sharing::action& action) {
    std::visit([&](const auto& entry) { judge(client, lock, entry); }, action);
}

void sharing_judge::judge(client_id client, const shared_lock& lock,
                          const core::sharing::ask& question) {
    auto& mine = books_[&lock];
    if (mine.contender != has::nothing || question.contender <= mine.number)
        throw violation{"S4", name(client, lock) + " asks for a contender and has one"};
    const auto first = std::find_if(lock.calls.begin(), lock.calls.end(),
                                    [](const auto& entry) { return waits(entry.second); });
    if (first != lock.calls.end() && first->second.caller.mode == core::attempt::once &&
        question.mode == core::attempt::wait)
        throw violation{"G7", name(client, lock, first->first) + " only tries, and waits"};
    mine = {.contender = has::asked, .number = question.contender, .holder = mine.holder};
}

void sharing_judge::judge(client_id client, const shared_lock& lock,
                          const core::sharing::withdraw& withdraw) {
    auto& mine = books_[&lock];
    if (mine.contender != has::asked || withdraw.contender != mine.number || anybody_waits(lock))
        throw violation{"S4", name(client, lock) + " withdraws what a caller waits for"};
    mine.contender = has::nothing;
}

void sharing_judge::judge(client_id client, const shared_lock& lock,
                          const core::sharing::give_back& back) {
    auto& mine = books_[&lock];
    // Ignores the release of a contender that the process had already withdrawn. The servers granted the contender when
    // no caller waited for it.
    if (back.contender != mine.number || mine.contender != has::it) return;
    mine.contender = has::nothing;
    if (mine.holder)
        throw violation{"G1", name(client, lock) + " is given back while a thread holds it"};
    const auto now = view(client).local_now();
    const auto& settings = lock.settings;
    const bool unused = !anybody_waits(lock) &&
                        (settings.retain_for <= core::duration{} ||
                         (mine.idle_since && now >= *mine.idle_since + settings.retain_for));
    if (!std::exchange(mine.expelled, false) && !mine.knows_of_waiters && !unused && lock.held &&
        contender_valid(client, *lock.held))
        throw violation{"S2", name(client, lock) + " is given back without a reason"};
}

void sharing_judge::judge(client_id client, const shared_lock& lock,
                          const core::sharing::tell_granted& grant) {
    auto& mine = books_[&lock];
    const auto id = name(client, lock, grant.id);
    const auto call = lock.calls.find(grant.id);
    if (call == lock.calls.end() || !waits(call->second))
        throw violation{"S4", id + " is granted and has its answer already"};
    if (mine.contender != has::it || grant.contender != mine.number || !lock.held)
        throw violation{"G1", id + " is granted without a contender"};
    if (mine.holder) throw violation{"G1", id + " is granted while another thread holds"};
    if (!contender_valid(client, *lock.held))
        throw violation{"G1", id + " is granted when its contender is lost, or its lease over"};
    const auto first = std::find_if(lock.calls.begin(), lock.calls.end(),
                                    [](const auto& entry) { return waits(entry.second); });
    if (first != call)
        throw violation{"S3", id + " is granted before " + name(client, lock, first->first)};
    judge_pass(client, lock, mine);
    mine.holder = grant.id;
    mine.low_since.reset();
    mine.warned.reset();
}

void sharing_judge::judge_pass(client_id client, const shared_lock& lock, books& mine) {
    if (mine.grants++ == 0 || !mine.knows_of_waiters) return;
    if (mine.asked_to_go)
        throw violation{"S1", name(client, lock) + " was asked to go, and is handed over"};
    if (++mine.passes > lock.settings.passes)
        throw violation{"S1", fmt::format("{} is handed over {} times while others queue, at most "
                                          "{} are allowed",
                                          name(client, lock), mine.passes, lock.settings.passes)};
}

// The call's token must be larger than all earlier tokens of the same lock.
void sharing_judge::on_token(client_id client, const shared_lock& lock, const local_call& call) {
    if (forced(client, *call.contender)) return;
    const auto& znode = *history_.find(record(client, *call.contender).znode);
    if (znode.was_forced) return;  // G6 excludes znodes that an operator removed
    // The znode was deleted, and exists again because the servers lost the deletion. In between, other clients may have
    // got the lock with larger tokens.
    if (contenders_.is_back_unheard(client, znode)) return;
    auto& last = last_[lock.folder];
    const auto id = name(client, lock, call.caller.id);
    if (call.token <= last) throw violation{"G6", id + " has no larger token than one before"};
    for (const auto& [kind, token] : history_.tokens[lock.folder])
        if (call.token < token)
            throw violation{"G6", id + " has a smaller token than a contender before"};
    last = call.token;
}

void sharing_judge::judge(client_id client, const shared_lock& lock,
                          const core::sharing::tell_refused& refused) {
    const auto id = name(client, lock, refused.id);
    const auto found = lock.calls.find(refused.id);
    if (found == lock.calls.end() || !waits(found->second))
        throw violation{"S4", id + " is refused and has its answer already"};
    const auto& call = found->second;
    const auto& mine = books_[&lock];
    const bool late = call.caller.deadline && view(client).local_now() >= *call.caller.deadline;
    const bool because = (refused.why == errc::busy && call.caller.mode == core::attempt::once) ||
                         (refused.why == errc::timeout && late) ||
                         (refused.why == errc::cancelled && call.given_up) ||
                         (refused.why != errc::busy && refused.why != errc::cancelled &&
                          mine.refused == refused.why);
    if (!because) throw violation{"G8", id + " fails without reason: " + refused.why.message()};
}

void sharing_judge::judge(client_id client, const shared_lock& lock,
                          const core::sharing::tell_lost& lost) {
    auto& mine = books_[&lock];
    const auto id = name(client, lock, lost.id);
    if (mine.holder != lost.id)
        throw violation{"G5", id + " is told of the loss of what it does not hold"};
    mine.holder.reset();
    const auto call = lock.calls.find(lost.id);
    if (call == lock.calls.end())
        throw violation{"G5", id + " is told of a loss after its release"};
    const bool limit = view(client).local_now() >= call->second.limit;
    if (mine.contender != has::nothing && !limit)
        throw violation{"G5", id + " is told of a loss that did not happen"};
    mine.expelled = mine.contender == has::it;
}

void sharing_judge::judge(client_id client, const shared_lock& lock,
                          const core::sharing::tell_expiring& expiring) {
    const auto& call = lock.calls.find(expiring.id);
    if (books_[&lock].holder != expiring.id || call == lock.calls.end() || !lock.held)
        throw violation{"G5", name(client, lock, expiring.id) + " is warned and holds nothing"};
    const auto end = std::min(valid_until(client, *lock.held), call->second.limit);
    if (view(client).local_now() + call->second.caller.warn_before < end)
        throw violation{"G5", name(client, lock, expiring.id) + " is warned too early"};
    books_[&lock].warned = view(client).local_now();
}

void sharing_judge::on_over(const shared_lock& lock, const local_call& call) {
    auto& mine = books_[&lock];
    if (mine.holder == call.caller.id) mine.holder.reset();
}

void sharing_judge::on_settled(client_id client, const shared_lock& lock) {
    auto& mine = books_[&lock];
    const bool idle = mine.contender == has::it && !mine.holder;
    if (anybody_waits(lock) && (mine.contender == has::nothing || idle))
        throw violation{"S4", name(client, lock) + " is waited for, and no caller asks for it"};
    if (idle && mine.knows_of_waiters)
        throw violation{"S2", name(client, lock) + " is kept, unused, while others queue"};
    if (!idle) {
        mine.idle_since.reset();
    } else if (!mine.idle_since) {
        mine.idle_since = view(client).local_now();
    }
}

// ---- state after each event -----------------------------------------------------------------

void sharing_judge::after_event() {
    for (const auto& party : holders_) {
        const bool awake =
            party.client->runs() && agenda_.now() >= party.client->awake_since() + k_slack;
        for (const auto* lock : party.state->shared_locks()) {
            auto& mine = books_[lock];
            if (!awake || party.client->closed()) {
                mine.low_since.reset();
                mine.waiters_unknown_since.reset();
                mine.lost_since.reset();
                continue;
            }
            judge_idle(party, *lock, mine);
            judge_knowledge(party, *lock, mine);
            judge_calls(party, *lock, mine);
            judge_warning(party, *lock, mine);
        }
    }
    judge_together(holders_);
}

void sharing_judge::judge_idle(const holder& party, const shared_lock& lock,
                               const books& mine) const {
    if (!mine.idle_since || mine.contender != has::it) return;
    if (party.client->local_now() > *mine.idle_since + lock.settings.retain_for + k_slack)
        throw violation{"S2", name(party.id, lock) + " is kept and has been idle for too long"};
}

bool sharing_judge::others_queue(client_id client, const shared_lock& lock) const {
    const auto& znode = record(client, *lock.held).znode;
    // If an operator closes the session, its watches end, so the client does not learn of waiters. The client learns of
    // the closed session by its next request, or when the lease ends.
    if (history_.closed_by_hand(history_.find(znode)->session)) return false;
    const auto& all = history_.of(lock.folder);
    return std::any_of(all.rbegin(), all.rend(), [&znode](const znode_record& contender) {
        return contender.deleted == 0 && contender.znode != znode;
    });
}

// The process must learn of waiters of other processes as fast as of a removal by an operator. In both cases it learns
// by a watch event, or by a list of the folder on its next connection.
void sharing_judge::judge_knowledge(const holder& party, const shared_lock& lock,
                                    books& mine) const {
    if (mine.knows_of_waiters || !lock.held || !contenders_.healthy() ||
        !record(party.id, *lock.held).holds() || !others_queue(party.id, lock)) {
        mine.waiters_unknown_since.reset();
        return;
    }
    if (!mine.waiters_unknown_since) mine.waiters_unknown_since = agenda_.now();
    const auto since =
        std::max(*mine.waiters_unknown_since, contenders_.undisturbed_since(party.id));
    const auto soon = 6 * contenders_.round_trip() + contenders_.longest_unheard() + k_slack;
    if (agenda_.now() > since + soon)
        throw violation{"S1", name(party.id, lock) + " is not told that others queue"};
}

void sharing_judge::judge_calls(const holder& party, const shared_lock& lock, books& mine) const {
    const auto now = party.client->local_now();
    bool lost = false;
    for (const auto& [id, call] : lock.calls) {
        if (waits(call) && call.caller.deadline && now > *call.caller.deadline + k_slack)
            throw violation{"G7", name(party.id, lock, id) + " waits beyond its deadline"};
        lost = lost || (call.now == local_call::state::held && !valid(party.id, call));
    }
    if (!lost) return mine.lost_since.reset();
    if (!mine.lost_since) mine.lost_since = agenda_.now();
    if (agenda_.now() > *mine.lost_since + k_slack)
        throw violation{"G5", name(party.id, lock) + ": its holder is not told that it is over"};
}

// The holder must get a warning each time that less than `warn_before` of its lease is left. If the library gave a
// warning less than `warn_before` earlier, it need not give a second warning.
void sharing_judge::judge_warning(const holder& party, const shared_lock& lock, books& mine) const {
    const auto call = mine.holder ? lock.calls.find(*mine.holder) : lock.calls.end();
    if (call == lock.calls.end() || !lock.held) return mine.low_since.reset();
    const auto before = call->second.caller.warn_before;
    const auto now = party.client->local_now();
    const auto end = std::min(valid_until(party.id, *lock.held), call->second.limit);
    if (before <= core::duration{} || now + before < end || now >= end)
        return mine.low_since.reset();
    if (!mine.low_since) mine.low_since = now;
    const bool warned = mine.warned && *mine.warned + before + k_slack >= *mine.low_since;
    if (!warned && now > *mine.low_since + k_slack)
        throw violation{"G5",
                        name(party.id, lock, call->first) + " is not warned of its lease's end"};
}

void sharing_judge::judge_together(const std::vector<holder>& all) const {
    std::map<std::string, std::string> valid_one;  // the valid guard of each path
    for (const auto& entry : all) {
        for (const auto* lock : entry.state->shared_locks()) {
            for (const auto& [id, call] : lock->calls) {
                if (call.now != local_call::state::held || !valid(entry.id, call)) continue;
                if (forced(entry.id, *call.contender)) continue;
                const auto mine = name(entry.id, *lock, id);
                const auto [other, first] = valid_one.emplace(lock->folder, mine);
                if (!first)
                    throw violation{"G1", other->second + " and " + mine + " are both valid"};
            }
        }
    }
}

}  // namespace turnstile::simulation
