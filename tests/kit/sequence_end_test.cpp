// SPDX-License-Identifier: Apache-2.0
// Tests a real server whose sequence counter is just before its end.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kit/zk_client.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/java_program.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace {

using namespace turnstile::testing;
using kit_test::zk_client;

class sequence_end_test : public ::testing::TestWithParam<std::size_t> {
protected:
    sequence_end_test() {
        java_program{"NearEndSnapshot", TURNSTILE_JAVA_CLASSES}.run(
            {folder_.path() / "data", "/locks/orders", "2147483645"});
    }

    temporary_folder folder_;
};

// The test checks only the start of the counter. ZooKeeper 3.8.0 stops at the largest number, and other versions may
// continue at the smallest.
TEST_P(sequence_end_test, starts_just_before_the_end) {
    ensemble servers{{.count = GetParam(), .data_from = folder_.path() / "data"}};
    zk_client client{servers.connect_string()};
    std::vector<std::string> names;
    for (const char* name : {"a-", "b-", "c-", "d-", "e-"}) {
        std::string path;
        ASSERT_EQ(client.create(std::string{"/locks/orders/"} + name, ZOO_SEQUENCE | ZOO_EPHEMERAL,
                                &path),
                  ZOK);
        names.push_back(path.substr(std::string{"/locks/orders/"}.size()));
    }
    EXPECT_EQ(names[0], "a-2147483645");
    EXPECT_EQ(names[1], "b-2147483646");
    EXPECT_EQ(names[2], "c-2147483647");
    const std::vector<std::string> stuck{"d-2147483647", "e-2147483647"};
    const std::vector<std::string> wrapped{"d--2147483648", "e--2147483647"};
    EXPECT_TRUE((std::vector<std::string>{names[3], names[4]} == stuck ||
                 std::vector<std::string>{names[3], names[4]} == wrapped))
        << names[3] << ' ' << names[4];
    EXPECT_EQ(client.children("/locks/orders").size(), 5U);

    servers.restart(*servers.leader());
    // The client may still be reconnecting.
    EXPECT_TRUE(eventually([&] { return client.exists("/locks/orders") == ZOK; }));
}

INSTANTIATE_TEST_SUITE_P(servers, sequence_end_test, ::testing::Values(1, 3));

}  // namespace
