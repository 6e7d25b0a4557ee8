// SPDX-License-Identifier: Apache-2.0
// Tests the promises that a client reports for its servers, and a client that requires more promises than its servers
// keep.
#include <gmock/gmock.h>

#include "support.hpp"

namespace turnstile::tests {
namespace {

TEST(client_promises, are_those_of_the_kind_of_server) {
    client servers{"local:promises"};
    EXPECT_EQ(servers.promises().scope, scope_promise::process);
    EXPECT_EQ(servers.promises().order, order_promise::arrival);
    const client moved_to{std::move(servers)};
    EXPECT_EQ(servers.promises(), promises{}) << "a closed client";  // NOLINT: on purpose
    const client cluster{"127.0.0.1:1"};
    EXPECT_EQ(cluster.promises().scope, scope_promise::cluster);
    EXPECT_EQ(cluster.promises().crash, crash_promise::session_timeout);
}

TEST(client_promises, that_are_required_and_not_given_are_refused_by_name) {
    EXPECT_NO_THROW((client{"local:promises", {.require = {.order = order_promise::arrival}}}));
    try {
        const client refused{
            "local:promises",
            {.require = {.failover = failover_promise::survives, .scope = scope_promise::cluster}}};
        FAIL() << "not refused";
    } catch (const std::system_error& failure) {
        EXPECT_EQ(failure.code(), make_error_code(errc::bad_option));
        EXPECT_THAT(failure.what(), ::testing::HasSubstr("local:promises"));
        EXPECT_THAT(failure.what(),
                    ::testing::HasSubstr("failover: survives is required, none is promised; "
                                         "scope: cluster is required, process is promised"));
    }
}

}  // namespace
}  // namespace turnstile::tests
