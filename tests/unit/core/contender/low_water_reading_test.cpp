// SPDX-License-Identifier: Apache-2.0
#include "core/contender/queue_readings.hpp"

#include <gtest/gtest.h>

#include "core/queue/znode_texts.hpp"
#include "unit/support/contender_stage.hpp"

namespace turnstile::core {
namespace {

class low_water_reading_test : public ::testing::Test {
protected:
    static constexpr auto k_family = contender_family::lock;
    static constexpr std::uint32_t k_long = 32;

    static stat folder(std::int32_t version, std::int32_t bytes) {
        stat told;
        told.version = version;
        told.data_length = bytes;
        return told;
    }
    // Answers a read of the folder's data for contender 8, whose nearest predecessor 4 is gone.
    consequence folder_says(const std::string& data, std::int32_t version = 3) {
        reading.read(session.event(), "/q", 4);
        auto answer = session.reply_to<get_op>();
        answer.data = data;
        answer.stat.version = version;
        EXPECT_TRUE(reading.expects(answer.id));
        return reading.on_answer(answer, k_family, 8);
    }

    test::contender_stage session;
    low_water_reading reading;
};

TEST_F(low_water_reading_test, a_short_queue_is_not_worth_a_mark) {
    reading.apply_list(folder(3, 0), k_long - 1);
    EXPECT_FALSE(reading.may_raise(k_long));
    reading.apply_list(folder(3, 0), k_long);
    EXPECT_TRUE(reading.may_raise(k_long));
}

TEST_F(low_water_reading_test, data_that_were_not_read_are_somebodys) {
    reading.apply_list(folder(3, 5), k_long);
    EXPECT_FALSE(reading.may_raise(k_long));
}

TEST_F(low_water_reading_test, data_of_the_version_that_was_read_are_a_mark) {
    reading.apply_list(folder(3, 5), k_long);
    EXPECT_TRUE(std::holds_alternative<done>(folder_says(low_water_text(k_family, 4), 3)));
    reading.apply_list(folder(3, 5), k_long);
    EXPECT_TRUE(reading.may_raise(k_long));
    EXPECT_EQ(reading.raise("/q", k_family, 8), (set_op{"/q", low_water_text(k_family, 8), 3}));
    reading.apply_list(folder(4, 5), k_long);
    EXPECT_FALSE(reading.may_raise(k_long)) << "somebody has written since";
}

TEST_F(low_water_reading_test, shows_nobody_ahead_from_the_predecessor_on) {
    EXPECT_TRUE(std::holds_alternative<goes_on>(folder_says(low_water_text(k_family, 3))));
    EXPECT_TRUE(std::holds_alternative<done>(folder_says(low_water_text(k_family, 4))));
    EXPECT_TRUE(std::holds_alternative<goes_on>(folder_says("")));
    EXPECT_TRUE(std::holds_alternative<goes_on>(folder_says("somebody's")));
}

TEST_F(low_water_reading_test, what_somebody_wrote_is_not_overwritten) {
    reading.apply_list(folder(3, 0), k_long);
    folder_says("somebody's");
    EXPECT_FALSE(reading.may_raise(k_long));
}

TEST_F(low_water_reading_test, a_lost_answer_says_nothing) {
    reading.apply_list(folder(3, 0), k_long);
    reading.read(session.event(), "/q", 4);
    auto answer = session.reply_to<get_op>();
    answer.outcome = outcome::unknown;
    EXPECT_TRUE(std::holds_alternative<suspends>(reading.on_answer(answer, k_family, 8)));
    EXPECT_FALSE(reading.reads());
    EXPECT_TRUE(reading.may_raise(k_long));
}

}  // namespace
}  // namespace turnstile::core
