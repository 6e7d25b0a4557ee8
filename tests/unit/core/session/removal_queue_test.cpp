// SPDX-License-Identifier: Apache-2.0
// Tests which removals share a batch, and when a batch is sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/session/batches.hpp"

namespace turnstile::core {
namespace {

using ::testing::SizeIs;

removal make_removal(std::uint64_t number, std::size_t length = 60) {
    return {contender_id{number}, ticket{number}, std::string(length, 'p'), {}};
}

TEST(removal_queue, takes_as_many_as_go_together) {
    removal_queue queue;
    for (std::uint64_t i = 0; i != 2 * k_most_removals + 1; ++i) queue.add(make_removal(i));
    const auto first = queue.take();
    EXPECT_THAT(first, SizeIs(k_most_removals));
    EXPECT_EQ(first.front(), make_removal(0));
    EXPECT_EQ(queue.take().front(), make_removal(k_most_removals));
    EXPECT_THAT(queue.take(), SizeIs(1));
    EXPECT_TRUE(queue.empty());
}

TEST(removal_queue, takes_no_more_bytes_than_go_together_but_always_one) {
    removal_queue queue;
    queue.add(make_removal(1, k_most_removal_bytes + 1));
    for (std::uint64_t i = 2; i != 6; ++i) queue.add(make_removal(i, k_most_removal_bytes / 2));
    EXPECT_THAT(queue.take(), SizeIs(1));
    EXPECT_THAT(queue.take(), SizeIs(2));
    EXPECT_THAT(queue.take(), SizeIs(2));
    EXPECT_TRUE(queue.empty());
}

TEST(removal_queue, is_ready_while_few_are_under_way) {
    removal_queue queue{{.under_way = 1}};
    EXPECT_FALSE(queue.ready()) << "there is nothing to send";
    queue.add(make_removal(1));
    EXPECT_TRUE(queue.ready());
    queue.sent(ticket{7});
    EXPECT_FALSE(queue.ready());
    queue.answered(ticket{8});
    EXPECT_FALSE(queue.ready()) << "of an earlier connection";
    queue.answered(ticket{7});
    EXPECT_TRUE(queue.ready());
    queue.sent(ticket{9});
    queue.reattached();
    EXPECT_TRUE(queue.ready()) << "what was lost is nobody's to wait for";
}

TEST(removal_queue, lets_awaited_removals_overtake) {
    removal_queue queue{{.under_way = 1, .awaited_under_way = 2}};
    queue.add(make_removal(1));
    queue.add(make_removal(2));
    auto awaited = make_removal(3);
    awaited.awaited = true;
    queue.add(removal{awaited});
    queue.sent(ticket{7});
    ASSERT_TRUE(queue.ready());
    EXPECT_THAT(queue.take(), ::testing::ElementsAre(awaited)) << "alone";
    EXPECT_FALSE(queue.ready()) << "the others wait for an answer";
    queue.add(removal{awaited});
    queue.sent(ticket{8});
    EXPECT_FALSE(queue.ready());
    queue.answered(ticket{7});
    EXPECT_TRUE(queue.ready());
}

}  // namespace
}  // namespace turnstile::core
