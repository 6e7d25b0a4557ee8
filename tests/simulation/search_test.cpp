// SPDX-License-Identifier: Apache-2.0
// Tests that every interleaving within small bounds keeps the contract. Also tests that the search detects a wrong
// model of the servers, and that it counts histories correctly. scripts/search uses larger bounds.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "verification/search/search.hpp"

namespace turnstile::search {
namespace {

bounds small(unsigned clients, unsigned faults) {
    bounds limits;
    limits.clients = clients;
    limits.faults = faults;
    return limits;
}

findings expect_kept(const bounds& limits) {
    auto found = search_all(limits);
    std::cout << limits.clients << " clients, " << limits.faults << " faults: " << found.report();
    EXPECT_EQ(found.breach, "");
    EXPECT_FALSE(found.cycle);
    return found;
}

void expect_all_kept(const bounds& limits) {
    const auto found = expect_kept(limits);
    EXPECT_TRUE(found.complete);
    EXPECT_GT(found.ends, 0U);
    EXPECT_GE(found.histories, static_cast<double>(found.ends));
}

std::uint64_t taken(const findings& found, act kind) {
    return found.taken[static_cast<std::size_t>(kind)];
}

// ---- the contract ---------------------------------------------------------------------------

TEST(search, keeps_the_contract_of_one_client_with_two_faults) {
    expect_all_kept(small(1, 2));
}
TEST(search, keeps_the_contract_of_two_clients_without_faults) {
    expect_all_kept(small(2, 0));
}
TEST(search, keeps_the_contract_of_two_clients_with_a_fault) {
    expect_all_kept(small(2, 1));
}
TEST(search, keeps_the_contract_of_three_clients_without_faults) {
    expect_all_kept(small(3, 0));
}

// The ZooKeeper client may report lost requests before or after it reports the lost connection.
TEST(search, keeps_the_contract_whenever_lost_requests_are_told) {
    for (const auto when : {unanswered::before_detached, unanswered::after_attached}) {
        auto limits = small(2, 1);
        limits.told = when;
        expect_all_kept(limits);
    }
}

TEST(search, keeps_the_contract_up_to_a_depth_with_more_faults_and_clients) {
    auto limits = small(2, 2);
    limits.depth = 17;
    EXPECT_FALSE(expect_kept(limits).complete);
    limits = small(3, 1);
    limits.depth = 16;
    EXPECT_FALSE(expect_kept(limits).complete);
}

// ---- the search covers its model ------------------------------------------------------------

// If the search never takes some kind of step, it proves nothing about that kind.
TEST(search, takes_every_kind_of_step) {
    auto limits = small(2, 1);
    limits.early_timers = 1;
    limits.depth = 16;
    const auto found = search_all(limits);
    for (std::size_t i = 0; i != k_acts; ++i) {
        const auto kind = static_cast<act>(i);
        // Other tests cover these two kinds of steps.
        if (kind == act::pass || kind == act::serve_backwards) continue;
        EXPECT_GT(found.taken[i], 0U) << name_of(kind);
    }
}

// A client can miss two events at once only after two faults, and such a search takes more steps than a test has time
// for. So this test calls the servers directly.
TEST(search, tells_missed_events_in_either_order) {
    constexpr session_name session = 101;
    servers world;
    (void)world.execute(session, open_session{});
    const local::client_watch_list gone{{"/lock/a", "/lock/b"}, {}, {}};
    const auto forwards = world.execute(session, set_again{gone, set_again::order::forwards}).told;
    const auto other = world.execute(session, set_again{gone, set_again::order::backwards}).told;
    ASSERT_EQ(forwards.size(), 2U);
    ASSERT_EQ(other.size(), 2U);
    EXPECT_EQ(forwards[0].path, other[1].path);
    EXPECT_EQ(forwards[1].path, other[0].path);
}

// The step `pass` lets time pass, and is possible only if nothing else can happen. Here the client waits for an event
// that the servers never send.
TEST(search, lets_time_pass_where_nothing_else_can_happen) {
    auto limits = small(2, 0);
    limits.wrong = wrong_world::lost_watch;
    EXPECT_GT(taken(search_all(limits), act::pass), 0U);
}

double walk(model& world, const position& from) {
    std::vector<transition> next;
    world.successors(from, next);
    double ends = model::may_end(next) ? 1 : 0;
    for (const auto& transition : next) ends += walk(world, transition.to);
    return ends;
}

// The search merges equal states. It must count as many histories as a search that plays each history separately.
TEST(search, counts_the_histories_that_there_are) {
    for (const auto& limits : {small(1, 1), small(2, 0)}) {
        model world{limits};
        EXPECT_EQ(search_all(limits).histories, walk(world, world.first()));
    }
}

TEST(search, finds_the_same_again) {
    const auto once = search_all(small(2, 1));
    const auto again = search_all(small(2, 1));
    EXPECT_EQ(once.report(), again.report());
}

TEST(search, stops_at_its_depth) {
    auto limits = small(2, 1);
    limits.depth = 5;
    const auto shallow = search_all(limits);
    EXPECT_EQ(shallow.depth, 5U);
    EXPECT_FALSE(shallow.complete);
    EXPECT_GT(shallow.cut_off, 0);
    limits.depth = 6;
    EXPECT_GT(search_all(limits).states, shallow.states);
}

TEST(search, stops_at_its_number_of_states) {
    auto limits = small(2, 1);
    limits.states = 1000;
    const auto found = search_all(limits);
    EXPECT_FALSE(found.complete);
    EXPECT_LT(found.states, 1100U);
    EXPECT_EQ(found.breach, "");
}

// ---- servers that break an assumption of the core -------------------------------------------

// Searches with servers that have the fault `wrong`. Returns the code of the promise that the search finds broken.
std::string broken_in(wrong_world wrong, const bounds& within) {
    auto limits = within;
    limits.wrong = wrong;
    const auto found = search_all(limits);
    EXPECT_FALSE(found.story.empty());
    EXPECT_FALSE(found.complete);
    EXPECT_NE(found.report().find(found.breach + "\nafter these"), std::string::npos);
    return found.breach.substr(0, 2);
}

TEST(search, needs_servers_that_keep_a_session_for_its_lease) {
    EXPECT_EQ(broken_in(wrong_world::early_expiry, small(2, 0)), "G1");
}
TEST(search, needs_servers_that_refuse_late_writes) {
    EXPECT_EQ(broken_in(wrong_world::late_writes, small(2, 1)), "G4");
}
// A waiter does not rely on events: it also reads the folder from time to time.
TEST(search, needs_no_watch_that_fires) {
    auto limits = small(2, 0);
    limits.wrong = wrong_world::lost_watch;
    const auto found = search_all(limits);
    EXPECT_TRUE(found.complete);
    EXPECT_GT(found.ends, 0U);
    EXPECT_EQ(found.breach, "") << found.report();
}
TEST(search, needs_lists_that_lack_nobody) {
    EXPECT_EQ(broken_in(wrong_world::blind_list, small(2, 0)), "G2");
}
TEST(search, notices_a_herd) {
    EXPECT_EQ(broken_in(wrong_world::herd, small(3, 0)), "G3");
}

}  // namespace
}  // namespace turnstile::search
