// SPDX-License-Identifier: Apache-2.0
// Tests the text of a crash mark, a znode that a crashed holder leaves behind. Other versions and programs in other
// languages read the text.
#include "core/queue/znode_texts.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace turnstile::core {
namespace {

TEST(crash_mark, stands_beside_the_locks_path) {
    EXPECT_EQ(crash_mark_path("/locks/orders"), "/locks/orders-holder");
}

TEST(crash_mark, is_read_as_it_was_written) {
    const crash_mark fresh{"6cd7ac7a", 15'000, false};
    EXPECT_EQ(crash_mark_text(fresh), "6cd7ac7a 15000");
    EXPECT_EQ(parse_crash_mark("6cd7ac7a 15000"), fresh);
    const crash_mark noted{"6cd7ac7a", 0, true};
    EXPECT_EQ(crash_mark_text(noted), "6cd7ac7a 0 left");
    EXPECT_EQ(parse_crash_mark("6cd7ac7a 0 left"), noted);
}

// The last two texts have a delay of more than ten years. A lock accepts no delay above ten years.
TEST(crash_mark, of_other_texts_is_none) {
    for (const auto* text :
         {"", " ", "holder", " 15000", "holder ", "holder x", "holder 1x", "holder -1",
          "holder 15000 gone", "holder 316224000001", "holder 99999999999999999999"})
        EXPECT_EQ(parse_crash_mark(text), std::nullopt) << '"' << text << '"';
    EXPECT_EQ(parse_crash_mark("holder 316224000000"), (crash_mark{"holder", 316'224'000'000}));
}

}  // namespace
}  // namespace turnstile::core
