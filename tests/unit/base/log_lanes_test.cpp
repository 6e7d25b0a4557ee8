// SPDX-License-Identifier: Apache-2.0
// Tests the lines that wait for a log sink: their order, and which of them are dropped while the sink blocks.
#include "base/log_lanes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace turnstile::log {
namespace {

std::vector<std::string> texts(log_lanes& lanes) {
    std::vector<std::string> found;
    while (auto line = lanes.pop()) found.push_back(std::move(line->text));
    return found;
}

TEST(log_lanes, lines_come_out_in_the_order_in_which_they_were_pushed) {
    log_lanes lanes;
    lanes.push(log_level::info, "1");
    lanes.push(log_level::error, "2");
    lanes.push(log_level::debug, "3");
    lanes.push(log_level::warning, "4");
    EXPECT_EQ(texts(lanes), (std::vector<std::string>{"1", "2", "3", "4"}));
    EXPECT_TRUE(lanes.empty());
    EXPECT_EQ(lanes.pop(), std::nullopt);
}

TEST(log_lanes, chatter_pushes_out_no_loss) {
    log_lanes lanes;
    lanes.push(log_level::warning, "a loss");
    for (std::size_t i = 0; i != 10 * log_lanes::k_most; ++i)
        lanes.push(log_level::info, "chatter");
    const auto all = texts(lanes);
    ASSERT_EQ(all.size(), 2 + log_lanes::k_most);
    EXPECT_EQ(all[0],
              "the log sink was too slow. Lines dropped: 9216; warnings or errors among them: 0");
    EXPECT_EQ(all[1], "a loss");
}

TEST(log_lanes, a_full_lane_keeps_its_newest_lines_and_counts_the_others_once) {
    log_lanes lanes;
    for (std::size_t i = 0; i != log_lanes::k_most + 3; ++i)
        lanes.push(log_level::error, std::to_string(i));
    const auto told = lanes.pop();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->level, log_level::warning);
    EXPECT_NE(told->text.find("Lines dropped: 3; warnings or errors among them: 3"),
              std::string::npos)
        << told->text;
    EXPECT_EQ(lanes.pop().value().text, "3");
    EXPECT_EQ(texts(lanes).size(), log_lanes::k_most - 1);
}

TEST(log_lanes, past_says_that_no_line_up_to_a_number_waits) {
    log_lanes lanes;
    EXPECT_TRUE(lanes.past(0));
    lanes.push(log_level::info, "1");
    lanes.push(log_level::error, "2");
    const auto both = lanes.last();
    EXPECT_FALSE(lanes.past(both));
    static_cast<void>(lanes.pop());
    EXPECT_FALSE(lanes.past(both));
    static_cast<void>(lanes.pop());
    lanes.push(log_level::info, "3");
    EXPECT_TRUE(lanes.past(both));
}

}  // namespace
}  // namespace turnstile::log
