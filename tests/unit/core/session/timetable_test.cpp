// SPDX-License-Identifier: Apache-2.0
#include "core/session/session_basics.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "unit/support/times.hpp"

namespace turnstile::core {
namespace timetable_tests {

using namespace std::chrono_literals;
using test::at;

constexpr contender_id k_ann{1};
constexpr contender_id k_bob{2};

TEST(timetable, hands_out_what_is_due_the_earliest_first) {
    timetable<contender_id> table;
    table.add(at(2s), k_ann);
    table.add(at(1s), k_bob);
    EXPECT_EQ(table.next(), at(1s));
    EXPECT_EQ(table.take_due(at(1s) - 1ns), std::nullopt);
    EXPECT_EQ(table.take_due(at(2s)), k_bob);
    EXPECT_EQ(table.take_due(at(2s)), k_ann);
    EXPECT_EQ(table.take_due(at(2s)), std::nullopt);
    EXPECT_EQ(table, timetable<contender_id>{});
}

TEST(timetable, keeps_what_is_only_looked_at) {
    timetable<contender_id> table;
    table.add(at(1s), k_ann);
    EXPECT_EQ(table.due(at(1s)), k_ann);
    EXPECT_EQ(table.due(at(1s)), k_ann);
}

TEST(timetable, forgets_an_entry_by_its_time_and_id) {
    timetable<contender_id> table;
    table.add(at(1s), k_ann);
    table.add(at(1s), k_bob);
    table.remove(at(1s), k_ann);
    table.remove(at(2s), k_bob);
    EXPECT_EQ(table.take_due(at(1s)), k_bob);
    EXPECT_EQ(table.next(), std::nullopt);
}

}  // namespace timetable_tests
}  // namespace turnstile::core
