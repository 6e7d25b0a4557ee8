#include "simulation/recipe_judge.hpp"

#include <algorithm>
#include <utility>

#include "simulation/invariants.hpp"

namespace turnstile::simulation {

void recipe_judge::on_commit(const std::string& text, acquisition_key hold) {
    commits_.emplace(text, commit{hold});
}

void recipe_judge::on_commit_answer(const std::string& text, const core::commit_outcome& what) {
    auto& one = commits_.at(text);
    const auto* why = std::get_if<error>(&what);
    if (why == nullptr) {
        if (one.applied != 1)
            throw violation{"G8", '"' + text + "\" is told as written, and was not"};
        return;
    }
    one.failed = *why != errc::outcome_unknown;
    if (one.failed && one.applied != 0)
        throw violation{"G8",
                        '"' + text + "\" was written, and is told as failed: " + why->message()};
}

void recipe_judge::on_term(const std::string& folder, const std::string& id) {
    const auto found = hints_.find(folder);
    if (found != hints_.end() && found->second.first.successor == id) found->second.led = true;
}

void recipe_judge::after_event() {
    for (const auto& one : history_.take_written()) on_written(one);
}

void recipe_judge::on_written(const history::written& what) {
    const auto found = commits_.find(what.data);
    if (found != commits_.end()) {
        auto& one = found->second;
        if (++one.applied > 1) throw violation{"G8", '"' + what.data + "\" is written twice"};
        if (one.failed)
            throw violation{"G8", '"' + what.data + "\" was told as failed, and is written"};
        const auto* znode = history_.find(history_.acquisitions.at(one.hold).znode);
        if (znode == nullptr || (znode->deleted != 0 && znode->deleted < what.zxid))
            throw violation{"G1", '"' + what.data + "\" is written by a hold that is gone"};
    }
    if (what.path == k_job_znode) return judge_job(what);
    if (what.path == k_rate_znode) return judge_entry(what);
    const auto& folders = scenario_.folders;
    if (std::find(folders.begin(), folders.end(), what.path) != folders.end())
        judge_hint(what.path, what.data);
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
    if (now.led)
        throw violation{"E1", "somebody steps aside for " + next->successor + ", which has led"};
    if (++now.aside > now.first.steps)
        throw violation{"E1", "more step aside for " + next->successor + " than may"};
}

void recipe_judge::judge_entry(const history::written& what) {
    entries_.push_back(what.stamp);
    const auto most = scenario_.rate.entries;
    if (entries_.size() <= most) return;
    const auto first = entries_[entries_.size() - 1 - most];
    if (what.stamp < first + scenario_.rate.period)
        throw violation{"R1", std::to_string(most + 1) + " entries within " +
                                  std::to_string(what.stamp - first) + " ms"};
}

void recipe_judge::judge_job(const history::written& what) {
    const auto next = detail::parse_job(what.data, what.stamp);
    if (!next) throw violation{"J1", "no record of a job: " + what.data};
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
