// SPDX-License-Identifier: Apache-2.0
// recipe_judge: what guarded writes, elections and gates promise, judged by what was committed; and what
// re-entrant locks promise. The state of a participant of an election: seat_judge.hpp.
//
// | name | judged                                                                                   |
// |------|------------------------------------------------------------------------------------------|
// | G8   | a commit is applied once at most; told as done: once; told as failed: not at all        |
// | G8   | what a commit is to make is there when it has been applied                              |
// | G1   | a commit is applied only while the znodes of its hold and of the further ones stand     |
// | E1   | a participant steps aside no more often than a hint allows, and not once the named one   |
// |      | has led                                                                                  |
// | J1   | starts of a job are a period apart by the leader's stamps                                |
// | J2   | a run whose end was not written down counts for at_most_for                              |
// | R1   | of one more entry than there may be the first and the last are a period apart           |
// | O1   | a hold is entered again by its own owner only, and only while it is valid               |
// | O2   | a hold is given up with its last share, and not before                                  |
// | O3   | what a thread entered only that thread leaves                                           |
// | X1   | a wait that is given up for a deadlock was the newest of a cycle that stood at an instant |
// | X2   | of one cycle only one gives up                                                          |
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
#include "recipe/gate/job_rule.hpp"
#include "simulation/history.hpp"
#include "simulation/recipe_observer.hpp"
#include "simulation/scenario.hpp"
#include "turnstile/deadlock_detector.hpp"

namespace turnstile::simulation {

class recipe_judge final : public recipe_observer {
public:
    recipe_judge(const scenario& scenario, history& truth) : scenario_{scenario}, history_{truth} {}

    void on_commit(const std::string& text, acquisition_key hold,
                   const std::vector<core::write_part>& parts,
                   const std::vector<std::string>& standing) override;
    void on_commit_answer(const std::string& text, const core::commit_outcome& outcome) override;
    void on_term(acquisition_key hold, const std::string& id) override;
    void on_share(acquisition_key hold, const lock_owner& owner, core::time_point now) override;
    void on_share_left(acquisition_key hold, const lock_owner& caller) override;
    void on_owner(acquisition_key key, const std::string& owner) override {
        owners_[history::tag(key)] = owner;
    }
    [[nodiscard]] std::string owner_of(const std::string& data) const override {
        const auto found = owners_.find(data);
        return found == owners_.end() ? std::string{} : found->second;
    }
    void on_deadlock(acquisition_key key, const deadlock& found) override;
    void after_event() override;

private:
    struct commit {
        acquisition_key hold;
        std::vector<std::string> targets;   // what is to be there afterwards
        std::vector<std::string> standing;  // znodes of further holds
        int applied = 0;
        std::int64_t zxid = 0;  // of that
        bool lost = false;      // it was, and the servers have lost it
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
    std::map<std::string, commit> commits_;  // by text
    std::map<std::string, hint> hints_;      // by folder
    bool forgetful_ = false;                 // the servers have lost what they had answered
    job_record job_;
    std::vector<std::int64_t> entries_;               // their stamps
    std::vector<history::written> jobs_and_entries_;  // all that are not lost
    std::map<acquisition_key, shared_hold> shared_;
    std::map<std::string, std::string> owners_;  // by the data of the contender
    std::set<std::set<std::string>> deadlocks_;  // the waits of each for which a wait was given up
};

}  // namespace turnstile::simulation
