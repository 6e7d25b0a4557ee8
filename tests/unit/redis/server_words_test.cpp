// SPDX-License-Identifier: Apache-2.0
// Tests how the client parses a Redis server's reports and refusals, and the records and events that the library's Lua
// scripts return.
#include "redis/server_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "redis/records.hpp"

namespace turnstile::redis {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* k_info =
    "# Server\r\nredis_version:7.0.15\r\n# Replication\r\nrole:master\r\nconnected_slaves:2\r\n"
    "# Memory\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\ncluster_enabled:0\r\n";

TEST(redis_server_words, info) {
    const auto facts = parse_info(k_info);
    EXPECT_EQ(facts, (server_facts{.version = "7.0.15",
                                   .master = true,
                                   .append_only = true,
                                   .replicas = 2,
                                   .eviction_policy = "noeviction"}));
    bool too_old = true;
    EXPECT_THAT(unfit(facts, too_old), IsEmpty());
    EXPECT_FALSE(too_old);
}

TEST(redis_server_words, a_server_that_evicts_is_unfit) {
    bool too_old = true;
    EXPECT_THAT(unfit({.version = "6.0.0", .eviction_policy = "allkeys-lru"}, too_old),
                HasSubstr("maxmemory-policy is 'allkeys-lru'"));
    EXPECT_FALSE(too_old);
}

TEST(redis_server_words, a_sentinel_is_no_server) {
    bool too_old = true;
    EXPECT_THAT(unfit(parse_info("redis_version:7.0.15\r\nredis_mode:sentinel\r\n"), too_old),
                HasSubstr("redis+sentinel://"));
    EXPECT_THAT(unfit(parse_info("redis_version:7.2.4\r\nserver_mode:sentinel\r\n"), too_old),
                HasSubstr("redis+sentinel://"));
    EXPECT_FALSE(too_old);
}

TEST(redis_server_words, a_tree_of_another_release_is_named_with_both_versions) {
    EXPECT_EQ(other_layout("{turnstile:shop}", "99"),
              "the tree {turnstile:shop} has keys of version 99; this release needs version 1");
}

TEST(redis_server_words, a_master_that_sentinels_watch_may_lose_writes) {
    const server_facts durable{.append_only = true, .fsync_always = true};
    EXPECT_EQ(promises_of(durable).exclusion, exclusion_promise::leased);
    EXPECT_EQ(promises_of(durable, true), promises_of({.replicas = 1}));
}

// A cluster's node may have a replica that is disconnected now and promoted later.
TEST(redis_server_words, a_node_of_a_cluster_may_lose_writes) {
    const server_facts durable{.cluster = true, .append_only = true, .fsync_always = true};
    EXPECT_EQ(promises_of(durable), promises_of({.replicas = 1}));
}

TEST(redis_server_words, arguments_are_not_repeated) {
    EXPECT_EQ(without_arguments("ERR unknown command 'AUTH', with args beginning with: 'secret' "),
              "ERR unknown command 'AUTH'");
    EXPECT_EQ(without_arguments("WRONGPASS invalid username-password pair"),
              "WRONGPASS invalid username-password pair");
}

TEST(redis_server_words, an_old_server_is_unfit) {
    for (const char* version : {"5.0.14", "", "x"}) {
        bool too_old = false;
        EXPECT_THAT(unfit({.version = version, .eviction_policy = "noeviction"}, too_old),
                    HasSubstr("too old"))
            << version;
        EXPECT_TRUE(too_old);
    }
}

TEST(redis_server_words, refusals) {
    EXPECT_EQ(judge_refusal("BUSY Redis is busy running a script. You can only call SCRIPT KILL"),
              refusal_kind::throttled);
    EXPECT_EQ(judge_refusal("BUSYGROUP x"), refusal_kind::other);
    EXPECT_EQ(judge_refusal("OOM command not allowed when used memory > 'maxmemory'. script: 1"),
              refusal_kind::full);
    EXPECT_EQ(judge_refusal("ERR Error running script: -OOM command not allowed when used memory"),
              refusal_kind::full);
    EXPECT_EQ(judge_refusal("NOSCRIPT No matching script. Please use EVAL."), refusal_kind::renew);
    EXPECT_EQ(judge_refusal("LOADING Redis is loading the dataset in memory"), refusal_kind::away);
    EXPECT_EQ(judge_refusal("READONLY You can't write against a read only replica."),
              refusal_kind::away);
    EXPECT_EQ(judge_refusal("WRONGPASS invalid username-password pair or user is disabled."),
              refusal_kind::credentials);
    EXPECT_EQ(judge_refusal("NOAUTH Authentication required."), refusal_kind::credentials);
    EXPECT_EQ(judge_refusal("ERR AUTH <password> called without any password configured"),
              refusal_kind::credentials);
    constexpr auto k_inside =
        "ERR The user executing the script can't run this command or subcommand script: 1, on "
        "@user_script:7.";
    EXPECT_EQ(judge_refusal(k_inside), refusal_kind::credentials);
    EXPECT_TRUE(is_broken_off(k_inside));
    constexpr auto k_since_7_2 =
        "ERR ACL failure in script: No permissions to access a key script: 1, on @user_script:86.";
    EXPECT_EQ(judge_refusal(k_since_7_2), refusal_kind::credentials);
    EXPECT_TRUE(is_broken_off(k_since_7_2));
    EXPECT_FALSE(is_broken_off("NOPERM this user has no permissions to run the 'evalsha' command"));
    EXPECT_EQ(judge_refusal("NOPERM this user has no permissions to run the 'evalsha' command"),
              refusal_kind::credentials);
    EXPECT_EQ(judge_refusal("ERR DB index is out of range"), refusal_kind::other);
}

// The uptime is a difference of whole seconds, so a reported 31 may be hardly more than 30 seconds.
TEST(redis_server_words, a_server_that_may_have_forgotten_stays_out) {
    const auto left = [](std::int64_t uptime, int stay_out) {
        server_facts facts;
        facts.uptime = uptime;
        return stays_out_for(facts, stay_out);
    };
    EXPECT_EQ(left(0, 30), 32);
    EXPECT_EQ(left(31, 30), 1);
    EXPECT_EQ(left(32, 30), 0);
    EXPECT_EQ(left(1001, 1000), 3) << "clocks drift";
    EXPECT_EQ(left(0, 0), 0);
    server_facts durable;
    durable.append_only = true;
    EXPECT_EQ(stays_out_for(durable, 30), 32) << "it may lose the last second";
    durable.fsync_always = true;
    EXPECT_EQ(stays_out_for(durable, 30), 0);
    EXPECT_EQ(parse_info("uptime_in_seconds:4711\r\n").uptime, 4711);
}

TEST(redis_server_words, moved) {
    const server_address asked{"redis1", 7000};
    EXPECT_EQ(moved_to("MOVED 3999 127.0.0.1:6381", asked), (server_address{"127.0.0.1", 6381}));
    EXPECT_EQ(moved_to("MOVED 3999 ::1:6381", asked), (server_address{"::1", 6381}));
    EXPECT_EQ(moved_to("MOVED 3999 fe80::1%25eth0:6381", asked),
              (server_address{"fe80::1%eth0", 6381}));
    EXPECT_EQ(moved_to("MOVED 3999 :6381", asked), (server_address{"redis1", 6381}));
    EXPECT_EQ(moved_to("MOVED 3999 ?:6381", asked), (server_address{"redis1", 6381}));
    for (const char* other : {"MOVED", "MOVED ", "MOVED 1 h", "MOVED 1 h:", "MOVED 1 h:0",
                              "ASK 3999 127.0.0.1:6381", ""})
        EXPECT_FALSE(moved_to(other, asked)) << other;
    EXPECT_EQ(judge_refusal("ERR Script attempted to access a non local key in a cluster node "
                            "script: 2c7b, on @user_script:1."),
              refusal_kind::away);
}

TEST(redis_records, what_is_cut_short_is_none) {
    EXPECT_FALSE(parse_record(std::string(k_record_head - 1, '\0')));
    EXPECT_TRUE(parse_record(std::string(k_record_head, '\0')));
    EXPECT_FALSE(parse_events(std::string{"\1\5\0\0\0/a", 7}));
    EXPECT_FALSE(parse_events(std::string{"\4\2\0\0\0/a", 7}));
    EXPECT_FALSE(parse_events(std::string{"\1\2", 2}));
}

TEST(redis_records, events) {
    const auto events = parse_events(std::string{"\1\2\0\0\0/a\3\1\0\0\0/", 13});
    ASSERT_TRUE(events);
    ASSERT_EQ(events->size(), 2U);
    EXPECT_EQ(events->at(0), (core::watch_event{core::watch_kind::deleted, "/a", 0}));
    EXPECT_EQ(events->at(1), (core::watch_event{core::watch_kind::children, "/", 0}));
}

// The client prints a server's texts and computes with its numbers. So it must ignore texts and numbers that no real
// server sends.
TEST(redis_server_words, that_no_server_says_count_as_absent) {
    const server_address asked{"redis1", 6379};
    for (const char* const other : {"MOVED 1 ho\x1bst:6379", "MOVED 1 h/x:6379"})
        EXPECT_FALSE(moved_to(other, asked)) << other;
    EXPECT_FALSE(moved_to("MOVED 1 " + std::string(300, 'h') + ":6379", asked));
    const auto facts = parse_info(
        "redis_version:7\x1b[2J\nuptime_in_seconds:-9223372036854775808\nconnected_slaves:-1\n"
        "maxmemory_policy:" +
        std::string(1'000, 'x') + "\n");
    EXPECT_EQ(facts.version, "");
    EXPECT_EQ(facts.eviction_policy, "");
    EXPECT_EQ(facts.uptime, 0);
    EXPECT_EQ(facts.replicas, 0);
}

}  // namespace
}  // namespace turnstile::redis
