// SPDX-License-Identifier: Apache-2.0
#include "support/visible.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace turnstile::support {
namespace {

TEST(visible, text_stays_and_control_characters_are_named) {
    EXPECT_EQ(visible("web-2 \u00e4\u4e2d\U0001f512"), "web-2 \u00e4\u4e2d\U0001f512");
    EXPECT_EQ(visible("\x1b[2J\n\t"), "\\x1b[2J\\x0a\\x09");
    EXPECT_EQ(visible("\u0085\u202e\u2066\ufeff"),
              "\\xc2\\x85\\xe2\\x80\\xae\\xe2\\x81\\xa6\\xef\\xbb\\xbf");
    EXPECT_EQ(visible("a\xff\xc3"), "a\\xff\\xc3");
    EXPECT_EQ(visible(std::string_view{"\0", 1}), "\\x00");
}

}  // namespace
}  // namespace turnstile::support
