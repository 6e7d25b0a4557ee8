// SPDX-License-Identifier: Apache-2.0
#include "core/session/batches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

creation in(const std::string& folder, std::uint64_t id, std::size_t bytes = 0) {
    return {contender_id{id},
            ticket{id},
            {folder + "/_c_g-lock-", std::string(bytes, 'x'), create_mode::ephemeral_sequential}};
}

std::vector<std::size_t> sizes(const std::vector<std::vector<creation>>& groups) {
    std::vector<std::size_t> all;
    for (const auto& group : groups) all.push_back(group.size());
    return all;
}

TEST(creation_batch, keeps_the_order_in_which_they_came) {
    creation_batch batch;
    EXPECT_FALSE(batch.gathers());
    batch.begin();
    EXPECT_TRUE(batch.gathers());
    for (const auto* folder : {"/a", "/b", "/c"}) batch.add(in(folder, 1));
    const auto groups = batch.take();
    ASSERT_THAT(sizes(groups), ElementsAre(3U));
    EXPECT_EQ(groups[0][2].znode.path, "/c/_c_g-lock-");
    EXPECT_FALSE(batch.gathers());
    batch.begin();
    EXPECT_THAT(batch.take(), IsEmpty());
}

TEST(creation_batch, parts_those_of_one_folder) {
    creation_batch batch;
    batch.begin();
    for (const auto* folder : {"/a", "/b", "/a", "/b/c", "/b"}) batch.add(in(folder, 1));
    EXPECT_THAT(sizes(batch.take()), ElementsAre(2U, 3U));
}

TEST(creation_batch, is_bounded_in_number_and_in_bytes) {
    creation_batch batch;
    batch.begin();
    for (std::uint64_t i = 0; i != k_most_creations + 1; ++i)
        batch.add(in("/" + std::to_string(i), i));
    EXPECT_THAT(sizes(batch.take()), ElementsAre(k_most_creations, 1U));
    batch.begin();
    for (std::uint64_t i = 0; i != 3; ++i)
        batch.add(in("/" + std::to_string(i), i, k_most_creation_bytes / 2));
    EXPECT_THAT(sizes(batch.take()), ElementsAre(1U, 1U, 1U));
}

TEST(creation_batch, is_open_while_few_are_under_way) {
    creation_batch batch{{.under_way = 3}};
    batch.sent(ticket{6}, std::vector{in("/a", 6)});
    EXPECT_TRUE(batch.is_open());
    batch.sent(ticket{7}, std::vector{in("/b", 7), in("/c", 8)});
    EXPECT_FALSE(batch.is_open());
    batch.begin();
    EXPECT_TRUE(batch.is_open()) << "contenders that enter together";
    EXPECT_THAT(batch.take(), IsEmpty());
    batch.answered(ticket{8});
    EXPECT_FALSE(batch.is_open()) << "of another request";
    batch.answered(ticket{7});
    EXPECT_TRUE(batch.is_open());
    batch.sent(ticket{9}, std::vector{in("/b", 9), in("/c", 10)});
    EXPECT_FALSE(batch.is_open());
    batch.reattached();
    EXPECT_TRUE(batch.is_open()) << "no answer comes on this connection";
}

// Creates in one folder never share a transaction. So a create in the folder of the previous create does not close the
// batch.
TEST(creation_batch, stays_open_for_creates_in_one_folder) {
    creation_batch batch{{.under_way = 2}};
    for (std::uint64_t i = 1; i != 5; ++i) batch.sent(ticket{i}, std::vector{in("/a", i)});
    EXPECT_TRUE(batch.is_open());
    batch.sent(ticket{5}, std::vector{in("/b", 5)});
    EXPECT_FALSE(batch.is_open());
    for (std::uint64_t i = 2; i != 6; ++i) batch.answered(ticket{i});
    EXPECT_TRUE(batch.is_open());
    batch.answered(ticket{1});
    batch.sent(ticket{6}, std::vector{in("/b", 6)});
    batch.sent(ticket{7}, std::vector{in("/c", 7)});
    EXPECT_FALSE(batch.is_open()) << "the first create counts again after all answers";
}

class creation_answers : public ::testing::Test {
protected:
    std::vector<creation> both{in("/a", 7), in("/b", 8, 3)};
    reply together = answered(server_error::ok);
};

TEST_F(creation_answers, have_each_its_own_ticket_and_name) {
    together.connection = 3;
    together.paths = {"/a/x", "/b/y", "", "", ""};
    together.stat.mzxid = 99;
    together.stat.mtime = 5;
    together.stat.ephemeral_owner = 42;
    const auto second = creation_answer(both, 1, together);
    EXPECT_EQ(second.id, ticket{8});
    EXPECT_EQ(second.connection, 3U);
    EXPECT_EQ(second.path, "/b/y");
    EXPECT_EQ(second.stat.czxid, 99);
    EXPECT_EQ(second.stat.ctime, 5);
    EXPECT_EQ(second.stat.version, 0);
    EXPECT_EQ(second.stat.ephemeral_owner, 42);
    EXPECT_EQ(second.stat.data_length, 3);
}

TEST_F(creation_answers, are_doubtful_where_the_zxid_is_not_told) {
    together.paths = {"/a/x", "/b/y", "", "", ""};
    EXPECT_EQ(creation_answer(both, 0, together).outcome, outcome::unknown);
    together.stat.mzxid = 99;
    together.paths = {"/a/x"};
    EXPECT_EQ(creation_answer(both, 0, together).outcome, outcome::answered);
    EXPECT_EQ(creation_answer(both, 1, together).outcome, outcome::unknown);
}

TEST_F(creation_answers, of_a_lost_request_are_lost) {
    together.outcome = outcome::unknown;
    EXPECT_EQ(creation_answer(both, 1, together).outcome, outcome::unknown);
    EXPECT_EQ(creation_answer(both, 1, together).path, "");
}

TEST_F(creation_answers, name_the_refused_create) {
    constexpr auto later = server_error::rolled_back;
    together.error = server_error::no_node;
    EXPECT_EQ(refused_creation(both, together), std::nullopt)
        << "no server has looked at the parts";
    together.parts = {server_error::ok, server_error::no_node, later, later, later};
    EXPECT_EQ(refused_creation(both, together), 1U);
    together.parts = {server_error::no_auth, later, later, later, later};
    EXPECT_EQ(refused_creation(both, together), 0U);
    together.parts = {server_error::ok, server_error::ok, server_error::no_auth, later, later};
    EXPECT_EQ(refused_creation(both, together), std::nullopt) << "the probe";
    together.connection = 3;
    const auto own = refusal_of_creation(both[1], server_error::no_node, together);
    EXPECT_EQ(own.id, ticket{8});
    EXPECT_EQ(own.error, server_error::no_node);
    EXPECT_EQ(own.connection, 3U);
}

}  // namespace
}  // namespace turnstile::core
