// SPDX-License-Identifier: Apache-2.0
// Uses turnstile::testing::simulation as a user does, with public headers only.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "turnstile/testing/simulation.hpp"

namespace turnstile::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto k_path = "/locks/orders";

TEST(user_simulation, grants_in_the_order_of_arrival_with_growing_tokens) {
    simulation run;
    std::vector<std::string> order;
    std::vector<fencing_token> tokens;
    std::vector<simulated_hold> calls;
    for (const std::string name : {"ann", "bob", "eve"}) {
        const auto client = run.add_client();
        calls.push_back(run.acquire(client, k_path, {.on_granted = [&, name](fencing_token token) {
                                        order.push_back(name);
                                        tokens.push_back(token);
                                    }}));
        run.run_for(1s);
    }
    EXPECT_EQ(order, (std::vector<std::string>{"ann"}));
    EXPECT_TRUE(run.valid(calls[0]));
    EXPECT_TRUE(run.waiting(calls[1]));
    run.release(calls[0]);
    EXPECT_TRUE(run.run_until([&] { return run.valid(calls[1]); }, 1s));
    run.release(calls[1]);
    EXPECT_TRUE(run.run_until([&] { return run.valid(calls[2]); }, 1s));
    EXPECT_EQ(order, (std::vector<std::string>{"ann", "bob", "eve"}));
    EXPECT_LT(tokens[0], tokens[1]);
    EXPECT_LT(tokens[1], tokens[2]);
    run.settle();
}

// `write` plays a service that writes with its fencing token while it holds the lock.
TEST(user_simulation, lets_a_resource_refuse_who_slept_past_its_lease) {
    simulation run{{.seed = 3, .servers = 3}};
    fencing_token largest;
    int refused = 0;
    const auto write = [&](fencing_token token) {
        if (token < largest) ++refused;
        largest = std::max(largest, token);
    };
    const auto ann = run.add_client();
    const auto bob = run.add_client();
    fencing_token of_ann;
    bool told = false;
    const auto first = run.acquire(ann, k_path,
                                   {.on_granted = [&](fencing_token token) { of_ann = token; },
                                    .on_lost = [&](const error&) { told = true; }});
    ASSERT_TRUE(run.run_until([&] { return run.valid(first); }, 30s));
    const auto second = run.acquire(bob, k_path, {.on_granted = write});
    // The client checks its guard, is paused, and writes after the pause.
    run.pause(ann, 2min);
    run.after(ann, 0s, [&] { write(of_ann); });
    ASSERT_TRUE(run.run_until([&] { return run.valid(second); }, 1min));
    EXPECT_FALSE(run.valid(first));
    EXPECT_FALSE(told);  // the client is still paused
    ASSERT_TRUE(run.run_until([&] { return told; }, 3min));
    EXPECT_EQ(refused, 1);
    run.settle();
}

TEST(user_simulation, tells_a_holder_of_the_loss_before_the_next_grant) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        simulation run{{.seed = seed, .servers = 3, .longest_stall = 500ms}};
        const auto ann = run.add_client();
        const auto bob = run.add_client();
        bool lost = false;
        bool lost_before = false;
        const auto first =
            run.acquire(ann, k_path, {.on_lost = [&](const error&) { lost = true; }});
        ASSERT_TRUE(run.run_until([&] { return run.valid(first); }, 30s));
        const auto second =
            run.acquire(bob, k_path, {.on_granted = [&](fencing_token) { lost_before = lost; }});
        run.cut_off(ann, 1min);
        ASSERT_TRUE(run.run_until([&] { return run.valid(second); }, 1min)) << seed;
        EXPECT_TRUE(lost_before) << seed;
        run.settle();
    }
}

TEST(user_simulation, answers_each_call_by_its_kind) {
    simulation run;
    const auto ann = run.add_client();
    const auto bob = run.add_client();
    const auto hold = run.acquire(ann, k_path);
    ASSERT_TRUE(run.run_until([&] { return run.valid(hold); }, 30s));
    std::map<std::string, error> failures;
    const auto failing = [&](const std::string& name, simulated_call call) {
        call.on_failed = [&failures, name](const error& why) { failures.emplace(name, why); };
        return run.acquire(bob, k_path, std::move(call));
    };
    failing("once", {.attempt = simulated_attempt::once});
    failing("timeout", {.timeout = 500ms});
    run.release(failing("early", {}));
    const auto waiting = failing("later", {});
    run.run_for(2s);
    run.release(waiting);
    run.run_for(2s);
    EXPECT_EQ(failures.at("once"), errc::busy);
    EXPECT_EQ(failures.at("timeout"), errc::timeout);
    EXPECT_EQ(failures.at("early"), errc::cancelled);
    EXPECT_EQ(failures.at("later"), errc::cancelled);
    run.close(bob);
    run.run_for(1s);
    failing("closed", {});
    run.run_for(1s);
    EXPECT_EQ(failures.at("closed"), errc::closed);
    run.settle();
}

