// SPDX-License-Identifier: Apache-2.0
// Histories of the shipped core on one modelled server of the Redis or the SQL kind. The promises that the server's
// back end declares must hold. If a server that does not promise exclusion grants a lock twice, the fencing token must
// refuse the earlier holder.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulation/describe.hpp"
#include "verification/scenarios.hpp"
#include "verification/simulator.hpp"

#if TURNSTILE_HAS_REDIS
#include "redis/server_words.hpp"
#endif
#if TURNSTILE_HAS_POSTGRESQL
#include "sql/connect_string.hpp"
#include "sql/dialects.hpp"
#endif

namespace turnstile::simulation {
namespace {

using remainder = single_server_plan::remainder;

constexpr std::array k_single_servers{server_kind::redis, server_kind::sql};

void expect_kept(std::uint64_t seed, work_kind work, server_kind servers) {
    const auto result = simulate(draw_scenario(seed, work, servers));
    if (!result.broken) return;
    ADD_FAILURE() << simulate(draw_scenario(seed, work, servers), {}, trace::detail::full).report();
}

void expect_kept_by_all_work(server_kind servers) {
    constexpr std::uint64_t k_last = 150;
    for (const auto work : k_work_kinds)
        for (std::uint64_t seed = 1; seed <= k_last && !::testing::Test::HasFailure(); ++seed)
            expect_kept(seed, work, servers);
}

TEST(single_server, of_the_redis_kind_keeps_what_is_declared) {
    expect_kept_by_all_work(server_kind::redis);
}
TEST(single_server, of_the_sql_kind_keeps_what_is_declared) {
    expect_kept_by_all_work(server_kind::sql);
}

// In the history of each of these seeds, the simulation once reported a broken promise. The fault was in the library,
// in the modelled server, or in the code that checks the promises.
TEST(single_server, keeps_what_is_declared_where_a_seed_broke_it_once) {
    struct found {
        server_kind servers;
        work_kind work;
        std::uint64_t seed;
    };
    using enum work_kind;
    for (const auto& [servers, work, seed] : std::vector<found>{
             {server_kind::sql, locks, 68},
             {server_kind::redis, locks, 126},
             {server_kind::redis, rates, 65},
             {server_kind::redis, elections, 689},
             {server_kind::redis, sharing, 429},
             {server_kind::redis, locks, 310'366},
             {server_kind::redis, recursion, 350'263},
             {server_kind::redis, locks, 312'498},
             {server_kind::redis, locks, 312'527},
             {server_kind::redis, locks, 341'376},
             {server_kind::redis, jobs, 332'159},
             {server_kind::redis, sharing, 301'038},
             {server_kind::sql, sharing, 301'298},
             {server_kind::sql, locks, 300'744},
             {server_kind::sql, sharing, 332'557},
             {server_kind::sql, locks, 422},
             {server_kind::sql, recursion, 523},
             {server_kind::sql, rates, 125},
             {server_kind::sql, rates, 225},
             {server_kind::sql, jobs, 312'719},
             {server_kind::redis, locks, 320'246},
             {server_kind::sql, locks, 4'414},
             {server_kind::sql, locks, 2'140'801},
             {server_kind::sql, recursion, 2'393'230},
             {server_kind::sql, commits, 2'140'402},
             {server_kind::sql, jobs, 2'138'882},
             {server_kind::sql, rates, 2'139'104},
             {server_kind::sql, conversions, 5'014'263},
             {server_kind::sql, conversions, 2'141'055},
             {server_kind::redis, deadlocks, 814'331},
             {server_kind::redis, sharing, 811'777},
             {server_kind::sql, elections, 6'100'826},
             {server_kind::sql, deadlocks, 6'325'607},
             {server_kind::sql, recursion, 4'337'514},
         })
        expect_kept(seed, work, servers);
}

// Totals over the histories on one kind of server.
struct sum {
    std::uint64_t histories = 0;
    std::uint64_t grants = 0;
    std::uint64_t losses = 0;
    std::uint64_t double_holds = 0;
    std::uint64_t refused_by_token = 0;
    std::uint64_t brought_back = 0;
};

template <class Wanted>
sum play(server_kind servers, std::uint64_t last, Wanted&& wanted) {
    sum all;
    for (std::uint64_t seed = 1; seed <= last; ++seed) {
        auto drawn = draw_scenario(seed, work_kind::locks, servers);
        if (!wanted(drawn)) continue;
        const auto result = simulate(std::move(drawn));
        EXPECT_FALSE(result.broken) << "seed " << seed << ": " << result.breach;
        ++all.histories;
        all.grants += result.grants;
        all.losses += result.lost_data ? 1 : 0;
        all.double_holds += result.double_holds;
        all.refused_by_token += result.refused_by_token;
        all.brought_back += result.brought_back;
    }
    return all;
}

bool is_stepped(const scenario& s) {
    return s.every[static_cast<std::size_t>(fault::server_clock_step)] > core::duration{};
}

// These servers promise exclusion only as `best_effort`, so two clients sometimes hold a lock at once. A store that
// compares tokens must then refuse the earlier holder's late writes.
TEST(single_server, that_loses_data_is_seen_to_grant_twice_and_the_token_refuses_each_late_write) {
    const auto all = play(server_kind::redis, 600, [](const scenario& s) {
        return s.single.promised.exclusion == exclusion_promise::best_effort;
    });
    EXPECT_GT(all.losses, 50U);
    EXPECT_GT(all.double_holds, 10U);
    EXPECT_EQ(all.double_holds, all.refused_by_token + all.brought_back);
}

// These servers promise exclusion as `leased`: no lock has two holders at once "while the server keeps its data and its
// clock runs at a true rate".
TEST(single_server, that_keeps_its_data_and_its_clock_grants_once) {
    for (const auto servers : k_single_servers) {
        const auto all = play(servers, 400, [](const scenario& s) {
            return s.single.promised.exclusion == exclusion_promise::leased && !is_stepped(s);
        });
        EXPECT_GT(all.grants, 500U);
        EXPECT_EQ(all.losses, 0U);
        EXPECT_EQ(all.double_holds, 0U);
    }
}

TEST(single_server,
     whose_clock_is_set_is_seen_to_grant_twice_and_the_token_refuses_each_late_write) {
    for (const auto servers : k_single_servers) {
        const auto all = play(servers, 1500, is_stepped);
        EXPECT_GT(all.double_holds, 0U) << to_string(servers);
        EXPECT_EQ(all.double_holds, all.refused_by_token) << to_string(servers);
        EXPECT_EQ(all.brought_back, 0U) << to_string(servers);
    }
}

// A kind of fault that never affects an operation would test nothing.
TEST(single_server, is_met_by_each_kind_of_fault) {
    std::vector<std::string> wanted{"is not told that it has events",
                                    "a bell is late",
                                    "a transaction meets another one, and begins again",
                                    "the disk is slow",
                                    "a message is lost between client",
                                    "is on its way for long"};
    for (const auto kind :
         {fault::stall, fault::server_restart, fault::leader_change, fault::server_clock_step,
          fault::server_slew, fault::server_refuses, fault::client_pause, fault::client_crash,
          fault::client_partition, fault::hand_delete, fault::hand_close, fault::take_away,
          fault::throttling, fault::quota})
        wanted.push_back(describe(fault_due{kind, false, {}}));
    std::string story;
    for (const auto servers : k_single_servers)
        for (std::uint64_t seed = 1; seed <= 150; ++seed)
            for (const auto& line :
                 simulate(draw_scenario(seed, work_kind::locks, servers), {}, trace::detail::full)
                     .disturbances)
                story += line + '\n';
    for (const auto& text : wanted) EXPECT_NE(story.find(text), std::string::npos) << text;
}

TEST(single_server, plays_one_history_for_a_seed) {
    for (const auto servers : k_single_servers) {
        for (std::uint64_t seed = 1; seed <= 30; ++seed) {
            const auto once = simulate(draw_scenario(seed, work_kind::commits, servers));
            const auto again =
                simulate(draw_scenario(seed, work_kind::commits, servers), {}, trace::detail::full);
            EXPECT_EQ(once.fingerprint, again.fingerprint) << "seed " << seed;
        }
    }
}

// The simulation checks a server by the promises that the real back end declares, and has no copy of these promises.
#if TURNSTILE_HAS_REDIS
TEST(single_server, of_the_redis_kind_is_judged_by_what_its_back_end_declares) {
    redis::server_facts durable;
    durable.append_only = true;
    durable.fsync_always = true;
    EXPECT_EQ(promised_by(server_kind::redis, {}), redis::promises_of(durable));

    single_server_plan forgetful;
    forgetful.leaves = remainder::older;
    EXPECT_EQ(promised_by(server_kind::redis, forgetful), redis::promises_of({}));

    redis::server_facts replicated;
    replicated.replicas = 1;
    forgetful.replicated = true;
    EXPECT_EQ(promised_by(server_kind::redis, forgetful), redis::promises_of(replicated));
}
#endif
#if TURNSTILE_HAS_POSTGRESQL
TEST(single_server, of_the_sql_kind_is_judged_by_what_its_back_end_declares) {
    EXPECT_EQ(promised_by(server_kind::sql, {}), sql::promises_of(sql::kind::postgresql));

    single_server_plan forgetful;
    forgetful.leaves = remainder::older;
    EXPECT_EQ(promised_by(server_kind::sql, forgetful),
              sql::promises_of(sql::kind::mariadb, sql::durability::not_said));
}
#endif

}  // namespace
}  // namespace turnstile::simulation
