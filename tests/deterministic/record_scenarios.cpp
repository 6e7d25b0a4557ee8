// SPDX-License-Identifier: Apache-2.0
// Scenarios that write under locks: commits, jobs (job_gate) and rates (rate_gate).
#include <algorithm>
#include <map>

#include "deterministic/scenarios.hpp"

namespace turnstile::deterministic_tests {

namespace {

using nanoseconds = boottime_clock::duration;

// Checks the servers' true state: in the znode that holders write, an earlier holder's token must not follow a later
// holder's token.
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

std::string sequence_of(const std::string& contender) {
    return contender.substr(contender.rfind('-') + 1);
}

// Holders increment a counter under a lock. An answered commit must count once. A commit of unknown outcome must count
// at most once.
void commits(simulated_world& world) {
    state_watch state{world};
    int certain = 0;
    int possible = 0;
    // Deletes holders' znodes while their sessions live.
    world.start("administrator", [&] {
        for (chance dice{100};;) {
            std::this_thread::sleep_for(dice.up_to(3s));
            const auto all = world.children("/app/locks/a");
            const auto first = std::min_element(
                all.begin(), all.end(),
                [](const auto& a, const auto& b) { return sequence_of(a) < sequence_of(b); });
            if (first != all.end()) world.delete_znode("/app/locks/a/" + *first);
        }
    });
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        mutex lock{servers, "/locks/a"};
        for (chance dice{process};;) {
            auto hold = lock.acquire({.timeout = 30s});
            if (!hold) continue;
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
                // A process that is killed before its commit is answered increments no counter here. The check below
                // uses `k_killed` to allow for such commits.
                if (!done && done.error() == errc::outcome_unknown) ++possible;
                state.look();
                if (!done) break;
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
    struct job_times {
        std::optional<std::int64_t> started;  // the start that the job's data record
        nanoseconds begun{};
        std::optional<nanoseconds> returned;
    };
    std::map<std::uint64_t, job_times> runs;  // by number of the run
    run_service(world, [&](int process) {
        client servers{k_servers, own_options()};
        job_gate gate{servers, "/jobs/report", k_rules, "service-" + std::to_string(process)};
        for (chance dice{process};;) {
            const auto done = gate.run(
                [&](job_run& run) {
                    require(!runs.contains(run.number()), "one run twice");
                    runs[run.number()].begun = world.now();
                    const auto written = gate.last({.timeout = 2s});
                    if (written && written->number == run.number())
                        runs[run.number()].started = written->started;
                    std::this_thread::sleep_for(dice.up_to(2s));
                    runs[run.number()].returned = world.now();
                },
                {.timeout = dice.up_to(5s)});
            if (!done) std::this_thread::sleep_for(dice.up_to(1s));
            std::this_thread::sleep_for(dice.up_to(1s));
        }
    });
    require(runs.size() >= progress(3), "hardly any run");
    for (const auto& [number, run] : runs) {
        const auto before = runs.find(number - 1);
        if (before == runs.end() || !run.started || !before->second.started) continue;
        const std::chrono::milliseconds gap{*run.started - *before->second.started};
        require(gap >= k_rules.period, "two runs within a period");
        // The run's end is recorded after its job has returned.
        const auto& returned = before->second.returned;
        const bool was_open = !returned || *returned > run.begun;
        require(!was_open || gap >= k_rules.at_most_for, "a run beside one that was open");
    }
}

void rates(simulated_world& world) {
    constexpr rate_rule k_rule{.entries = 3, .period = 5s};
    // The interval in which each entry was counted.
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
    require(entries.size() >= progress(5), "hardly any entry");
    // Counts the entries that were certainly in the period that begins with `first`. The servers' clocks have steps of
    // 1 ms, so this check shortens the period by 2 ms.
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
