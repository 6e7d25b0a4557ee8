// SPDX-License-Identifier: Apache-2.0
// rate_turn: one call of rate_gate::enter() or try_enter() in a user's simulation, with the steps of
// docs/why/job_gate.md and the decisions of recipe/gate/rate_rule.hpp.
//
// Thread safety: none. The object lives until its last step.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "recipe/gate/rate_rule.hpp"
#include "simulation/script.hpp"

namespace turnstile::simulation {

class rate_turn : public std::enable_shared_from_this<rate_turn> {
public:
    static void start(script& by, std::string path, detail::rate_record&& rule,
                      testing::simulated_entry&& entry);

private:
    rate_turn(script& by, std::string path, detail::rate_record&& rule,
              testing::simulated_entry&& entry);

    void lock();
    void look();
    void learn_now(const detail::stamped_data& found);
    void decide(const detail::stamped_data& found, std::int64_t now);
    void finish(const result<void>& outcome);

    script& script_;
    const std::string path_;
    const detail::rate_record rule_;
    const testing::simulated_entry entry_;
    std::uint64_t call_ = 0;
    bool over_ = false;  // true: `done` was called
};

}  // namespace turnstile::simulation
