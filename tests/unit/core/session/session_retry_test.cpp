// SPDX-License-Identifier: Apache-2.0
// Tests requests that fail although the connection remains. No link event follows, so a timer repeats the requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

class session_retry : public test::session_fixture {
protected:
    static constexpr duration k_pause = k_timeout / 5;

    // Loses the answer to the oldest request of type `Op`. The connection remains.
    template <class Op>
    void lose() {
        auto lost = reply_to<Op>();
        lost.outcome = outcome::unknown;
        on_event(std::move(lost));
    }
};

TEST_F(session_retry, removes_again_after_a_pause) {
    start_attached();
    const auto znode = take_lock(k_ann);
    leave(k_ann);
    lose<remove_op>();
    pass(k_pause - 1ns);
    EXPECT_EQ(count<remove_op>(), 0U);
    pass(1ns);
    EXPECT_EQ(op<remove_op>(), remove_op{znode});
    answer_all_ok();
    EXPECT_EQ(told<gone>(k_ann), 1U);
    open.clear();
    pass(k_pause);
    EXPECT_EQ(count<remove_op>(), 0U);
}

TEST_F(session_retry, finds_out_about_a_create_after_a_pause) {
    start_attached();
    acquire(k_ann);
    lose<create_op>();
    EXPECT_EQ(count<multi_op>(), 0U);
    pass(k_pause);
    EXPECT_EQ(count<multi_op>(), 1U);
}

TEST_F(session_retry, asks_a_question_again_after_a_pause) {
    start_attached();
    on(read{k_question, children_op{"/q"}, {}});
    lose<children_op>();
    EXPECT_EQ(count<children_op>(), 0U);
    pass(k_pause);
    EXPECT_EQ(count<children_op>(), 1U);
}

TEST_F(session_retry, confirms_again_after_a_pause) {
    start_attached();
    take_lock(k_ann);
    pass(k_pause);
    lose<multi_op>();
    pass(k_pause);
    EXPECT_EQ(count<multi_op>(), 1U);
    answer_all_ok();
    EXPECT_EQ(told<lost>(k_ann), 0U);
}

TEST_F(session_retry, confirms_at_once_after_a_re_attach_what_was_under_way) {
    start_attached();
    take_lock(k_ann);
    pass(k_pause);
    ASSERT_EQ(count<multi_op>(), 1U);
    detach();
    attach();
    EXPECT_EQ(count<multi_op>(), 1U);
}

TEST_F(session_retry, leaves_it_to_the_next_attach_while_detached) {
    start_attached();
    take_lock(k_ann);
    leave(k_ann);
    detach();
    pass(4 * k_pause);
    EXPECT_THAT(open, IsEmpty());
    attach();
    EXPECT_EQ(count<remove_op>(), 1U);
    pass(k_pause);
    EXPECT_EQ(count<remove_op>(), 1U) << "once";
}

// Each request that extends the lease checks the znode of one hold, so each hold is checked rarely. A watch reports a
// deletion at once.
TEST_F(session_retry, is_no_matter_for_holds_that_are_all_watched) {
    start_attached();
    take_lock(k_ann);
    const auto bobs = take_lock(k_bob, 1);
    pass(k_pause);
    answer_all_ok();
    EXPECT_EQ(session.watched_paths(), 2U);
    watch_fires(watch_kind::deleted, bobs);
    EXPECT_EQ(why<lost>(k_bob), errc::removed);
    EXPECT_EQ(told<lost>(k_ann), 0U);
}

}  // namespace
}  // namespace turnstile::core
