// SPDX-License-Identifier: Apache-2.0
// Tests which changes of a session's state each listener gets.
#include "client/listeners.hpp"

#include <stdexcept>
#include <vector>

#include "support.hpp"

namespace turnstile::detail {
namespace {

using namespace turnstile::tests;
using enum session_state;

class listeners_test : public ::testing::Test {
protected:
    using steps = std::vector<session_state>;
    // This executor drops its tasks, so the test makes the queue run them.
    std::shared_ptr<callback_queue> queue = callback_queue::start(dropping_executor());
    std::shared_ptr<listeners> all = std::make_shared<listeners>(queue);

    void step(session_state from, session_state to, unsigned session = 0) {
        all->publish({session, 1, from, to});
        queue->pump();
    }
    listener_handle add(steps& told) {
        return all->add([&told](const session_change& change) { told.push_back(change.to); });
    }
    void TearDown() override { queue->finish(in_time()); }
};

TEST_F(listeners_test, steps_are_told_in_order_from_the_registration_on) {
    steps early;
    steps late;
    const auto first = add(early);
    step(connecting, connected);
    const auto second = add(late);
    step(connected, suspended);
    queue->finish(in_time());
    EXPECT_EQ(early, (steps{connected, suspended}));
    EXPECT_EQ(late, (steps{suspended}));
}

TEST_F(listeners_test, one_that_throws_keeps_nothing_from_the_others) {
    steps told;
    const auto first =
        all->add([](const session_change&) { throw std::runtime_error{"of a listener"}; });
    const auto second = add(told);
    step(connecting, connected);
    queue->finish(in_time());
    EXPECT_EQ(told, (steps{connected}));
}

TEST_F(listeners_test, the_close_is_told_once_whenever_a_listener_comes) {
    steps before;
    steps pending;
    steps after;
    const auto first = add(before);
    step(connected, closed);
    const auto second = add(pending);  // no listener has the change yet
    queue->finish(in_time());
    const auto third = add(after);
    EXPECT_EQ(before, steps{closed});
    EXPECT_EQ(pending, steps{closed});
    EXPECT_EQ(after, steps{closed});
}

TEST_F(listeners_test, harmless_steps_are_merged_and_bad_ones_never) {
    steps told;
    event all_published;
    const auto busy = all->add([&](const session_change&) { EXPECT_TRUE(all_published.wait()); });
    const auto handle = add(told);
    for (int i = 0; i != 100; ++i) {
        step(connected, suspended);
        step(suspended, connected);
    }
    step(connected, lost);
    step(lost, connecting);
    step(connecting, connected);
    step(connected, closed);
    all_published.set();
    queue->finish(in_time());
    EXPECT_LT(told.size(), 100U);
    EXPECT_EQ(std::count(told.begin(), told.end(), lost), 1);
    EXPECT_EQ(told.back(), closed);
}

TEST_F(listeners_test, a_handle_that_ends_waits_for_a_call_under_way) {
    const auto own = callback_queue::start({});
    const auto some = std::make_shared<listeners>(own);
    event begun;
    event go;
    std::atomic<bool> ended{false};
    auto handle = some->add([&](const session_change&) {
        begun.set();
        EXPECT_TRUE(go.wait());
        ended = true;
    });
    some->publish({0, 1, connecting, connected});
    own->pump();
    ASSERT_TRUE(begun.wait());
    std::thread ending{[&] {
        handle.reset();
        EXPECT_TRUE(ended);
    }};
    go.set();
    ending.join();
    own->finish(in_time());
}

TEST_F(listeners_test, a_listener_may_end_itself) {
    listener_handle handle;
    int calls = 0;
    handle = all->add([&](const session_change&) {
        ++calls;
        handle.reset();
    });
    step(connecting, connected);
    step(connected, suspended);
    queue->finish(in_time());
    EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace turnstile::detail
