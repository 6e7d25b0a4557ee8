// SPDX-License-Identifier: Apache-2.0
// What holders may hold at the same time, and which contender was to be first: for mutexes, readers and
// writers, and semaphores.
#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "core/queue/low_water_mark.hpp"
#include "simulation/dice.hpp"
#include "verification/invariants.hpp"

namespace turnstile::simulation {

namespace {

using core::contender_family;
using core::contender_kind;

[[noreturn]] void breach(const char* name, const std::string& what) {
    throw violation{name, what};
}

bool writes(contender_kind kind) {
    return kind == contender_kind::write || kind == contender_kind::upgrade;
}

// Whether two contenders may not hold at the same time. Leases are counted instead.
bool exclude(contender_kind a, contender_kind b) {
    if (core::family(a) == contender_family::semaphore) return false;
    if (core::family(a) != contender_family::read_write) return true;
    // An upgrade stands on its own upgradable hold; no other contender has one then.
    if (a == contender_kind::upgrade || b == contender_kind::upgrade)
        return a != contender_kind::upgradable && b != contender_kind::upgradable;
    return writes(a) || writes(b) ||
           (a == contender_kind::upgradable && b == contender_kind::upgradable);
}

bool stood(const contender_record& one, std::int64_t at) {
    return one.created <= at && (one.deleted == 0 || one.deleted > at);
}

}  // namespace

// ---- G2 -------------------------------------------------------------------------------------

// There must have been an instant at which it stood, and no contender before it that it has to wait for.
invariants::place invariants::judge_place(acquisition_key who, const contender_record& mine) const {
    if (mine.wants.kind == contender_kind::lease) {
        if (!history_.forced(mine) && !had_room(mine, true))
            breach("G2", mine.data + " is granted a lease by " + mine.znode + " without room");
        return place::has;
    }
    if (mine.wants.kind == contender_kind::upgrade)
        return place::has;  // passes those that wait: G1 judges it
    auto found = place::has;
    for (const auto& other : history_.of(mine.folder)) {
        if (other.place >= mine.place || !exclude(mine.wants.kind, other.wants.kind)) continue;
        if (other.deleted != 0 && (mine.deleted == 0 || other.deleted < mine.deleted)) continue;
        if (other.deleted == 0 || !may_be_unknown(who, mine))
            breach("G2", mine.data + " is granted by " + mine.znode + " while " + other.znode +
                             " of " + other.data + " is ahead");
        found = place::had_unseen;
    }
    return found;
}

// F37: it was deleted by hand, so lately that no confirmation of its client need have told. A clock that stood still
// meanwhile does not show how long ago that is.
bool invariants::may_be_unknown(acquisition_key who, const contender_record& mine) const {
    if (core::family(mine.wants.kind) == contender_family::read_write) return false;
    const auto interval = confirmation();
    const auto slowest = interval + dice::part(interval, scenario_.rule.clock_drift);
    const auto since = std::max(mine.deleted_at, client(who.first).clock_goes_since());
    return history_.forced(mine) && now() <= since + slowest;
}

// Whether there was an instant since its creation at which there was, or was no, room for the lease.
bool invariants::had_room(const contender_record& mine, bool wanted) const {
    std::vector<std::int64_t> instants{mine.created};
    for (const auto& one : history_.limits(mine.folder)) instants.push_back(one.since);
    for (const auto& one : history_.of(mine.folder))
        if (one.deleted != 0) instants.push_back(one.deleted);
    return std::any_of(instants.begin(), instants.end(), [&](std::int64_t at) {
        if (!stood(mine, at)) return false;
        std::int32_t limit = 0;
        for (const auto& one : history_.limits(mine.folder))
            if (one.since <= at) limit = one.permits;
        std::int64_t taken = mine.wants.permits;
        for (const auto& one : history_.of(mine.folder))
            if (one.place < mine.place && stood(one, at)) taken += one.wants.permits;
        return (taken <= limit) == wanted;
    });
}

// Told to a try: a contender was in its way.
void invariants::judge_busy(acquisition_key who, const acquisition_record& record) const {
    const auto tag = history::tag(who);
    const auto& all = history_.of(record.folder);
    for (const auto& mine : all) {
        if (mine.data != tag) continue;
        if (mine.wants.kind == contender_kind::lease) {
            if (had_room(mine, false)) return;
            continue;
        }
        for (const auto& other : all)
            if ((other.place < mine.place || other.wants.kind == contender_kind::upgrade) &&
                (exclude(mine.wants.kind, other.wants.kind) ||
                 other.wants.kind == contender_kind::upgrade) &&
                (other.deleted == 0 || other.deleted > mine.created))
                return;
    }
    breach("G8", tag + " is told that the lock is busy, and nobody was ahead");
}

bool invariants::exceeds(const acquisition_record& record) const {
    const auto& limits = history_.limits(record.folder);
    return std::any_of(limits.begin(), limits.end(), [&record](const auto& one) {
        return one.permits < record.wants.permits ||
               one.permits != record.limit.value_or(one.permits);
    });
}

// ---- G1 -------------------------------------------------------------------------------------

void invariants::judge_together(acquisition_key who,
                                const std::vector<acquisition_key>& others) const {
    const auto& mine = history_.acquisitions.at(who);
    std::int64_t taken = mine.wants.permits;
    for (const auto& other : others) {
        const auto& theirs = history_.acquisitions.at(other);
        taken += theirs.wants.permits;
        // One client's upgrade and the hold that it stands on.
        const bool own = who.first == other.first &&
                         (mine.wants.kind == contender_kind::upgrade ||
                          theirs.wants.kind == contender_kind::upgrade) &&
                         (mine.wants.kind == contender_kind::upgradable ||
                          theirs.wants.kind == contender_kind::upgradable);
        if (!own && exclude(mine.wants.kind, theirs.wants.kind))
            breach("G1",
                   fmt::format("{} and {} are both valid at {:.6f}", guard(other), guard(who),
                               std::chrono::duration<double>{now().time_since_epoch()}.count()));
    }
    if (mine.wants.kind != contender_kind::lease) return;
    std::int32_t most = 0;
    for (const auto& one : history_.limits(mine.folder)) most = std::max(most, one.permits);
    if (taken > most)
        breach("G1",
               fmt::format("{} permits are out, and there were never more than {}", taken, most));
}

// An upgrade counts as long as the hold that it stands on.
bool invariants::stands_alone(const acquisition_record& record) const {
    if (record.wants.kind != contender_kind::upgrade) return false;
    const auto& all = history_.of(record.folder);
    return std::none_of(all.begin(), all.end(), [&](const auto& one) {
        const auto name = one.znode.substr(one.folder.size() + 1);
        return one.deleted == 0 && one.wants.kind == contender_kind::upgradable &&
               core::contender_sequence(name) == record.wants.upgrades;
    });
}

// The upgrade, or what it is to upgrade.
bool invariants::at_counter_end(acquisition_key who) const {
    const auto& record = history_.acquisitions.at(who);
    const auto tag = history::tag(who);
    const auto& all = history_.of(record.folder);
    return core::at_counter_end(record.wants.upgrades) ||
           std::any_of(all.begin(), all.end(), [&tag](const auto& one) {
               return one.data == tag && core::at_counter_end(one.wants.upgrades);
           });
}

// ---- the lock delay -------------------------------------------------------------------------

// Since the znode of a holder went that did not release.
void invariants::judge_delay(acquisition_key who, const acquisition_record& record) {
    using namespace std::chrono_literals;
    if (scenario_.lock_delay == core::duration{} || record.wants.kind != contender_kind::lock)
        return;
    for (const auto& [other, theirs] : history_.acquisitions) {
        if (other == who || !theirs.granted || theirs.folder != record.folder) continue;
        const auto& znode = *history_.find(theirs.znode);
        const bool released = theirs.left && !theirs.lost && znode.why == removal::by_owner;
        // The stamps of the leaders are in milliseconds.
        if (!released && now() + 2ms < znode.deleted_at + scenario_.lock_delay)
            breach("D1", history::tag(who) + " is granted too soon after the crash of " +
                             history::tag(other));
    }
}

// ---- the floor ------------------------------------------------------------------------------

// No contender stands at it or below, and it is not written over other clients' data.
void invariants::judge_floors() {
    const auto& truth = ensemble_.truth();
    if (floors_judged_at_ == truth.zxid()) return;
    floors_judged_at_ = truth.zxid();
    for (const auto& folder : scenario_.folders) {
        const auto* node = truth.nodes().find(folder);
        const auto floor = node == nullptr
                               ? std::nullopt
                               : core::parse_low_water_mark(contender_family::lock, node->data);
        if (!floor) continue;
        if (history_.changed_by_hand(folder) > node->czxid)
            breach("D2", "what somebody wrote into " + folder + " is overwritten with a floor");
        for (const auto& one : history_.of(folder)) {
            const auto number = core::contender_sequence(one.znode.substr(folder.size() + 1));
            if (one.deleted == 0 && number && core::sequence_distance(*number, *floor) <= 0)
                breach("G2", one.znode + " of " + one.data + " stands, and the floor is " +
                                 std::to_string(*floor));
        }
    }
}

// ---- G3 -------------------------------------------------------------------------------------

// A writer that goes wakes all the readers that it grants; a reader, the next writer and an upgrade; a lease two
// while the first in line changes, and more only if it stood when the semaphore had shrunk and no client had
// found out yet which holds exceed the limit.
bool invariants::may_wake_many(const contender_record& one) const {
    if (history_.tampered(one.folder)) return true;
    if (one.wants.kind == contender_kind::lease)
        return one.woken.size() <= 2 || stood_when_open(one);
    if (one.wants.kind == contender_kind::read) return one.woken.size() <= 2;
    return core::family(one.wants.kind) == contender_family::read_write;
}

bool invariants::stood_when_open(const contender_record& one) const {
    const auto& limits = history_.limits(one.folder);
    for (std::size_t i = 0; i != limits.size(); ++i) {
        const bool over = i + 1 != limits.size() && limits[i + 1].since < one.created;
        const bool later = one.deleted != 0 && limits[i].since > one.deleted;
        if (limits[i].open && !over && !later) return true;
    }
    return false;
}

// ---- G6 -------------------------------------------------------------------------------------

void invariants::judge_token(acquisition_key who, const acquisition_record& record,
                             const contender_record& mine) {
    const bool sorted_by_list = core::family(mine.wants.kind) == contender_family::read_write;
    if (!sorted_by_list && record.token.zxid() != static_cast<std::uint64_t>(mine.created))
        breach("G6", history::tag(who) + " has another token than its czxid");
    if (history_.forced(mine) || scenario_.trial.judge_guards_only) return;
    if (mine.wants.kind == contender_kind::lease) return;
    // Its lease is over and its clock does not tell: it may hear late of a hand-over that others have passed.
    if (client(who.first).rests_on_a_stopped_clock()) return;
    auto& all = history_.tokens[record.folder];
    for (const auto& [kind, token] : all)
        if (exclude(mine.wants.kind, kind) && record.token <= token)
            breach("G6", history::tag(who) + " has no larger token than a grant before");
    all.emplace_back(mine.wants.kind, record.token);
}

void invariants::judge_renamed(acquisition_key who, const acquisition_record& record,
                               const core::renamed& what) {
    if (what.refused) breach("G8", history::tag(who) + " is not renamed without reason");
    if (what.znode != record.znode) {
        const auto* old = history_.find(record.znode);
        const auto* mine = history_.find(what.znode);
        if (mine == nullptr || mine->data != history::tag(who) || mine->place != old->place)
            breach("G8", history::tag(who) + " goes on by a znode that is not in its place");
    }
    if (what.token <= record.token)
        breach("G6", history::tag(who) + " has no larger token after it was renamed");
    history_.tokens[record.folder].emplace_back(record.wants.kind, what.token);
}

// ---- revocation -----------------------------------------------------------------------------

// An order is for the contender into whose znode it was written.
void invariants::judge_order(acquisition_key who, const acquisition_record& record,
                             const core::asked_to_release& what) {
    const auto* ordered = history_.in_place_of(history_.ordered(what.who));
    if (ordered == nullptr || ordered->znode != record.znode)
        breach("G8", history::tag(who) + " has " + record.znode + " and is told of an order of " +
                         what.who + " to another");
}

bool invariants::was_marked(acquisition_key who) const {
    const auto tag = history::tag(who);
    const auto& all = history_.of(history_.acquisitions.at(who).folder);
    return std::any_of(all.begin(), all.end(), [&](const auto& one) {
        return one.data == tag && history_.marked(one.znode);
    });
}

}  // namespace turnstile::simulation
