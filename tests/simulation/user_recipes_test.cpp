// SPDX-License-Identifier: Apache-2.0
// Uses turnstile::testing::simulation as a user's test of a service would: guarded writes, elections and jobs.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "turnstile/testing/simulation.hpp"

namespace turnstile::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto k_lock = "/locks/orders";

// ---- guarded writes -------------------------------------------------------------------------------

TEST(user_recipes, a_commit_writes_while_the_hold_stands) {
    simulation run{{.seed = 1, .servers = 3}};
    const auto ann = run.add_client();
    std::optional<result<commit_result>> outcome;
    std::optional<result<node>> seen;
    const auto hold = run.acquire(ann, k_lock);
    ASSERT_TRUE(run.run_until([&] { return run.valid(hold); }, 30s));
    run.commit(hold, transaction{}.make("/stock").put("/stock/7", "41"),
               [&](const auto& answer) { outcome = answer; });
    ASSERT_TRUE(run.run_until([&] { return outcome.has_value(); }, 10s));
    ASSERT_TRUE(*outcome) << outcome->error().message();
    EXPECT_EQ(outcome->value().versions.at(1), 0);
    run.read(ann, "/stock/7", [&](const auto& found) { seen = found; });
    ASSERT_TRUE(run.run_until([&] { return seen.has_value(); }, 10s));
    EXPECT_EQ(seen->value().data, "41");
    run.settle();
}

// The holder was paused past the end of its lease. Its commit checks the clock first, as guard::commit() does.
TEST(user_recipes, a_commit_of_a_holder_that_overslept_is_refused) {
    simulation run{{.seed = 2, .servers = 3}};
    const auto ann = run.add_client();
    const auto bob = run.add_client();
    std::vector<std::string> written;
    std::optional<error> why;
    const auto commit = [&](simulated_hold hold, const std::string& name) {
        run.commit(hold, transaction{}.put("/stock", name), [&, name](const auto& outcome) {
            if (outcome) {
                written.push_back(name);
            } else {
                why = outcome.error();
            }
        });
    };
    const auto first = run.acquire(ann, k_lock);
    ASSERT_TRUE(run.run_until([&] { return run.valid(first); }, 30s));
    const auto second = run.acquire(bob, k_lock, {.on_granted = [&](fencing_token) {}});
    run.pause(ann, 1min);
    commit(first, "ann");
    ASSERT_TRUE(run.run_until([&] { return run.valid(second); }, 1min));
    commit(second, "bob");
    run.run_for(2min);
    EXPECT_EQ(written, std::vector<std::string>{"bob"});
    ASSERT_TRUE(why);
    EXPECT_EQ(*why, errc::session_lost);
    run.settle();
}

TEST(user_recipes, a_commit_under_nothing_is_not_held) {
    simulation run;
    const auto ann = run.add_client();
    std::optional<error> why;
    const auto hold = run.acquire(ann, k_lock);
    run.release(hold);
    run.commit(hold, transaction{}.put("/stock", ""),
               [&](const auto& outcome) { why = outcome.error(); });
    run.run_for(1s);
    ASSERT_TRUE(why);
    EXPECT_EQ(*why, errc::not_held);
    EXPECT_THROW(run.commit(hold, transaction{}.put("stock", "")), std::system_error);
    run.settle();
}

// If a release does not reach the servers, the lock becomes free when the session expires, and no later.
TEST(user_recipes, a_release_that_no_server_hears_frees_the_lock_within_the_session_time_out) {
    simulation run{{.seed = 5, .servers = 3, .session_timeout = 10s, .tick = 500ms}};
    const auto ann = run.add_client();
    const auto bob = run.add_client();
    const auto hold = run.acquire(ann, k_lock);
    ASSERT_TRUE(run.run_until([&] { return run.valid(hold); }, 30s));
    const auto next = run.acquire(bob, k_lock);
    run.run_for(1s);
    run.cut_off(ann, 1min);
    run.release(hold);
    const auto since = run.now();
    ASSERT_TRUE(run.run_until([&] { return run.valid(next); }, 1min));
    EXPECT_LE(run.now() - since, 10s + 2 * 500ms)
        << "the timeout, and the ticks in which servers count it";
    run.settle();
}

// ---- elections ------------------------------------------------------------------------------------

// A service that takes part in an election: counts its notifications, and knows its current state.
struct service {
    simulation& run;
    std::string name;
    int terms = 0;
    int stops = 0;
    std::optional<simulated_hold> term;

    simulated_election handlers(bool once) {
        return {.once = once,
                .on_lead =
                    [this](simulated_hold hold, fencing_token) {
                        ++terms;
                        term = hold;
                        run.commit(hold, transaction{}.put("/leader", name));
                    },
                .on_stop =
                    [this] {
                        ++stops;
                        term.reset();
                    }};
    }
};

std::string leader(simulation& run, simulated_client by) {
    std::optional<std::string> name;
    run.read(by, "/leader", [&](const auto& found) { name = found ? found->data : "none"; });
    EXPECT_TRUE(run.run_until([&] { return name.has_value(); }, 30s));
    return name.value_or("");
}

