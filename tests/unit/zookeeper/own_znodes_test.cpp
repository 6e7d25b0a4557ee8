// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/own_znodes.hpp"

#include <gtest/gtest.h>

#include <string>

namespace turnstile::zookeeper {
namespace {

using core::create_mode;

core::operation create(const std::string& path, create_mode mode) {
    return core::create_op{path, {}, mode};
}

TEST(own_znodes, are_those_that_were_asked_for_with_any_number) {
    own_znodes own;
    own.submitted(create("/l/_c_1-lock-", create_mode::ephemeral_sequential));
    own.submitted(create("/l/alone", create_mode::ephemeral));
    EXPECT_TRUE(own.may_own("/l/_c_1-lock-0000000007"));
    EXPECT_TRUE(own.may_own("/l/_c_1-lock--2147483648")) << "behind the end of the counter";
    EXPECT_TRUE(own.may_own("/l/alone"));
    EXPECT_FALSE(own.may_own("/l/_c_2-lock-0000000007"));
    EXPECT_FALSE(own.may_own("/l"));
}

TEST(own_znodes, are_ephemeral) {
    own_znodes own;
    own.submitted(create("/l", create_mode::persistent));
    own.submitted(create("/c", create_mode::container));
    EXPECT_FALSE(own.may_own("/l"));
    EXPECT_FALSE(own.may_own("/c"));
}

TEST(own_znodes, come_in_transactions_too) {
    own_znodes own;
    core::multi_op multi;
    multi.parts.emplace_back(core::create_op{"/l/new", {}, create_mode::ephemeral});
    multi.parts.emplace_back(core::create_op{"/l/stays", {}, create_mode::persistent});
    own.submitted(multi);
    EXPECT_TRUE(own.may_own("/l/new"));
    EXPECT_FALSE(own.may_own("/l/stays"));
}

// The answer to the removal may be lost, so the znode may still exist.
TEST(own_znodes, that_were_removed_lately_may_still_stand) {
    own_znodes own;
    const auto take = [&](int i) {
        const auto prefix = "/l/" + std::to_string(i) + "-";
        own.submitted(create(prefix, create_mode::ephemeral_sequential));
        own.submitted(core::remove_op{prefix + "0000000001"});
    };
    take(0);
    EXPECT_TRUE(own.may_own("/l/0-0000000001"));
    for (int i = 1; i <= static_cast<int>(own_znodes::k_most_removed); ++i) take(i);
    EXPECT_FALSE(own.may_own("/l/0-0000000001")) << "what is removed takes no memory for ever";
    EXPECT_TRUE(own.may_own("/l/4096-0000000001"));
}

TEST(own_znodes, leave_the_znodes_of_another_client) {
    own_znodes own;
    own.submitted(create("/l/own", create_mode::ephemeral));
    const path_list listed{4, {"/root/l/own", "/mark", "/root/l/other", "/l/own"}};
    for (const bool marked : {true, false}) {
        auto left = listed;
        const auto foreign = own.take_foreign(left, "/root", "/mark", marked);
        EXPECT_EQ(left.paths, (std::vector<std::string>{"/root/l/own"}));
        EXPECT_EQ(foreign.count, marked ? 2U : 3U);
    }
}

}  // namespace
}  // namespace turnstile::zookeeper
