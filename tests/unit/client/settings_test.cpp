// SPDX-License-Identifier: Apache-2.0
// Tests the core settings that the client derives from its options, and the options that it refuses. The message of a
// refusal names the value and the rule.
#include "client/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <limits>
#include <vector>

#include "client/back_ends.hpp"

namespace turnstile::detail {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct refusal {
    const char* option;
    std::function<void(client_options&)> spoil;
    std::vector<const char*> message;  // parts of the message: the option, the value, the rule
};

const std::vector<refusal> k_refusals{
    {"no timeout",
     [](auto& o) { o.session_timeout = 0ms; },
     {"session_timeout", "0 s", "between 1 ms"}},
    {"a negative timeout",
     [](auto& o) { o.session_timeout = -5ms; },
     {"session_timeout", "-5 ms", "between 1 ms"}},
    {"a longer timeout than a contender may claim",
     [](auto& o) { o.session_timeout = 1h + 1ms; },
     {"session_timeout", "1 h 0.001 s", "1 ms and 1 h"}},
    {"creator_only without credentials",
     [](auto& o) { o.acl = access_policy::creator_only; },
     {"creator_only", "credentials"}},
    {"credentials without a colon",
     [](auto& o) { o.credentials = "user"; },
     {"credentials", "user:password", "colon"}},
    {"a negative tick",
     [](auto& o) { o.lease.tick = -1ms; },
     {"lease.tick", "-1 ms", "not be negative"}},
    {"no sync limit",
     [](auto& o) { o.lease.sync_limit = -1; },
     {"lease.sync_limit -1", "not be negative"}},
    {"a negative stall",
     [](auto& o) { o.lease.assumed_stall = -1ms; },
     {"lease.assumed_stall", "-1 ms", "not be negative"}},
    {"a negative drift",
     [](auto& o) { o.lease.clock_drift = -0.25; },
     {"lease.clock_drift", "-0.25", "from 0 to below"}},
    {"too much drift",
     [](auto& o) { o.lease.clock_drift = 0.5; },
     {"lease.clock_drift", "0.5", "below 0.5"}},
    {"a drift that is no number",
     [](auto& o) { o.lease.clock_drift = std::numeric_limits<double>::quiet_NaN(); },
     {"lease.clock_drift", "nan"}},
    {"a negative interval",
     [](auto& o) { o.lease.confirm_every = -1ms; },
     {"lease.confirm_every", "-1 ms", "not be negative"}},
    {"confirmations too seldom to keep any hold",
     [](auto& o) { o.lease.confirm_every = std::chrono::hours{1}; },
     {"lease.confirm_every", "1 h", "session_timeout * (1 - clock_drift)", "29.97 s"}},
    {"a confirmation just as a hold ends",
     [](auto& o) {
         o.session_timeout = 10s;
         o.lease.clock_drift = 0.1;
         o.lease.confirm_every = 9s;
     },
     {"lease.confirm_every", "9 s"}},
    {"no first pause", [](auto& o) { o.retry_first = 0ms; }, {"retry_first", "0 s", "positive"}},
    {"pauses that shrink",
     [](auto& o) { o.retry_longest = 10ms; },
     {"retry_longest", "10 ms", "at most retry_longest"}},
    {"a negative connection timeout",
     [](auto& o) { o.connection_timeout = -1ms; },
     {"connection_timeout", "-1 ms", "at least 0"}},
    {"no session", [](auto& o) { o.sessions = 0; }, {"sessions 0", "1 <= sessions"}},
    {"fewer at most than at least",
     [](auto& o) {
         o.sessions = 3;
         o.max_sessions = 2;
     },
     {"sessions 3", "max_sessions 2", "sessions <= max_sessions"}},
    {"too many sessions", [](auto& o) { o.max_sessions = 1025; }, {"max_sessions 1025", "<= 1024"}},
    {"a negative close timeout",
     [](auto& o) { o.close_timeout = -1ms; },
     {"close_timeout", "-1 ms", "not be negative"}},
};

TEST(settings, defaults_are_good) {
    EXPECT_TRUE(check({}));
}

TEST(settings, bad_options_are_refused_by_name_value_and_rule) {
    for (const auto& refusal : k_refusals) {
        client_options options;
        refusal.spoil(options);
        const auto checked = check(options);
        ASSERT_FALSE(checked) << refusal.option;
        EXPECT_EQ(checked.error(), errc::bad_option) << refusal.option;
        for (const auto* part : refusal.message)
            EXPECT_THAT(checked.error().message(), HasSubstr(part)) << refusal.option;
    }
}

TEST(settings, creator_only_needs_no_credentials_beside_another_identity) {
    client_options options;
    options.acl = access_policy::creator_only;
    EXPECT_FALSE(check(options));
    EXPECT_TRUE(check(options, true));
    options.sasl.user = "lock";
    EXPECT_TRUE(has_identity("zk1", options));
    options.sasl.user.clear();
    options.tls.cert_file = "/c";
    EXPECT_FALSE(has_identity("zk1", options)) << "TLS is off";
    EXPECT_TRUE(has_identity("zookeepers://zk1?cert_file=/c&key_file=/k", {}));
    EXPECT_TRUE(has_identity("zookeeper://zk1?sasl_mechanism=GSSAPI", {}));
    EXPECT_FALSE(has_identity("zookeepers://zk1?ca_file=/c", {}));
    EXPECT_FALSE(has_identity("redis://zk1", {}));
}

TEST(settings, the_edges_are_good) {
    client_options options;
    options.session_timeout = 1ms;
    options.credentials = ":";
    options.acl = access_policy::creator_only;
    options.lease = {1ms, 1, 0ms, 0.0, 0ms};
    options.retry_first = options.retry_longest = 1ms;
    options.sessions = options.max_sessions = 1;
    options.close_timeout = 0ms;
    EXPECT_TRUE(check(options));
    options.lease.clock_drift = 0.499;
    EXPECT_TRUE(check(options)) << "no interval was asked for";
    options.session_timeout = 1h;
    options.lease.confirm_every = options.session_timeout / 2;
    options.sessions = options.max_sessions = 1024;
    EXPECT_TRUE(check(options));
}

// ---- the meaning of options -----------------------------------------------------------------

TEST(settings, relay_bound_is_the_proven_one_by_default) {
    const auto rule = lease_rule(lease_settings{});
    EXPECT_EQ(rule.relay_bound, 12s) << "(sync_limit + 1) * tick";
    EXPECT_FALSE(rule.relay_bound_assumed);
    EXPECT_DOUBLE_EQ(rule.clock_drift, 0.001);
    EXPECT_EQ(lease_rule({.tick = 500ms, .sync_limit = 3}).relay_bound, 2s);
}

TEST(settings, relay_bound_is_an_assumed_stall_and_half_a_tick_by_option) {
    const auto rule = lease_rule({.tick = 501ms, .assumed_stall = 200ms});
    EXPECT_EQ(rule.relay_bound, 450ms + 500us);
    EXPECT_TRUE(rule.relay_bound_assumed);
}

TEST(settings, options_reach_the_session) {
    client_options options;
    options.session_timeout = 10s;
    options.credentials = "user:password";
    auto result = session_settings(options);
    EXPECT_EQ(result.timeout, 10s);
    EXPECT_EQ(result.credentials, "user:password");
    EXPECT_FALSE(result.allow_read_only);
    EXPECT_TRUE(result.detect_role);
    EXPECT_TRUE(result.learn_pace);
    options.lease.tick = 1s;
    EXPECT_TRUE(session_settings(options).learn_pace);
    options.lease.sync_limit = 3;
    EXPECT_FALSE(session_settings(options).learn_pace) << "the user has said both";
    options.attach_to_read_only = read_only_policy::allowed;
    options.roles = role_detection::off;
    options.server = server_preference::leader;
    result = session_settings(options);
    EXPECT_TRUE(result.allow_read_only);
    EXPECT_TRUE(result.detect_role) << "to find the leader";
    options.server = server_preference::automatic;
    EXPECT_FALSE(session_settings(options).detect_role);
}

TEST(settings, where_a_session_attaches_reaches_the_core) {
    client_options options;
    const auto placed = [&] { return core_settings(options, 0, "zk:2181"); };
    EXPECT_EQ(placed().place, core::placement::automatic);
    EXPECT_TRUE(placed().roles_asked && placed().roles_trusted);
    options.server = server_preference::any;
    EXPECT_EQ(placed().place, core::placement::anywhere);
    options.server = server_preference::leader;
    EXPECT_EQ(placed().place, core::placement::at_the_leader);
    options.roles = role_detection::off;
    EXPECT_TRUE(placed().roles_asked);
    EXPECT_FALSE(placed().roles_trusted) << "good enough to go by, and not for a lease";
    options.server = server_preference::automatic;
    EXPECT_EQ(placed().place, core::placement::anywhere);
    EXPECT_FALSE(placed().roles_asked);
    options.lease = {.tick = 1s, .sync_limit = 3, .assumed_stall = 2s};
    const core::relay_terms wanted{1s, 3, 2s, options.session_timeout};
    EXPECT_EQ(placed().relay, wanted);
}

TEST(settings, options_reach_the_core) {
    client_options options;
    options.session_timeout = 10s;
    options.lease.confirm_every = 700ms;
    options.retry_first = 20ms;
    options.retry_longest = 3s;
    options.connection_timeout = 2s;
    auto result = core_settings(options, 2, "zk:2181");
    EXPECT_EQ(result.confirm_every, 700ms);
    EXPECT_EQ(result.retry_first, 20ms);
    EXPECT_EQ(result.retry_longest, 3s);
    EXPECT_EQ(result.connection_timeout, 2s);
    EXPECT_EQ(result.acl, core::acl_policy::open);
    EXPECT_EQ(result.index, 2U);
    EXPECT_EQ(result.servers, "zk:2181");
    EXPECT_EQ(result.lease, lease_rule(options.lease));
    options.acl = access_policy::creator_only;
    EXPECT_EQ(core_settings(options, 0, "").acl, core::acl_policy::creator_only);
    EXPECT_NE(core_settings(options, 0, "").chance, result.chance) << "each has its own";
}

}  // namespace
}  // namespace turnstile::detail