TEST(user_recipes, leaders_take_turns) {
    simulation run{{.seed = 7, .servers = 3}};
    const auto ann = run.add_client();
    const auto bob = run.add_client();
    service of_ann{run, "ann"};
    service of_bob{run, "bob"};
    const auto first = run.lead(ann, "/election", of_ann.handlers(false));
    ASSERT_TRUE(run.run_until([&] { return run.leads(first); }, 30s));
    const auto second = run.lead(bob, "/election", of_bob.handlers(false));
    run.run_for(2s);
    EXPECT_EQ(leader(run, bob), "ann");
    EXPECT_FALSE(run.leads(second));
    run.resign(first);
    ASSERT_TRUE(run.run_until([&] { return run.leads(second); }, 30s));
    run.run_for(2s);
    EXPECT_EQ(leader(run, ann), "bob");
    EXPECT_EQ(of_ann.stops, 1);
    run.leave(second);
    ASSERT_TRUE(run.run_until([&] { return run.leads(first); }, 30s)) << "it has queued again";
    EXPECT_EQ(of_ann.terms, 2);
    EXPECT_EQ(of_bob.terms, 1);
    run.settle();
}

TEST(user_recipes, who_stays_out_leads_once) {
    simulation run;
    const auto ann = run.add_client();
    service of_ann{run, "ann"};
    const auto seat = run.lead(ann, "/election", of_ann.handlers(true));
    ASSERT_TRUE(run.run_until([&] { return run.leads(seat); }, 30s));
    run.resign(seat);
    run.run_for(10s);
    EXPECT_EQ(of_ann.terms, 1);
    EXPECT_FALSE(run.leads(seat));
    run.settle();
}

// While servers and clients fail, two participants must never lead at the same time. After the faults one participant
// leads.
TEST(user_recipes, never_do_two_lead) {
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        simulation run{{.seed = seed,
                        .servers = 3,
                        .longest_stall = 500ms,
                        .lost_messages = 0.002,
                        .faults_every = 8s}};
        std::vector<std::unique_ptr<service>> services;
        std::vector<simulated_participant> seats;
        for (const auto* name : {"ann", "bob", "eve"}) {
            services.push_back(std::unique_ptr<service>{new service{.run = run, .name = name}});
            seats.push_back(
                run.lead(run.add_client(), "/election", services.back()->handlers(false)));
        }
        for (int second = 0; second < 120; ++second) {
            run.run_for(1s);
            int leaders = 0;
            for (const auto& seat : seats) leaders += run.leads(seat) ? 1 : 0;
            ASSERT_LE(leaders, 1) << "seed " << seed << " after " << second << " s";
        }
        int terms = 0;
        for (const auto& each : services) terms += each->terms;
        EXPECT_GE(terms, 1) << seed;
        run.settle();
    }
}

// ---- jobs -----------------------------------------------------------------------------------------

TEST(user_recipes, a_job_runs_once_in_its_period) {
    simulation run{{.seed = 3, .servers = 3}};
    int runs = 0;
    std::vector<job_report> reports;
    const auto ask = [&](simulated_client by) {
        run.run_job(by, "/jobs/nightly",
                    {.rules = {.period = 1h, .at_most_for = 10min},
                     .takes = 2s,
                     .job = [&](const job_record&) { ++runs; },
                     .done =
                         [&](const result<job_report>& report) {
                             ASSERT_TRUE(report) << report.error().message();
                             reports.push_back(*report);
                         }});
    };
    const auto ann = run.add_client();
    const auto bob = run.add_client();
    ask(ann);
    run.run_for(1s);
    ask(bob);  // the job runs at this moment
    ASSERT_TRUE(run.run_until([&] { return reports.size() == 2; }, 30s));
    EXPECT_EQ(reports.at(0).verdict, job_verdict::running);
    EXPECT_EQ(reports.at(1).verdict, job_verdict::ran);
    EXPECT_EQ(reports.at(1).record.state, job_state::succeeded);
    run.run_for(1s);
    ask(bob);
    ASSERT_TRUE(run.run_until([&] { return reports.size() == 3; }, 30s));
    EXPECT_EQ(reports.at(2).verdict, job_verdict::not_due);
    EXPECT_GT(reports.at(2).retry_in, 59min);
    run.run_for(1h);
    ask(bob);
    ASSERT_TRUE(run.run_until([&] { return reports.size() == 4; }, 30s));
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(reports.at(3).record.number, 2U);
    run.settle();
}

// The servers never learn that the crashed run has ended. So no participant runs the job again before at_most_for has
// passed.
TEST(user_recipes, a_job_of_a_client_that_crashed_counts_as_running) {
    simulation run{{.seed = 4, .servers = 3}};
    int runs = 0;
    const auto ann = run.add_client();
    const auto bob = run.add_client();
    const simulated_job job{
        .rules = {.at_most_for = 10min}, .takes = 1min, .job = [&](const job_record&) { ++runs; }};
    run.run_job(ann, "/jobs/nightly", job);
    ASSERT_TRUE(run.run_until([&] { return runs == 1; }, 30s));
    run.crash(ann);
    run.run_for(1min);
    std::optional<job_verdict> verdict;
    auto again = job;
    again.done = [&](const result<job_report>& report) { verdict = report.value().verdict; };
    run.run_job(bob, "/jobs/nightly", again);
    ASSERT_TRUE(run.run_until([&] { return verdict.has_value(); }, 1min));
    EXPECT_EQ(*verdict, job_verdict::running);
    run.run_for(10min);
    run.run_job(bob, "/jobs/nightly", again);
    run.run_for(10s);
    EXPECT_EQ(runs, 2);
    run.settle();
}

}  // namespace
}  // namespace turnstile::testing
