// SPDX-License-Identifier: Apache-2.0
// job_turn: one call of job_gate::run() in a user's simulation, with the steps of docs/why/job_gate.md and the
// decisions of recipe/gate/job_rule.hpp.
//
// Thread safety: none. The object lives until its last step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "recipe/gate/job_rule.hpp"
#include "recipe/node/stamped_data.hpp"
#include "simulation/script.hpp"

namespace turnstile::simulation {

class job_turn : public std::enable_shared_from_this<job_turn> {
public:
    static void start(script& by, std::string path, const detail::job_terms& terms,
                      testing::simulated_job&& job);

private:
    using found = detail::stamped_data;

    job_turn(script& by, std::string path, const detail::job_terms& terms,
             testing::simulated_job&& job);

    void lock();
    void learn_now(const found& last);
    void decide(std::int64_t now);
    void begin();
    void end();
    void report_running();
    void finish(result<job_report> outcome);

    // Reads the data of the job_gate. If the read fails, the simulated call of job_gate::run() ends with the read's
    // error.
    void read(std::function<void(const found&)> then);
    void write(std::function<void()> then);

    script& script_;
    const std::string path_;
    const testing::simulated_job job_;
    const detail::job_terms terms_;
    std::uint64_t call_ = 0;
    found last_;
    job_report report_;
};

}  // namespace turnstile::simulation
