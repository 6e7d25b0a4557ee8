// SPDX-License-Identifier: Apache-2.0
// read_node over a tree in memory: what a znode holds, for a transaction that depends on it.
#include "support.hpp"
#include "turnstile/node.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class read_node_test : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();
    mutex lock{*servers, "/lock"};
    guard hold = lock.acquire().value();
};

TEST_F(read_node_test, tells_the_data_and_the_version_that_a_set_needs) {
    hold.commit(transaction{}.create("/stock", "7")).value();
    EXPECT_EQ(read_node(*servers, "/stock").value(), (node{"7", 0, false}));
    hold.commit(transaction{}.set("/stock", "6", 0)).value();
    const auto now = read_node(*servers, "/stock").value();
    EXPECT_EQ(now, (node{"6", 1, false}));
    EXPECT_EQ(hold.commit(transaction{}.set("/stock", "5", now.version - 1)).error(),
              errc::bad_version);
    EXPECT_TRUE(hold.commit(transaction{}.set("/stock", "5", now.version)));
}

TEST_F(read_node_test, says_whether_a_node_goes_with_its_session) {
    EXPECT_TRUE(read_node(*servers, hold.znode()).value().ephemeral);
}

TEST_F(read_node_test, names_what_is_not_there) {
    const auto missing = read_node(*servers, "/nothing");
    EXPECT_EQ(missing.error(), errc::no_node);
    EXPECT_NE(missing.error().message().find("/nothing"), std::string::npos);
}

TEST_F(read_node_test, refuses_a_path_that_is_none) {
    EXPECT_EQ(read_node(*servers, "stock").error(), errc::bad_path);
}

TEST_F(read_node_test, ends_with_its_time_out) {
    faults.detach(servers->session().id);
    ASSERT_TRUE(eventually([&] { return servers->state() == session_state::suspended; }));
    EXPECT_FALSE(read_node(*servers, "/stock", {.timeout = 1ms}));
}

TEST_F(read_node_test, of_a_client_that_has_closed) {
    servers->close();
    EXPECT_EQ(read_node(*servers, "/stock").error(), errc::closed);
}

}  // namespace
}  // namespace turnstile::tests
