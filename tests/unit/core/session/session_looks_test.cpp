// SPDX-License-Identifier: Apache-2.0
// Tests second looks. A second look is a waiter's later read of a znode that the waiter watches, in case the servers
// never deliver the event.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using ::testing::IsEmpty;

class session_looks : public test::session_fixture {
protected:
    static constexpr duration k_interval = k_timeout / 5;

    session_looks() { start_attached(); }

    void wait_behind(contender_id id, std::int32_t sequence, names others) {
        acquire(id);
        answer_create_and_list(sequence, std::move(others));
        answer_all_ok();
        ASSERT_THAT(open, IsEmpty());
    }
    static std::string path(const std::string& name) { return "/q/" + name; }
    [[nodiscard]] const sent_request* look_at(const std::string& name) const {
        for (const auto& entry : open)
            if (entry.request.op == operation{get_op{path(name), watch_mode::watch}}) return &entry;
        return nullptr;
    }
    void answer_look(const std::string& name, server_error error) {
        const auto* entry = look_at(name);
        ASSERT_NE(entry, nullptr) << name;
        reply answer;
        answer.id = entry->request.id;
        answer.outcome = outcome::answered;
        answer.error = error;
        answer.connection = connection;
        answer.sent = entry->sent;
        std::erase_if(open, [&](const auto& item) { return item.request.id == answer.id; });
        on_event(std::move(answer));
    }
};

TEST_F(session_looks, find_that_the_one_ahead_has_gone_without_an_event) {
    wait_behind(k_ann, 5, {stranger(4)});
    pass(k_interval);
    answer_look(stranger(4), server_error::no_node);
    answer_all_ok();
    EXPECT_EQ(told<granted>(k_ann), 1U);
    ASSERT_EQ(forgotten.size(), 1U) << "the C client still waits for the event";
    EXPECT_EQ(forgotten.front(), path(stranger(4)));
}

// The C client sets its watches again on each new connection. Here the server does not deliver the event of a watch
// that the C client has set again.
TEST_F(session_looks, give_back_a_watch_that_an_earlier_connection_set) {
    acquire(k_ann);
    const auto own = name_of(answer_create_and_list(5, {stranger(4)}));
    answer_all_ok();
    detach();
    attach();
    auto listed = reply_to<children_op>();
    listed.children = {stranger(4), own};
    on_event(std::move(listed));
    answer_look(stranger(4), server_error::no_node);
    ASSERT_EQ(forgotten.size(), 1U);
    EXPECT_EQ(forgotten.front(), path(stranger(4)));
}

// Contender k_ann set the watch on this znode, and left. The server does not deliver the event.
TEST_F(session_looks, give_back_a_watch_that_another_contender_set) {
    wait_behind(k_ann, 5, {stranger(4)});
    acquire(k_bob);
    answer_create_and_list(6, {stranger(4)});
    on(core::cancel{k_ann});
    ASSERT_THAT(forgotten, IsEmpty()) << "Bob waits for the event";
    answer_look(stranger(4), server_error::no_node);
    ASSERT_EQ(forgotten.size(), 1U);
    EXPECT_EQ(forgotten.front(), path(stranger(4)));
}

TEST_F(session_looks, give_back_nothing_where_no_watch_was_set) {
    acquire(k_bob);
    answer_create_and_list(6, {stranger(4)});
    answer_look(stranger(4), server_error::no_node);
    EXPECT_THAT(forgotten, IsEmpty());
}

TEST_F(session_looks, at_a_znode_that_may_not_be_read_show_that_it_stands) {
    wait_behind(k_ann, 5, {stranger(4)});
    pass(k_interval);
    answer_look(stranger(4), server_error::no_auth);
    EXPECT_EQ(told<failed>(k_ann), 0U);
    answer_all_ok();
    pass(k_interval);
    answer_look(stranger(4), server_error::no_node);
    EXPECT_EQ(told<granted>(k_ann), 1U);
}

TEST_F(session_looks, come_no_sooner_than_an_interval_after_the_wait_began) {
    pass_answered(10 * k_interval);
    wait_behind(k_ann, 5, {stranger(4)});
    pass(k_interval / 2);
    EXPECT_EQ(look_at(stranger(4)), nullptr);
}

TEST_F(session_looks, come_to_those_further_back_too) {
    wait_behind(k_ann, 5, {stranger(3), stranger(4)});
    pass_answered(k_interval / 2);
    pass(k_interval);
    answer_look(stranger(4), server_error::no_node);
    auto listed = reply_to<children_op>();
    listed.children = {stranger(3), "_c_00000000-lock-"};
    EXPECT_EQ(told<granted>(k_ann), 0U) << "a list tells";
}

// However many contenders wait, the session makes second looks (later reads of the watched znodes) for only a few of
// them in each interval. Within a few intervals, every waiter must get its second look.
TEST_F(session_looks, of_a_crowd_are_taken_in_turn) {
    constexpr int k_crowd = 40;
    names others{stranger(1), stranger(2)};
    for (int i = 0; i != k_crowd; ++i) {
        const contender_id id{100U + static_cast<unsigned>(i)};
        acquire(id);
        const auto path = answer_create_and_list(10 + i, others);
        answer_all_ok();
        others.push_back(name_of(path));
    }
    ASSERT_THAT(open, IsEmpty());
    std::set<std::string> looked_at;
    for (int round = 0; round != 3; ++round) {
        pass(k_interval);
        EXPECT_LE(count<get_op>(), 17U);
        for (const auto& entry : open)
            if (const auto* get = std::get_if<get_op>(&entry.request.op))
                looked_at.insert(get->path);
        answer_all_ok();
    }
    EXPECT_EQ(looked_at.size(), static_cast<std::size_t>(k_crowd));
}

TEST_F(session_looks, of_a_hold_that_hears_of_others_are_lists) {
    contender_settings settings{"/q", "data"};
    settings.tells_contended = true;
    on(core::acquire{k_ann, settings, {}, {}, {}});
    const auto own = answer_create_and_list(0);
    auto listed = reply_to<children_op>();
    listed.children = {name_of(own)};
    on_event(std::move(listed));
    answer_all_ok();
    ASSERT_EQ(told<contended>(k_ann), 0U);
    pass(k_interval);
    auto again = reply_to<children_op>();
    again.children = {name_of(own), stranger(1)};
    on_event(std::move(again));
    EXPECT_EQ(told<contended>(k_ann), 1U);
}

}  // namespace
}  // namespace turnstile::core
