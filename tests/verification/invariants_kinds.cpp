// SPDX-License-Identifier: Apache-2.0
// Judges, for each kind of lock, which contenders may hold at the same time and which contender comes first.
#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "core/queue/znode_texts.hpp"
#include "simulation/dice.hpp"
#include "verification/invariants.hpp"

namespace turnstile::simulation {

namespace {

using core::claim_kind;
using core::contender_family;

bool writes(claim_kind kind) {
    return kind == claim_kind::write || kind == claim_kind::upgrade;
}

bool stood(const znode_record& record, std::int64_t at) {
    return record.created <= at && (record.deleted == 0 || record.deleted > at);
}

}  // namespace

bool exclude(claim_kind a, claim_kind b) {
    if (core::family(a) == contender_family::semaphore) return false;
    if (core::family(a) != contender_family::read_write) return true;
    // An upgrade excludes every contender but an upgradable hold. Only the hold that the upgrade belongs to can be
    // upgradable at that time.
    if (a == claim_kind::upgrade || b == claim_kind::upgrade)
        return a != claim_kind::upgradable && b != claim_kind::upgradable;
    return writes(a) || writes(b) || (a == claim_kind::upgradable && b == claim_kind::upgradable);
}

// ---- G2: fairness ---------------------------------------------------------------------------

// Judges a grant to the contender with the znode `mine`. At some instant, `mine` must have existed without a contender
// ahead that excludes it.
void invariants::judge_place(contender_key key, const znode_record& mine) const {
    // Servers that lost data also lost the order of the contenders. A contender whose session the servers ended too
    // early has lost its position in the queue.
    if (goes_by_lost_data(key.first) || is_failed_by_servers(key, mine)) return;
    if (mine.wants.kind == claim_kind::permit) {
        if (!history_.forced(mine) && !had_room(mine, true))
            breach("G2", mine.data + " is granted permits by " + mine.znode + " without room");
        return;
    }
    // An upgrade may overtake waiters, so only the check of G1 (no two valid guards) judges it.
    if (mine.wants.kind == claim_kind::upgrade) return;
    for (const auto& other : history_.of(mine.folder)) {
        if (other.place >= mine.place || !exclude(mine.wants.kind, other.wants.kind)) continue;
        if (other.deleted != 0 && (mine.deleted == 0 || other.deleted < mine.deleted)) continue;
        if (other.deleted == 0 || !may_be_unknown(key, mine))
            breach("G2", mine.data + " is granted by " + mine.znode + " while " + other.znode +
                             " of " + other.data + " is ahead");
    }
}

// Returns true if the client of `mine` need not know yet that an operator deleted this znode. A grant may then still
// arrive. The client learns of the deletion at the latest by its next confirmation, the write by which it regularly
// checks the hold's znode. If the client's clock stopped, the interval between confirmations counts from the time at
// which the clock continued.
bool invariants::may_be_unknown(contender_key key, const znode_record& mine) const {
    if (core::family(mine.wants.kind) == contender_family::read_write) return false;
    const auto interval = confirmation();
    const auto slowest = interval + dice::part(interval, scenario_.rule.clock_drift);
    const auto since = std::max(mine.deleted_at, client(key.first).clock_goes_since());
    return history_.forced(mine) && now() <= since + slowest;
}

// Returns true if has_room_at() gave the result `wanted` at some instant at which the znode existed.
bool invariants::had_room(const znode_record& mine, bool wanted) const {
    std::vector<std::int64_t> instants{mine.created};
    for (const auto& change : history_.limits(mine.folder)) instants.push_back(change.since);
    for (const auto& record : history_.of(mine.folder))
        if (record.deleted != 0) instants.push_back(record.deleted);
    return std::any_of(instants.begin(), instants.end(), [&](std::int64_t at) {
        return stood(mine, at) && has_room_at(mine, at) == wanted;
    });
}

bool invariants::has_room_at(const znode_record& mine, std::int64_t at) const {
    std::int32_t limit = 0;
    for (const auto& change : history_.limits(mine.folder))
        if (change.since <= at) limit = change.permits;
    std::int64_t taken = mine.wants.permits;
    for (const auto& record : history_.of(mine.folder))
        if (record.place < mine.place && stood(record, at)) taken += record.wants.permits;
    return taken <= limit;
}

// A call that only tries to get the lock may fail with `busy` only if another contender was ahead.
void invariants::judge_busy(contender_key key, const contender_record& record) const {
    if (goes_by_lost_data(key.first)) return;  // the contender ahead may be lost
    const auto tag = history::tag(key);
    const auto& all = history_.of(record.folder);
    for (const auto& mine : all) {
        if (mine.data != tag) continue;
        if (mine.wants.kind == claim_kind::permit) {
            if (had_room(mine, false)) return;
            continue;
        }
        for (const auto& other : all)
            if ((other.place < mine.place || other.wants.kind == claim_kind::upgrade) &&
                (exclude(mine.wants.kind, other.wants.kind) ||
                 other.wants.kind == claim_kind::upgrade) &&
                (other.deleted == 0 || other.deleted > mine.created))
                return;
    }
    breach("G8", tag + " is told that the lock is busy, and no contender was ahead");
}

bool invariants::exceeds(contender_key key, const contender_record& record) const {
    if (goes_by_lost_data(key.first))
        return true;  // the limit that the contender exceeds may be lost
    const auto& limits = history_.limits(record.folder);
    return std::any_of(limits.begin(), limits.end(), [&record](const auto& change) {
        return change.permits < record.wants.permits ||
               change.permits != record.limit.value_or(change.permits);
    });
}

// ---- G1: exclusion --------------------------------------------------------------------------

void invariants::judge_together(contender_key key, const std::vector<contender_key>& others) const {
    const auto& mine = history_.contenders.at(key);
    std::int64_t taken = mine.wants.permits;
    for (const auto& other : others) {
        const auto& theirs = history_.contenders.at(other);
        taken += theirs.wants.permits;
        // True if one contender is an upgrade of this client, and the other contender is the hold that it upgrades.
        const bool own =
            key.first == other.first &&
            (mine.wants.kind == claim_kind::upgrade || theirs.wants.kind == claim_kind::upgrade) &&
            (mine.wants.kind == claim_kind::upgradable ||
             theirs.wants.kind == claim_kind::upgradable);
        if (!own && exclude(mine.wants.kind, theirs.wants.kind))
            breach("G1",
                   fmt::format("{} and {} are both valid at {:.6f}", guard(other), guard(key),
                               std::chrono::duration<double>{now().time_since_epoch()}.count()));
    }
    if (mine.wants.kind != claim_kind::permit) return;
    const auto most = history_.most_permits(mine.folder);
    if (taken > most)
        breach("G1",
               fmt::format("{} permits are out, and there were never more than {}", taken, most));
}

// Returns true if the upgradable hold of this upgrade is gone. Then the upgrade does not count as held.
bool invariants::stands_alone(const contender_record& record) const {
    if (record.wants.kind != claim_kind::upgrade) return false;
    const auto& all = history_.of(record.folder);
    return std::none_of(all.begin(), all.end(), [&](const auto& other) {
        const auto name = other.znode.substr(other.folder.size() + 1);
        return other.deleted == 0 && other.wants.kind == claim_kind::upgradable &&
               core::contender_sequence(name) == record.wants.upgrades;
    });
}

// Returns true if the upgrade, or the hold that it upgrades, has a sequence number so near 2^31 - 1 that numbers no
// longer give the order.
bool invariants::at_counter_end(contender_key key) const {
    const auto& record = history_.contenders.at(key);
    const auto tag = history::tag(key);
    const auto& all = history_.of(record.folder);
    return core::at_counter_end(record.wants.upgrades) ||
           std::any_of(all.begin(), all.end(), [&tag](const auto& other) {
               return other.data == tag && core::at_counter_end(other.wants.upgrades);
           });
}

// ---- the lock delay -------------------------------------------------------------------------

// Judges the lock delay: the time after a holder's znode is removed without a release, in which no contender may get
// the lock.
void invariants::judge_delay(contender_key key, const contender_record& record) {
    using namespace std::chrono_literals;
    if (scenario_.lock_delay == core::duration{} || record.wants.kind != claim_kind::lock) return;
    for (const auto& [other, theirs] : history_.contenders) {
        if (other == key || !theirs.granted || theirs.folder != record.folder) continue;
        const auto& znode = *history_.find(theirs.znode);
        const bool released = theirs.left && !theirs.lost && znode.why == removal::by_owner;
        // The contender computes the delay from two time stamps of znodes, each rounded down to a millisecond. So the
        // grant may come up to 2 ms early.
        if (!released && now() + 2ms < znode.deleted_at + scenario_.lock_delay)
            breach("D1", history::tag(key) + " is granted too soon after the crash of " +
                             history::tag(other));
    }
}

// ---- the low-water mark ------------------------------------------------------------------------------

// Judges the low-water mark, a number that clients write into a lock's folder. No existing contender may have this
// number or a lower one, and the mark must not overwrite another client's data. A contender whose client gave it up
// does not count, even if the servers brought its znode back from older data: no caller waits for it.
void invariants::judge_low_water_marks() {
    const auto& truth = servers_.truth();
    if (low_water_judged_at_ == truth.zxid()) return;
    low_water_judged_at_ = truth.zxid();
    for (const auto& folder : scenario_.folders) {
        const auto* node = truth.nodes().find(folder);
        const auto mark = node == nullptr
                              ? std::nullopt
                              : core::parse_low_water_mark(contender_family::lock, node->data);
        if (!mark) continue;
        if (history_.changed_by_hand(folder) > node->czxid)
            breach("D2", "what another client wrote into " + folder +
                             " is overwritten with a low-water mark");
        for (const auto& record : history_.of(folder)) {
            if (record.was_given_up) continue;
            const auto number = core::contender_sequence(record.znode.substr(folder.size() + 1));
            if (record.deleted == 0 && number && core::sequence_distance(*number, *mark) <= 0)
                breach("G2", record.znode + " of " + record.data +
                                 " stands, and the low-water mark is " + std::to_string(*mark));
        }
    }
}

// ---- G3: no herd ----------------------------------------------------------------------------

// Returns true if this removal may wake more than one session. A leaving writer wakes all readers behind it, and a
// leaving reader wakes a writer and an upgrade. A leaving semaphore holder may wake two sessions while one waiter
// replaces another as the first waiter. It may wake more sessions only if it held when the limit was lowered, and no
// client knew yet which holds exceed the limit.
bool invariants::may_wake_many(const znode_record& record) const {
    if (history_.tampered(record.folder)) return true;
    if (record.wants.kind == claim_kind::permit)
        return record.woken.size() <= 2 || stood_when_open(record);
    if (record.wants.kind == claim_kind::read) return record.woken.size() <= 2;
    return core::family(record.wants.kind) == contender_family::read_write;
}

// Looks at the session's contenders behind `record` in the queue. Returns true if the semaphore had room for all of
// them before the deletion of `record`, but at least one of them had no grant yet. The client then still had a watch on
// `record`, which the deletion fired.
bool invariants::has_room_unheard(session_id session, const znode_record& record) const {
    const auto before = record.deleted - 1;
    bool unheard = false;
    for (const auto& other : history_.of(record.folder)) {
        if (other.session != session || other.place < record.place || !stood(other, before))
            continue;
        if (!has_room_at(other, before)) return false;
        const auto& theirs = history_.contenders.at(history_.tagged.at(other.data));
        unheard |= !theirs.granted || theirs.granted_at > record.deleted_at;
    }
    return unheard;
}

bool invariants::stood_when_open(const znode_record& record) const {
    const auto& limits = history_.limits(record.folder);
    for (std::size_t i = 0; i != limits.size(); ++i) {
        const bool over = i + 1 != limits.size() && limits[i + 1].since < record.created;
        const bool later = record.deleted != 0 && limits[i].since > record.deleted;
        if (limits[i].open && !over && !later) return true;
    }
    return false;
}

// ---- G6: fencing ----------------------------------------------------------------------------

void invariants::judge_token(contender_key key, const contender_record& record,
                             const znode_record& mine) {
    const bool sorted_by_list = core::family(mine.wants.kind) == contender_family::read_write;
    if (!sorted_by_list && record.token.zxid() != static_cast<std::uint64_t>(mine.created))
        breach("G6", history::tag(key) + " has another token than its czxid");
    if (history_.forced(mine) || mine.was_forced || scenario_.trial.judge_guards_only) return;
    if (mine.wants.kind == claim_kind::permit) return;
    // This client's clock stopped, so the client does not notice that its lease ended. It may learn of its grant after
    // other clients held the lock.
    if (client(key.first).rests_on_a_stopped_clock()) return;
    auto& all = history_.tokens[record.folder];
    // The servers answered, and then lost the znode. Before this client read the answer, a later contender may have
    // received the lock and its token.
    const bool came_late = history::failed_by_servers(mine);
    for (const auto& [kind, token] : all)
        if (!came_late && exclude(mine.wants.kind, kind) && record.token <= token)
            breach("G6", history::tag(key) + " has no larger token than a grant before");
    all.emplace_back(mine.wants.kind, record.token);
}

void invariants::judge_renamed(contender_key key, const contender_record& record,
                               const core::renamed& renaming) {
    if (renaming.refused) breach("G8", history::tag(key) + " is not renamed without reason");
    if (renaming.znode != record.znode) {
        const auto* old = history_.find(record.znode);
        const auto* mine = history_.find(renaming.znode);
        if (mine == nullptr || mine->data != history::tag(key) || mine->place != old->place)
            breach("G8", history::tag(key) + " goes on by a znode that is not in its place");
    }
    if (renaming.token <= record.token)
        breach("G6", history::tag(key) + " has no larger token after it was renamed");
    history_.tokens[record.folder].emplace_back(record.wants.kind, renaming.token);
}

// ---- revocation -----------------------------------------------------------------------------

// An operator's order to release must reach the contender into whose znode it was written, and no other contender.
void invariants::judge_order(contender_key key, const contender_record& record,
                             const core::asked_to_release& order) {
    const auto* ordered = history_.in_place_of(history_.ordered(order.by));
    if (ordered == nullptr || ordered->znode != record.znode)
        breach("G8", history::tag(key) + " has " + record.znode + " and is told of an order of " +
                         order.by + " to another");
}

bool invariants::was_taken(contender_key key) const {
    const auto tag = history::tag(key);
    const auto& all = history_.of(history_.contenders.at(key).folder);
    return std::any_of(all.begin(), all.end(), [&](const auto& record) {
        return record.data == tag && history_.was_taken(record.znode);
    });
}

}  // namespace turnstile::simulation
