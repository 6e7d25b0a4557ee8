// SPDX-License-Identifier: Apache-2.0
// recipe_judge: checks the promises of guarded writes, elections, job gates and rate gates by the committed state. It
// also checks the promises of re-entrant locks. seat_judge.hpp checks the state of a participant of an election.
//
// | name | judged                                                                                 |
// |------|----------------------------------------------------------------------------------------|
// | G8   | A commit is applied at most once. If it is reported as done, it was applied. If it is  |
// |      | reported as failed, it is never applied.                                               |
// | G8   | The znodes that a commit makes exist once it is applied.                               |
// | G1   | A commit is applied only while the znodes of its hold and of the further holds exist.  |
// | E1   | A participant steps aside no more often than a hint allows, and not after the named    |
// |      | participant has led.                                                                   |
// | J1   | Two starts of a job are at least a period apart, by the leader's time stamps.          |
// | J2   | A run whose end was not recorded counts as running for at_most_for.                    |
// | R1   | If the limit is n entries a period, n + 1 successive entries take at least a period.   |
// | O1   | Only the hold's owner enters the hold again, and only while the hold is valid.         |
// | O2   | A hold is released when its owner has left as often as it entered, and not before.     |
// | O3   | If a thread is the owner, only this thread leaves the hold.                            |
// | X1   | A wait that gives up because of a deadlock was the newest of a cycle that existed at   |
// |      | an instant.                                                                            |
// | X2   | Only one wait of a cycle gives up.                                                     |
//
// E1: a hint in an election's folder names the next leader. It also has the number of other participants that may step
// aside for that leader. An entry (R1) is one pass through a rate gate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/session/session_core.hpp"
#include "recipe/election/succession.hpp"
#include "recipe/gate/gate_rules.hpp"
#include "simulation/history.hpp"
#include "simulation/recipe_observer.hpp"
#include "simulation/scenario.hpp"
#include "turnstile/deadlock_detector.hpp"

namespace turnstile::simulation {

class recipe_judge final : public recipe_observer {
public:
    recipe_judge(const scenario& scenario, history& truth) : scenario_{scenario}, history_{truth} {}

    void on_commit(const std::string& text, contender_key hold,
                   const std::vector<core::write_part>& parts,
                   const std::vector<std::string>& standing) override;
    void on_commit_answer(const std::string& text, const core::commit_outcome& outcome) override;
    void on_term(contender_key hold, const std::string& id) override;
    void on_share(contender_key hold, const lock_owner& owner, core::time_point now) override;
    void on_share_left(contender_key hold, const lock_owner& caller) override;
    void on_owner(contender_key key, const std::string& owner) override {
        owners_[history::tag(key)] = owner;
    }
    [[nodiscard]] std::string owner_of(const std::string& data) const override {
        const auto found = owners_.find(data);
        return found == owners_.end() ? std::string{} : found->second;
    }
    void on_deadlock(contender_key key, const deadlock& found) override;
    void after_event() override;

private:
    struct commit {
        contender_key hold;
        std::vector<std::string> targets;   // paths that must exist after the commit
        std::vector<std::string> standing;  // znodes of the further holds
        int applied = 0;
        std::int64_t zxid = 0;  // transaction number of the commit
        bool lost = false;      // applied, and then lost by the servers
        bool failed = false;
    };
    struct hint {
        detail::succession_hint first;
        std::uint32_t aside = 0;
        bool led = false;
    };

    struct shared_hold {
        lock_owner owner;
        std::size_t shares = 0;
    };

    void on_written(const history::written& write);
    void judge_commit(const std::string& text, commit& entry, std::int64_t zxid) const;
    void on_lost(std::int64_t after);
    void judge_shares();
    void judge_hint(const std::string& folder, const std::string& text);
    void judge_job(const history::written& write);
    void judge_entry(const history::written& write);

    const scenario& scenario_;
    history& history_;
    std::map<std::string, commit> commits_;  // commits by their text
    std::map<std::string, hint> hints_;      // hints by their folder
    // True if the servers have lost writes that they had answered.
    bool forgetful_ = false;
    job_record job_;
    std::vector<std::int64_t> entries_;  // time stamps of entries
    // writes to the data of the job and the rate gate, without the writes that the servers lost
    std::vector<history::written> jobs_and_entries_;
    std::map<contender_key, shared_hold> shared_;
    std::map<std::string, std::string> owners_;  // owners by the contender's data
    std::set<std::set<std::string>> deadlocks_;  // sets of waits, one of which has given up
};

}  // namespace turnstile::simulation
