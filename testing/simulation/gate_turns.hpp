// SPDX-License-Identifier: Apache-2.0
// gate_turns: the calls of a user's simulation for job_gate (job_turn) and rate_gate (rate_turn), and the requests that
// both make (stamped_steps). docs/why/job_gate.md has the steps.
//
// Thread safety: none. A job_turn or rate_turn lives until its last step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "recipe/gate/gate_rules.hpp"
#include "recipe/node/node_data.hpp"
#include "simulation/script.hpp"
#include "turnstile/result.hpp"

namespace turnstile::simulation {

// stamped_steps: the requests of job_gate and rate_gate in a user's simulation. The functions read the recipe's data,
// write these data, and ask for the leader's time. The functions of recipe/node/stamped_node.hpp do the same and block;
// the functions here call a handler instead.

using stamped_handler = std::function<void(const result<detail::stamped_data>&)>;
using time_handler = std::function<void(const result<std::int64_t>&)>;
using written_handler = std::function<void(const result<void>&)>;

void read_stamped(script& by, const std::string& path, stamped_handler then);
// Writes the unchanged data into the hold's znode again, and then reads the znode's mtime, which is the leader's time.
void ask_time(script& by, std::uint64_t call, time_handler then);
// Writes `text` into the znode, or creates the znode, unless the znode has changed since `as_read` was read.
void write_stamped(script& by, std::uint64_t call, const std::string& path,
                   const detail::stamped_data& as_read, const std::string& text,
                   written_handler then);

// job_turn: one call of job_gate::run() in a user's simulation, with the steps of docs/why/job_gate.md and the
// decisions of recipe/gate/gate_rules.hpp.
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

// rate_turn: one call of rate_gate::enter() or try_enter() in a user's simulation, with the steps of
// docs/why/job_gate.md and the decisions of recipe/gate/gate_rules.hpp.
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
