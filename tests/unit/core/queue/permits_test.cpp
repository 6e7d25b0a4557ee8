// SPDX-License-Identifier: Apache-2.0
#include "core/queue/permits.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/queue/contender_name.hpp"

namespace turnstile::core {
namespace {

TEST(permits, are_written_and_read_back) {
    for (const auto& [limit, text] :
         {std::pair{permit_limit{5, 5}, "5"}, std::pair{permit_limit{2, 5}, "2 was 5"},
          std::pair{permit_limit{1, 1}, "1"}, std::pair{permit_limit{2, 5, 7}, "2 was 5 up to 7"},
          std::pair{permit_limit{2, 5, -7}, "2 was 5 up to -7"},
          std::pair{permit_limit{2147483647, 2147483647}, "2147483647"}}) {
        EXPECT_EQ(limit_text(limit), text);
        EXPECT_EQ(parse_limit(text), limit);
    }
    EXPECT_EQ(limit_text({5, 2}), "5") << "what is less than now says nothing";
    EXPECT_EQ(parse_limit("5 was 2"), (permit_limit{5, 5}));
    EXPECT_EQ(parse_limit("007"), (permit_limit{7, 7}));
}

TEST(permits, what_is_no_number_of_permits_is_nothing) {
    for (const auto* text : {"",
                             " ",
                             "0",
                             "-1",
                             "5 ",
                             " 5",
                             "5x",
                             "five",
                             "2147483648",
                             "5 was",
                             "5 was ",
                             "5 was 0",
                             "5 was x",
                             " was 5",
                             "5 was 6 was 7",
                             "5 WAS 6",
                             "5 up to 6",
                             "5 was 6 up to",
                             "5 was 6 up to ",
                             "5 was 6 up to x",
                             "5 was 6 up to 2147483648",
                             "5 was 6 up to 7 up to 8"})
        EXPECT_FALSE(parse_limit(text)) << '"' << text << '"';
}

// ---- holds beyond the limit ---------------------------------------------------------------------

std::string lease(std::int32_t number, std::int32_t permits = 1) {
    return contender_child("ffffffff-0000-4000-8000-000000000000", {claim_kind::permit, permits},
                           number);
}

TEST(permits, of_one_that_shrank_are_settled_by_the_last_that_had_a_place) {
    const std::vector<std::string> all{lease(9), lease(7), lease(8), lease(6), "notes"};
    EXPECT_EQ(settled_limit({1, 3}, {3, 3}, all), (permit_limit{1, 3, 8}));
    EXPECT_EQ(settled_limit({1, 4}, {4, 4}, all), (permit_limit{1, 4, 9}));
    EXPECT_EQ(settled_limit({1, 3}, {3, 3}, {lease(6, 2), lease(7, 2), lease(8)}),
              (permit_limit{1, 3, 6}))
        << "the second one has no place, and nobody behind it";
    EXPECT_EQ(settled_limit({1, 3}, {3, 3}, {lease(6)}), (permit_limit{1, 1}))
        << "all that stand fit";
    EXPECT_EQ(settled_limit({1, 3}, {3, 3}, {}), (permit_limit{1, 1}));
}

TEST(permits, that_were_settled_before_do_not_grow_with_those_that_wait) {
    const std::vector<std::string> all{lease(6), lease(7), lease(8), lease(9)};
    EXPECT_EQ(settled_limit({1, 9}, {2, 9, 6}, all), (permit_limit{1, 9, 7}))
        << "two had a place in the two there were";
    EXPECT_EQ(settled_limit({1, 9}, {2, 9, 8}, all), (permit_limit{1, 9, 8}));
    EXPECT_EQ(settled_limit({1, 9}, {2, 9}, all), (permit_limit{1, 9, 9})) << "it was open before";
}

TEST(permits, across_the_counters_wrap_are_settled_and_at_its_end_are_not) {
    EXPECT_EQ(settled_limit({1, 2}, {2, 2}, {lease(-1'000'000'000), lease(2'000'000'000)}),
              (permit_limit{1, 2, -1'000'000'000}));
    EXPECT_EQ(settled_limit({1, 2}, {2, 2}, {lease(2147483647), lease(2147483646)}),
              (permit_limit{1, 2}));
}

}  // namespace
}  // namespace turnstile::core
