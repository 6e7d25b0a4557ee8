// SPDX-License-Identifier: Apache-2.0
// Tests which waiters near the front of a queue watch their own znodes, and how many requests a hand-over causes for
// the other waiters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using ::testing::IsEmpty;

class session_in_line : public test::session_fixture {
protected:
    static constexpr duration k_interval = k_timeout / 5;

    static session_core_settings one_watched() {
        auto result = settings();
        result.watched_in_line = 1;
        return result;
    }
    session_in_line() : session_fixture{one_watched()} { start_attached(); }

    // Queues behind another client's contender that has the previous number. Returns the waiter's znode.
    std::string wait_behind_one(contender_id id, std::int32_t sequence) {
        acquire(id);
        auto znode = answer_create_and_list(sequence, {stranger(sequence - 1)});
        answer_all_ok();
        return znode;
    }
    void wait_for_confirmation() {
        pass(k_interval);
        EXPECT_EQ(count<multi_op>(), 1U);
        // The waiters also read the znodes ahead, in case an event is lost. This test ignores these reads.
        for (auto at = open.begin(); at != open.end();) {
            const auto* get = std::get_if<get_op>(&at->request.op);
            at = get != nullptr && get->path.find("_c_ffffffff") != std::string::npos
                     ? open.erase(at)
                     : at + 1;
        }
    }
};

TEST_F(session_in_line, so_many_watch_their_own_znodes) {
    const auto anns = wait_behind_one(k_ann, 5);
    wait_behind_one(k_bob, 7);
    wait_for_confirmation();
    EXPECT_EQ(op<get_op>(), (get_op{anns, watch_mode::watch}));
    EXPECT_EQ(count<get_op>(), 1U);
}

TEST_F(session_in_line, the_others_look_before_their_grant) {
    wait_behind_one(k_ann, 5);
    const auto bobs = wait_behind_one(k_bob, 7);
    wait_for_confirmation();
    answer_all_ok();

    watch_fires(watch_kind::deleted, "/q/" + stranger(4));
    EXPECT_EQ(told<granted>(k_ann), 1U) << "without a request";
    EXPECT_THAT(open, IsEmpty());

    watch_fires(watch_kind::deleted, "/q/" + stranger(6));
    EXPECT_EQ(told<granted>(k_bob), 0U);
    EXPECT_EQ(op<get_op>(), (get_op{bobs, watch_mode::watch}));
    answer_all_ok();
    EXPECT_EQ(told<granted>(k_bob), 1U);
}

TEST_F(session_in_line, holders_do_not_count_and_are_always_watched) {
    const auto anns = take_lock(k_ann, 1);
    const auto bobs = take_lock(k_bob, 2);
    const auto eves = wait_behind_one(k_eve, 5);
    wait_for_confirmation();
    EXPECT_EQ(op<get_op>(), (get_op{anns, watch_mode::watch}));
    EXPECT_EQ(count<get_op>(), 3U);
    for (const auto& znode : {anns, bobs, eves}) {
        EXPECT_EQ(op<get_op>(), (get_op{znode, watch_mode::watch}));
        answer<get_op>();
    }
}

}  // namespace
}  // namespace turnstile::core
