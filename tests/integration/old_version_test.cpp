// SPDX-License-Identifier: Apache-2.0
// Tests that the client refuses a server before ZooKeeper 3.5, and names the server's version. The variable
// TURNSTILE_TEST_ZOOKEEPER names the folder of the ZooKeeper version that the test starts. If that version is 3.5 or
// later, the test checks only that this version was started.
#include <gmock/gmock.h>

#include "support.hpp"
#include "turnstile/server_health.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(old_version, before_3_5_is_refused_with_a_sentence) {
    const auto told = server().server(0).four_letter_word("srvr");
    ASSERT_THAT(told, StartsWith("Zookeeper version: "));
    const bool is_old = told.starts_with("Zookeeper version: 3.4.");
    const std::string rule = ", and this client needs 3.5 or later";

    client servers{server().connect_string(), quick_options()};
    const auto connected = servers.wait_connected(is_old ? 3s : limit());
    EXPECT_EQ(connected.has_value(), !is_old);
    if (!connected) {
        const auto why = connected.error().message();
        EXPECT_THAT(why, HasSubstr(server().connect_string() + " (is ZooKeeper 3.4."));
        EXPECT_THAT(why, HasSubstr(rule));
    }
    const auto health = health_of_servers(server().connect_string(), limit());
    ASSERT_TRUE(health) << health.error().message();
    EXPECT_EQ(health->front().serves, !is_old);
    EXPECT_EQ(health->front().problem.empty(), !is_old);
    if (is_old) {
        EXPECT_THAT(health->front().problem, HasSubstr(rule));
    }
}

}  // namespace
}  // namespace turnstile::tests
