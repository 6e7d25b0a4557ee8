// SPDX-License-Identifier: Apache-2.0
#include "core/contender/znode_watches.hpp"

#include <gtest/gtest.h>

#include "unit/support/contender_stage.hpp"

namespace turnstile::core {
namespace {

class contenders_watch_test : public ::testing::Test {
protected:
    static constexpr auto k_own = "_c_ffffffff-0000-4000-8000-000000000001-lock-0000000001";
    static constexpr auto k_other = "_c_ffffffff-0000-4000-8000-000000000002-lock-0000000002";

    consequence list_answers(std::vector<std::string> children,
                             server_error error = server_error::ok) {
        auto answer = session.reply_to<children_op>();
        answer.error = error;
        answer.children = std::move(children);
        EXPECT_TRUE(behind.expects(answer.id));
        return behind.on_answer(k_own, contender_family::lock, answer);
    }

    test::contender_stage session;
    contenders_watch behind;
};

TEST_F(contenders_watch_test, others_in_the_list_are_behind) {
    behind.list(session.event(), "/q");
    EXPECT_EQ(session.op<children_op>(), (children_op{"/q", watch_mode::watch}));
    EXPECT_TRUE(behind.needs_no_list(session.connection_number)) << "one is under way";
    EXPECT_EQ(list_answers({k_own, k_other}), consequence{done{}});
}

TEST_F(contenders_watch_test, its_own_znode_and_strangers_are_nobody) {
    behind.list(session.event(), "/q");
    EXPECT_EQ(list_answers({k_own, "config"}), consequence{goes_on{}});
    EXPECT_TRUE(behind.rests_on_event());
    EXPECT_TRUE(behind.needs_no_list(session.connection_number));
    EXPECT_FALSE(behind.needs_no_list(session.connection_number + 1));
}

TEST_F(contenders_watch_test, is_announced_once) {
    EXPECT_TRUE(behind.take_report());
    EXPECT_FALSE(behind.take_report());
    EXPECT_TRUE(behind.needs_no_list(session.connection_number));
}

TEST_F(contenders_watch_test, where_nobody_can_be_seen_somebody_may_be) {
    behind.list(session.event(), "/q");
    EXPECT_EQ(list_answers({}, server_error::no_auth), consequence{done{}});
}

TEST_F(contenders_watch_test, a_folder_that_is_gone_held_its_znode) {
    behind.list(session.event(), "/q");
    EXPECT_EQ(list_answers({}, server_error::no_node), consequence{own_znode_gone{}});
}

TEST_F(contenders_watch_test, its_own_removal_has_fired_the_watch) {
    behind.list(session.event(), "/q");
    list_answers({k_own});
    auto removed_by_others = behind;
    auto other_session = session;
    behind.give_back(session.event(), "/q", contenders_watch::removed_by::us);
    EXPECT_TRUE(session.watched.empty());
    EXPECT_TRUE(session.given_back.empty());
    removed_by_others.give_back(other_session.event(), "/q", contenders_watch::removed_by::others);
    EXPECT_EQ(other_session.given_back.count("/q"), 1U);
}

}  // namespace
}  // namespace turnstile::core
