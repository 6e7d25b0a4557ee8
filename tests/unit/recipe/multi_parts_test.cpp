// SPDX-License-Identifier: Apache-2.0
// Tests two parts of a multi_hold (a hold of several locks): the data of its guard (whole_record), and the reason why a
// call did not get the locks (start_failure).
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "recipe/composite/multi_parts.hpp"

namespace turnstile::detail {
namespace {

using namespace std::chrono_literals;

struct held_lock {
    fencing_token number;
    boottime_clock::time_point end;
    std::vector<fencing_vector::component> inner{{"a", number}};

    [[nodiscard]] fencing_token token() const { return number; }
    [[nodiscard]] fencing_vector tokens() const { return fencing_vector{inner}; }
    [[nodiscard]] boottime_clock::time_point valid_until() const { return end; }
};
struct part {
    std::shared_ptr<held_lock> held;
};
struct named_lock {
    std::string text;
    [[nodiscard]] const std::string& name() const { return text; }
};

constexpr boottime_clock::time_point k_early{1h};
constexpr boottime_clock::time_point k_late{2h};

class multi_record : public ::testing::Test {
protected:
    const fencing_token first_token{1};
    const fencing_token second_token{2};
    const std::vector<named_lock> locks{{"x"}, {"y"}};
    std::vector<part> parts{{std::make_shared<held_lock>(held_lock{first_token, k_late})},
                            {std::make_shared<held_lock>(held_lock{second_token, k_early})}};
    whole_record record;
};

TEST_F(multi_record, is_that_of_its_parts) {
    EXPECT_EQ(record.token(parts), second_token);
    EXPECT_EQ(record.tokens(parts, locks),
              (fencing_vector{{{"x", first_token}, {"y", second_token}}}));
    EXPECT_EQ(record.valid_until(parts), k_early);
}

TEST_F(multi_record, has_no_time_left_while_a_part_is_missing) {
    parts.front().held.reset();
    EXPECT_EQ(record.valid_until(parts), boottime_clock::time_point::min());
    EXPECT_EQ(record.tokens(parts, locks), (fencing_vector{{{"y", second_token}}}));
    parts.back().held.reset();
    EXPECT_EQ(record.token(parts), fencing_token{});
}

TEST_F(multi_record, names_what_a_part_consists_of) {
    parts.front().held->inner = {{"a", first_token}, {"b", second_token}};
    EXPECT_EQ(record.tokens(parts, locks),
              (fencing_vector{{{"x/a", first_token}, {"x/b", second_token}, {"y", second_token}}}));
}

TEST_F(multi_record, stays_as_it_was_when_the_parts_are_gone) {
    record.remember(parts, locks);
    for (auto& each : parts) each.held.reset();
    record.remember(parts, locks);
    EXPECT_EQ(record.token(parts), second_token);
    EXPECT_EQ(record.tokens(parts, locks),
              (fencing_vector{{{"x", first_token}, {"y", second_token}}}));
    EXPECT_EQ(record.valid_until(parts), k_early);
}

TEST(start_failure, is_the_first_refusal_before_a_loss) {
    const error unknown{errc::protocol};
    start_failure failure;
    EXPECT_EQ(failure.why(unknown), errc::protocol);
    failure.lose(error{errc::session_lost});
    EXPECT_EQ(failure.why(unknown), errc::session_lost);
    failure.refuse(error{errc::no_permission});
    failure.refuse(error{errc::timeout});
    EXPECT_EQ(failure.why(unknown), errc::no_permission);
    ASSERT_TRUE(failure.loss());
    EXPECT_EQ(*failure.loss(), errc::session_lost);
}

TEST(start_failure, is_forgotten_when_it_goes_on) {
    const error unknown{errc::protocol};
    start_failure failure;
    failure.lose(error{errc::session_lost});
    failure.refuse(error{errc::timeout});
    failure.go_on();
    EXPECT_EQ(failure.why(unknown), errc::protocol);
    EXPECT_FALSE(failure.loss());
}

}  // namespace
}  // namespace turnstile::detail