TEST(user_simulation, carries_out_each_fault) {
    simulation run{{.seed = 9, .servers = 3, .story = story_policy::keep}};
    const auto ann = run.add_client();
    const auto bob = run.add_client();
    const auto eve = run.add_client();
    const auto hold = run.acquire(ann, k_path);
    ASSERT_TRUE(run.run_until([&] { return run.valid(hold); }, 30s));
    run.break_connection(ann);
    run.run_for(3s);
    run.change_leader();
    run.run_for(5s);
    run.restart_server();
    run.run_for(5s);
    run.cut_off_follower();
    run.run_for(5s);
    run.stall_servers();
    run.run_for(5s);
    std::optional<error> why;
    const auto second = run.acquire(bob, k_path, {.on_lost = [&](const error& e) { why = e; }});
    run.crash(ann);
    ASSERT_TRUE(run.run_until([&] { return run.valid(second); }, 1min));
    run.delete_znode(second);
    ASSERT_TRUE(run.run_until([&] { return why.has_value(); }, 1min));
    EXPECT_EQ(*why, errc::removed);
    const auto third = run.acquire(eve, k_path);
    ASSERT_TRUE(run.run_until([&] { return run.valid(third); }, 1min));
    EXPECT_FALSE(run.story().empty());
    run.settle();
}

std::uint64_t played(std::uint64_t seed) {
    simulation run{{.seed = seed,
                    .servers = 3,
                    .longest_stall = 1s,
                    .lost_messages = 0.01,
                    .slow_messages = 0.05,
                    .faults_every = 20s}};
    int grants = 0;
    std::function<void(simulated_client)> work = [&](simulated_client client) {
        auto hold = std::make_shared<simulated_hold>();
        const auto again = [&, client] { run.after(client, 1s, [&, client] { work(client); }); };
        *hold = run.acquire(client, k_path,
                            {.on_granted =
                                 [&, client, hold, again](fencing_token) {
                                     ++grants;
                                     run.after(client, 2s, [&, hold, again] {
                                         if (!run.valid(*hold)) return;
                                         run.release(*hold);
                                         again();
                                     });
                                 },
                             .on_failed = [again](const error&) { again(); },
                             .on_lost = [again](const error&) { again(); }});
    };
    for (int i = 0; i != 3; ++i) work(run.add_client());
    run.run_for(2min);
    EXPECT_GT(grants, 3) << "seed " << seed;
    return run.fingerprint();
}

TEST(user_simulation, plays_one_history_for_a_seed) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(played(seed), played(seed));
    EXPECT_NE(played(1), played(2));
}

TEST(user_simulation, refuses_bad_input_by_name_and_rule) {
    const auto message = [](const simulation_options& options) -> std::string {
        try {
            const simulation run{options};
        } catch (const std::invalid_argument& wrong) {
            return wrong.what();
        }
        return "accepted";
    };
    EXPECT_EQ(message({.servers = 2}), "simulation: servers 2: must be 1 or 3");
    EXPECT_NE(message({.session_timeout = 1ms}).find("session_timeout 1 ms"), std::string::npos);
    EXPECT_NE(message({.tick = 0ms}).find("tick 0 s"), std::string::npos);
    EXPECT_NE(message({.sync_limit = 0}).find("sync_limit 0"), std::string::npos);
    EXPECT_NE(message({.longest_stall = 1h}).find("longest_stall"), std::string::npos);
    EXPECT_NE(message({.clock_drift = 0.5}).find("clock_drift 0.5"), std::string::npos);
    EXPECT_NE(message({.lost_messages = 1}).find("lost_messages 1"), std::string::npos);
    EXPECT_NE(message({.faults_every = -1ms}).find("faults_every -1"), std::string::npos);

    simulation run;
    const auto ann = run.add_client();
    EXPECT_THROW((void)run.acquire(ann, "locks"), std::system_error);
    EXPECT_THROW((void)run.acquire(simulated_client{7}, k_path), std::invalid_argument);
    const auto hold = run.acquire(ann, k_path);
    EXPECT_THROW(run.delete_znode(hold), std::logic_error);
}

}  // namespace
}  // namespace turnstile::testing
