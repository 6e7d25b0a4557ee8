// SPDX-License-Identifier: Apache-2.0
// What is written under locks: commits, and the records of jobs and rates.
#include <map>

#include "deterministic/scenarios.hpp"

namespace turnstile::deterministic_tests {

namespace {

using nanoseconds = boottime_clock::duration;

// Every second, and at last: the servers' truth.
class state_watch {
public:
    explicit state_watch(simulated_world& world) : world_{world} {}
    void look() {
        const auto found = world_.find("/app/state");
        if (!found || found->data.empty()) return;
        const auto token = fencing_token::parse(found->data).value();
        require(token >= latest_, "a write of an earlier holder came after one of a later");
        latest_ = token;
    }

private:
    simulated_world& world_;
    fencing_token latest_{};
};

// A counter that is read and written under a lock: each commit that is answered counts once, each of unknown outcome at
// most once.
void commits(simulated_world& world) {
    judge exclusive{"mutex"};
    state_watch state{world};
    int certain = 0;
    int possible = 0;
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        mutex lock{servers, "/locks/a"};
        for (chance dice{process};;) {
            auto hold = lock.acquire({.timeout = 30s});
            if (!hold) continue;
            {
                const judge::stay here{exclusive, [&hold] { return hold->valid(); },
                                       hold->fencing_token()};
                for (int writes = dice.below(4); writes != 0; --writes) {
                    const auto before = read_node(servers, "/counter", {.timeout = 5s});
                    const bool absent = !before && before.error() == errc::no_node;
                    if (!before && !absent) break;
                    const auto next = std::to_string(absent ? 1 : std::stoi(before->data) + 1);
                    const auto done =
                        hold->commit(transaction{}
                                         .put("/counter", next)
                                         .put("/state", hold->fencing_token().to_string()),
                                     {.timeout = 5s});
                    if (done) ++certain;
                    // A process may be killed with its answer under way.
                    if (!done && done.error() == errc::outcome_unknown) ++possible;
                    state.look();
                    if (!done) break;
                }
            }
            (void)hold->release();
        }
    });
    state.look();
    const auto found = world.find("/app/counter");
    require(found.has_value(), "nothing was written");
    const int counted = std::stoi(found->data);
    constexpr int k_killed = 3;
    require(counted >= certain, "a write that was answered is missing");
    require(counted <= certain + possible + k_killed, "a write that was refused is there");
}

void jobs(simulated_world& world) {
    constexpr job_rules k_rules{.period = 5s, .at_most_for = 30s};
    std::map<std::uint64_t, std::int64_t> started;  // by the number of the run
    std::map<std::uint64_t, int> runs;
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        job_gate gate{servers, "/jobs/report", k_rules, "service-" + std::to_string(process)};
        for (chance dice{process};;) {
            const auto done = gate.run(
                [&](job_run& run) {
                    require(++runs[run.number()] == 1, "one run twice");
                    std::this_thread::sleep_for(dice.up_to(2s));
                },
                {.timeout = dice.up_to(5s)});
            if (done && done->verdict == job_verdict::ran && done->record.started != 0)
                started[done->record.number] = done->record.started;
            std::this_thread::sleep_for(dice.up_to(1s));
        }
    });
    require(runs.size() >= 3, "hardly any run");
    std::optional<std::pair<std::uint64_t, std::int64_t>> before;
    for (const auto& [number, at] : started) {
        if (before && before->first + 1 == number)
            require(std::chrono::milliseconds{at - before->second} >= k_rules.period,
                    "two runs within a period");
        before.emplace(number, at);
    }
}

void rates(simulated_world& world) {
    constexpr rate_rule k_rule{.entries = 3, .period = 5s};
    // Of each entry: between when it was counted.
    std::vector<std::pair<nanoseconds, nanoseconds>> entries;
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        rate_gate gate{servers, "/rates/mail", k_rule};
        for (chance dice{process};;) {
            const auto began = world.now();
            const auto entered =
                dice.one_in(3) ? gate.try_enter({.timeout = 5s}) : gate.enter({.timeout = 20s});
            if (entered) entries.emplace_back(began, world.now());
            std::this_thread::sleep_for(dice.up_to(500ms));
        }
    });
    require(entries.size() >= 5, "hardly any entry");
    // Those that began at `first` or later, and were counted within a period from there on for certain. The servers'
    // clocks tell milliseconds.
    for (const auto& first : entries) {
        const auto end = first.first + k_rule.period - 2ms;
        const auto within = std::count_if(entries.begin(), entries.end(), [&](const auto& each) {
            return each.first >= first.first && each.second <= end;
        });
        require(static_cast<std::size_t>(within) <= k_rule.entries, "too many within a period");
    }
}

}  // namespace

std::vector<service_scenario> record_scenarios() {
    return {{"commit", "a counter that is read and written under a lock", commits},
            {"job", "job_gate: a job that is due every five seconds", jobs},
            {"rate", "rate_gate: three entries in five seconds", rates}};
}

}  // namespace turnstile::deterministic_tests
