// SPDX-License-Identifier: Apache-2.0
#include "verification/recipe_judge.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "verification/invariants.hpp"

namespace turnstile::simulation {

void recipe_judge::on_commit(const std::string& text, contender_key hold,
                             const std::vector<core::write_part>& parts,
                             const std::vector<std::string>& standing) {
    auto& entry = commits_.emplace(text, commit{.hold = hold, .standing = standing}).first->second;
    for (const auto& part : parts)
        if (const auto* make = std::get_if<core::make_op>(&part))
            entry.targets.push_back(make->path);
}

void recipe_judge::on_commit_answer(const std::string& text, const core::commit_outcome& outcome) {
    auto& entry = commits_.at(text);
    const auto* why = std::get_if<error>(&outcome);
    if (why == nullptr) {
        if (entry.applied != 1 && !entry.lost)
            throw violation{"G8", '"' + text + "\" is told as written, and was not"};
        return;
    }
    entry.failed = *why != errc::outcome_unknown;
    if (entry.failed && entry.applied != 0)
        throw violation{"G8",
                        '"' + text + "\" was written, and is told as failed: " + why->message()};
}

// If an operator removed the znode of a leader's term, the term has ended, although its participant does not know that.
// The hint in the folder (the name of the next leader) may then belong to the next term, so this function does not
// judge the hint.
void recipe_judge::on_term(contender_key hold, const std::string& id) {
    const auto& record = history_.contenders.at(hold);
    const auto* znode = history_.find(record.znode);
    if (znode == nullptr || znode->deleted != 0) return;
    const auto found = hints_.find(record.folder);
    if (found != hints_.end() && found->second.first.successor == id) found->second.led = true;
}

void recipe_judge::after_event() {
    const auto written = history_.take_written();
    if (const auto after = history_.take_lost()) on_lost(*after);
    for (const auto& write : written) on_written(write);
    judge_shares();
}

void recipe_judge::on_share(contender_key hold, const lock_owner& owner, core::time_point now) {
    const auto [at, first] = shared_.try_emplace(hold, shared_hold{owner});
    ++at->second.shares;
    if (first) return;
    const auto& record = history_.contenders.at(hold);
    if (at->second.owner != owner)
        throw violation{"O1", history::tag(hold) + " is entered by another owner"};
    if (!record.holds() || now >= *record.valid_until)
        throw violation{"O1", history::tag(hold) + " is entered again, and is over"};
}

void recipe_judge::on_share_left(contender_key hold, const lock_owner& caller) {
    auto& shared = shared_.at(hold);
    --shared.shares;
    if (shared.owner.is_thread() && shared.owner != caller)
        throw violation{"O3", history::tag(hold) + " is left by another thread than its owner"};
}

void recipe_judge::judge_shares() {
    for (auto at = shared_.begin(); at != shared_.end();) {
        const auto& [hold, shared] = *at;
        const auto& record = history_.contenders.at(hold);
        const bool ended = record.abandoned || record.lost;
        if (!ended && record.left && shared.shares != 0)
            throw violation{"O2", history::tag(hold) + " is given up, and a thread is inside"};
        if (!ended && !record.left && shared.shares == 0)
            throw violation{"O2", history::tag(hold) + " is kept, and no thread is inside"};
        at = shared.shares == 0 ? shared_.erase(at) : std::next(at);
    }
}

void recipe_judge::on_deadlock(contender_key key, const deadlock& found) {
    std::int64_t newest = 0;  // when the cycle's newest wait was created
    std::int64_t first_gone = 0;
    // A wait is a contender's znode. `newest_kept`: when the newest wait was created, not counting waits that the
    // servers have lost. `first_lost`: when the first lost wait was created. A server that loses a wait also loses all
    // later creates.
    std::int64_t newest_kept = 0;
    std::int64_t first_lost = std::numeric_limits<std::int64_t>::max();
    std::set<instant> losses;
    std::set<std::string> waits;
    const auto see = [&](const std::string& znode) -> const znode_record& {
        const auto* record = history_.find(znode);
        if (record == nullptr) throw violation{"X1", znode + " of a deadlock never was"};
        newest = std::max(newest, record->created);
        if (record->why == removal::lost && record->deleted == record->created + 1) {
            first_lost = std::min(first_lost, record->created);
            losses.insert(record->deleted_at);
            return *record;
        }
        newest_kept = std::max(newest_kept, record->created);
        if (record->deleted != 0 && (first_gone == 0 || record->deleted < first_gone))
            first_gone = record->deleted;
        return *record;
    };
    const auto& mine = see(found.members.front().awaits + '/' + found.members.front().waiting.name);
    // All contenders of this client in the reported deadlock must belong to one session of the client.
    const auto judge_session = [&](const znode_record& record) {
        const bool own = history_.tagged.at(record.data).first == key.first;
        if (own && record.session != mine.session)
            throw violation{"X1", history::tag(key) + " gives up for " + record.znode +
                                      ", which its client has left behind"};
    };
    for (const auto& member : found.members) {
        judge_session(see(member.holds + '/' + member.holding.name));
        const auto& wait = see(member.awaits + '/' + member.waiting.name);
        judge_session(wait);
        waits.insert(wait.znode);
        if (wait.created > mine.created)
            throw violation{"X1", history::tag(key) + " gives up, and " + wait.znode + " is newer"};
    }
    if (mine.data != history::tag(key))
        throw violation{"X1", history::tag(key) + " gives up for another's wait"};
    const bool lost_apart = losses.size() > 1 || newest_kept > first_lost;
    if (lost_apart || (first_gone != 0 && first_gone <= newest))
        throw violation{"X1", history::tag(key) + " gives up for a deadlock that never stood"};
    if (!deadlocks_.insert(waits).second)
        throw violation{"X2", history::tag(key) + " gives up, and another of the cycle has"};
}

void recipe_judge::judge_commit(const std::string& text, commit& entry, std::int64_t zxid) const {
    const auto is_gone = [this, zxid](const std::string& path) {
        const auto* znode = history_.find(path);
        return znode == nullptr || (znode->deleted != 0 && znode->deleted < zxid);
    };
    entry.zxid = zxid;
    if (++entry.applied > 1) throw violation{"G8", '"' + text + "\" is written twice"};
    if (entry.failed) throw violation{"G8", '"' + text + "\" was told as failed, and is written"};
    if (is_gone(history_.contenders.at(entry.hold).znode))
        throw violation{"G1", '"' + text + "\" is written by a hold that is gone"};
    for (const auto& further : entry.standing)
        if (is_gone(further))
            throw violation{"G1", '"' + text + "\" is written, and " + further + " is gone"};
    for (const auto& path : entry.targets)
        if (!history_.stood(path, zxid))
            throw violation{"G8", '"' + text + "\" is written, and " + path + " is not there"};
}

void recipe_judge::on_written(const history::written& write) {
    const auto found = commits_.find(write.data);
    if (found != commits_.end()) judge_commit(found->first, found->second, write.zxid);
    if (write.path == k_job_znode || write.path == k_rate_znode) jobs_and_entries_.push_back(write);
    if (write.path == k_job_znode) return judge_job(write);
    if (write.path == k_rate_znode) return judge_entry(write);
    const auto& folders = scenario_.folders;
    if (std::find(folders.begin(), folders.end(), write.path) != folders.end())
        judge_hint(write.path, write.data);
}

// The servers lost the writes after transaction `after`, so these writes count as not applied.
void recipe_judge::on_lost(std::int64_t after) {
    forgetful_ = true;
    for (auto& [text, entry] : commits_) {
        if (entry.applied == 0 || entry.zxid <= after) continue;
        entry.applied = 0;
        entry.lost = true;
    }
    std::erase_if(jobs_and_entries_, [after](const auto& write) { return write.zxid > after; });
    hints_.clear();
    job_ = {};
    entries_.clear();
    for (const auto& write : jobs_and_entries_) {
        if (write.path == k_rate_znode) entries_.push_back(write.stamp);
        const auto job =
            write.path == k_job_znode ? detail::parse_job(write.data, write.stamp) : std::nullopt;
        if (job) job_ = *job;
    }
}

void recipe_judge::judge_hint(const std::string& folder, const std::string& text) {
    const auto next = detail::succession_hint::parse(text);
    if (!next) {
        hints_.erase(folder);
        return;
    }
    const auto [at, first] = hints_.try_emplace(folder, hint{*next});
    if (first) return;
    auto& now = at->second;
    // If the servers have lost a grant, two participants may lead at once, and each may name a successor.
    if (forgetful_ && next->successor != now.first.successor) {
        now = hint{*next};
        return;
    }
    if (now.led)
        throw violation{"E1",
                        "a participant steps aside for " + next->successor + ", which has led"};
    if (++now.aside > now.first.steps)
        throw violation{"E1", "more step aside for " + next->successor + " than may"};
}

void recipe_judge::judge_entry(const history::written& write) {
    entries_.push_back(write.stamp);
    const auto most = scenario_.rate.entries;
    if (entries_.size() <= most) return;
    const auto first = entries_[entries_.size() - 1 - most];
    if (write.stamp < first + scenario_.rate.period)
        throw violation{"R1", std::to_string(most + 1) + " entries within " +
                                  std::to_string(write.stamp - first) + " ms"};
}

void recipe_judge::judge_job(const history::written& write) {
    const auto next = detail::parse_job(write.data, write.stamp);
    if (!next) throw violation{"J1", "no record of a job: " + write.data};
    const auto last = std::exchange(job_, *next);
    if (next->state != job_state::running || last.state == job_state::never_run) return;
    if (next->started < last.started + scenario_.job.period)
        throw violation{"J1", "run " + std::to_string(next->number) + " starts within the period"};
    if (last.state == job_state::running &&
        next->started < last.started + scenario_.job.at_most_for)
        throw violation{
            "J2", "run " + std::to_string(next->number) + " starts while the one before may go on"};
}

}  // namespace turnstile::simulation
