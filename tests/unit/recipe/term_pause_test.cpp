// SPDX-License-Identifier: Apache-2.0
#include "recipe/election/seat_state.hpp"

#include <gtest/gtest.h>

namespace turnstile::detail {
namespace {

using namespace std::chrono_literals;
using duration = term_pause::duration;

TEST(term_pause, is_the_users_after_a_function_that_returned) {
    base::random chance{1};
    term_pause pauses{5s};
    for (int i = 0; i != 10; ++i) EXPECT_EQ(pauses.draw(false, chance), 5s);
}

TEST(term_pause, grows_while_the_function_throws_and_is_bounded) {
    base::random chance{2};
    for (const duration pause : {duration{0s}, duration{1s}, duration{5s}, duration{2h}}) {
        term_pause pauses{pause};
        duration step = std::max<duration>(2 * pause, 1s);
        const duration longest = std::max<duration>(2 * pause, 1min);
        for (int i = 0; i != 12; ++i) {
            const auto drawn = pauses.draw(true, chance);
            EXPECT_GE(drawn, step / 2);
            EXPECT_GE(drawn, pause);
            EXPECT_LE(drawn, step);
            step = std::min(2 * step, longest);
        }
        EXPECT_EQ(pauses.draw(false, chance), pause);
        EXPECT_LE(pauses.draw(true, chance), std::max<duration>(2 * pause, 1s)) << "begins anew";
    }
}

}  // namespace
}  // namespace turnstile::detail
