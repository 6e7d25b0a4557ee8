// recipe_judge: what guarded writes, elections and gates promise, judged by what was committed.
//
// | name | judged                                                                                   |
// |------|------------------------------------------------------------------------------------------|
// | G8   | a commit is applied once at most; told as done: once; told as failed: not at all        |
// | G1   | a commit is applied only while the znode of its hold stands                              |
// | E1   | nobody steps aside more often than a hint allows, nor once the named one has led        |
// | J1   | starts of a job are a period apart by the leader's stamps                                |
// | J2   | a run whose end was not written down counts for at_most_for                              |
// | R1   | of one more entry than there may be the first and the last are a period apart           |
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/session_core.hpp"
#include "recipe/job_rule.hpp"
#include "recipe/succession.hpp"
#include "simulation/history.hpp"
#include "simulation/scenario.hpp"

namespace turnstile::simulation {

inline constexpr const char* k_state_znode = "/state";
inline constexpr const char* k_job_znode = "/job";
inline constexpr const char* k_rate_znode = "/rate";

class recipe_judge {
public:
    recipe_judge(const scenario& what, history& truth) : scenario_{what}, history_{truth} {}

    // A client is about to write this, under this hold; the text is written by nobody else.
    void on_commit(const std::string& text, acquisition_key hold);
    void on_commit_answer(const std::string& text, const core::commit_outcome& what);
    void on_term(const std::string& folder, const std::string& id);  // begins to lead
    void after_event();

private:
    struct commit {
        acquisition_key hold;
        int applied = 0;
        bool failed = false;
    };
    struct hint {
        detail::succession_hint first;
        std::uint32_t aside = 0;
        bool led = false;
    };

    void on_written(const history::written& what);
    void judge_hint(const std::string& folder, const std::string& text);
    void judge_job(const history::written& what);
    void judge_entry(const history::written& what);

    const scenario& scenario_;
    history& history_;
    std::map<std::string, commit> commits_;  // by text
    std::map<std::string, hint> hints_;      // by folder
    job_record job_;
    std::vector<std::int64_t> entries_;  // their stamps
};

}  // namespace turnstile::simulation
