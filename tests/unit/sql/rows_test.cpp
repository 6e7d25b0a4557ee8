// SPDX-License-Identifier: Apache-2.0
// Tests rows that another program wrote. An invalid number must not stop a client.
#include "sql/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnstile::sql {
namespace {

using ::testing::HasSubstr;

row node_row() {
    return {"/a", "data", "", "0", "0", "7", "8", "9", "1", "2", "3", "4", "5"};
}

TEST(sql_rows, a_node) {
    const auto node = node_in(node_row());
    EXPECT_EQ(node.data, "data");
    EXPECT_EQ(node.kind, local::tree_node_kind::plain);
    EXPECT_EQ(node.stat.czxid, 7);
    EXPECT_EQ(node.stat.version, 3);
    EXPECT_EQ(node.creates, 4);
    EXPECT_EQ(node.stat.cversion, 3);
}

TEST(sql_rows, of_an_unknown_kind_is_plain_and_numbers_are_of_32_bits) {
    auto cells = node_row();
    cells[3] = "4294967297";  // its lower 32 bits mean an ephemeral znode
    cells[10] = "4294967296";
    cells[11] = "-4294967296";
    const auto node = node_in(std::move(cells));
    EXPECT_EQ(node.kind, local::tree_node_kind::plain);
    EXPECT_EQ(node.stat.version, 2'147'483'647);
    EXPECT_EQ(node.creates, -2'147'483'648);
}

TEST(sql_rows, a_text_in_a_number_is_refused_with_a_sentence_that_can_be_shown) {
    auto cells = node_row();
    cells[5] = "\x1b[2J" + std::string(10'000, 'x');
    try {
        static_cast<void>(node_in(std::move(cells)));
        FAIL();
    } catch (const database_error& why) {
        EXPECT_THAT(why.what(), HasSubstr("\"\\x1b[2J"));
        EXPECT_LT(std::string{why.what()}.size(), 200U);
    }
}

TEST(sql_rows, events) {
    EXPECT_EQ(event_in({"0", "5", "1", "/a", "42"}).fired, core::watch_kind::deleted);
    EXPECT_EQ(event_in({"0", "5", "4", "/a", "42"}).fired, std::nullopt);
    EXPECT_EQ(event_in({"0", "5", "-1", "/a", "42"}).fired, std::nullopt);
    const auto removed = event_in({"0", "5", "100", "/a", "42"});
    EXPECT_TRUE(removed.own_removed);
    EXPECT_EQ(removed.fired, std::nullopt);
}

TEST(sql_rows, children) {
    EXPECT_EQ(child_in({"2", "7", "0", "/a/x", "0"})->name, "x");
    EXPECT_EQ(child_in({"2", "7", "0", "/x", "0"})->owner, 7);
    for (const auto* path : {"x", "", "/", "//x", "/a/"})
        EXPECT_FALSE(child_in({"2", "7", "0", path, "0"})) << path;
}

TEST(sql_rows, a_deadline_is_at_most_a_day_away) {
    EXPECT_EQ(span_in("1500"), std::chrono::microseconds{1'500});
    EXPECT_EQ(span_in("9223372036854775807"), std::chrono::hours{24});
    EXPECT_EQ(span_in("-9223372036854775808"), -std::chrono::hours{24});
}

}  // namespace
}  // namespace turnstile::sql
