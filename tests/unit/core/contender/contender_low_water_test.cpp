// SPDX-License-Identifier: Apache-2.0
// Tests hand-overs in a long queue. Holders write a low-water mark into the folder's data. The mark is a number, and
// every contender with this or a lower number is gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/queue/znode_texts.hpp"
#include "unit/support/contender_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int32_t k_version = 8;  // version of the folder's data

contender_settings long_from_three(duration lock_delay = {}) {
    contender_settings result{"/q", "data"};
    result.long_queue = 3;
    result.lock_delay = lock_delay;
    return result;
}

class contender_low_water : public test::contender_fixture {
protected:
    explicit contender_low_water(contender_settings settings = long_from_three())
        : contender_fixture{std::move(settings)} {}

    static std::string path(std::int32_t sequence) { return "/q/" + other_name(sequence); }
    // Answers the list request with `children`. The answer's stat reports the length and the version of the folder's
    // data.
    void list_shows(names children, std::int32_t bytes, std::int32_t version = k_version) {
        auto answer = session.reply_to<children_op>();
        answer.children = std::move(children);
        answer.stat.data_length = bytes;
        answer.stat.version = version;
        lock.on_reply(session.event(), answer);
    }
    void folder_says(const std::string& data, std::int32_t version = k_version) {
        auto answer = session.reply_to_get("/q");
        answer.data = data;
        answer.stat.version = version;
        lock.on_reply(session.event(), answer);
    }
    // The contender has number 5, waits behind the contenders 3 and 4, and watches 4. The folder has data, so it may
    // have a low-water mark (every contender up to this number is gone).
    void wait_in_long_queue() {
        lock.start(session.event());
        create_answers_ok(5);
        list_shows({other_name(3), other_name(4), own}, 12, k_version - 1);
        get_answers();
        ASSERT_THAT(session.open, IsEmpty());
    }
    void expect_lists() {
        EXPECT_EQ(session.times_told<granted>(), 0U);
        EXPECT_EQ(session.count<children_op>(), 1U);
    }
    void be_granted_by_mark() {
        wait_in_long_queue();
        watch_fires(watch_kind::deleted, path(4));
        folder_says("lock-floor 4");
        own_get_answers();
        ASSERT_TRUE(lock.holds());
        ASSERT_THAT(session.open, IsEmpty());
    }
    void release() { lock.leave(session.event(), {errc::cancelled}); }
    multi_op leaving_with_mark(const std::string& text, std::int32_t version = k_version) {
        return {{remove_op{"/q/" + own}, set_op{"/q", text, version}}};
    }
    void refuse(std::vector<server_error> parts, server_error error) {
        auto answer = session.reply_to<multi_op>();
        answer.error = error;
        answer.parts = std::move(parts);
        lock.on_reply(session.event(), answer);
    }
};

// ---- hand-overs by the low-water mark (each contender up to it is gone) ---------------------

TEST_F(contender_low_water, is_asked_for_when_the_nearest_of_several_goes) {
    wait_in_long_queue();
    watch_fires(watch_kind::deleted, path(4));
    ASSERT_EQ(session.open.size(), 2U);
    EXPECT_EQ(session.open[0].op, operation{get_op{"/q"}});
    EXPECT_EQ(session.open[1].op, operation{get_op{"/q/" + own}});
    EXPECT_TRUE(awaits_lease(lock.current())) << "so that it is fresh by then";
    EXPECT_TRUE(needs_confirmation(lock.current()));
}

TEST_F(contender_low_water, grants_if_it_is_not_below_the_one_that_went) {
    wait_in_long_queue();
    watch_fires(watch_kind::deleted, path(4));
    folder_says("lock-floor 4");
    EXPECT_EQ(session.times_told<granted>(), 0U) << "nothing has shown its own znode yet";
    own_get_answers();
    EXPECT_EQ(session.times_told<granted>(), 1U);
    EXPECT_THAT(session.open, IsEmpty());
}

TEST_F(contender_low_water, grants_also_after_the_watch_found_nothing) {
    lock.start(session.event());
    create_answers_ok(5);
    list_shows({other_name(3), other_name(4), own}, 12);
    send_error<get_op>(server_error::no_node);
    folder_says("lock-floor 4");
    own_get_answers();
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

TEST_F(contender_low_water, grants_after_a_long_wait) {
    wait_in_long_queue();
    pass_unseen();
    watch_fires(watch_kind::deleted, path(4));
    folder_says("lock-floor 4");
    own_get_answers();
    EXPECT_EQ(session.times_told<granted>(), 1U);
    EXPECT_THAT(session.open, IsEmpty());
}

TEST_F(contender_low_water, grants_nobody_whose_znode_is_gone) {
    wait_in_long_queue();
    watch_fires(watch_kind::deleted, path(4));
    folder_says("lock-floor 4");
    send_error<get_op>(server_error::no_node);
    EXPECT_EQ(session.times_told<granted>(), 0U);
    EXPECT_EQ(session.count<create_op>(), 1U) << "it enters again";
}

TEST_F(contender_low_water, grants_nobody_who_was_ordered_to_go) {
    wait_in_long_queue();
    watch_fires(watch_kind::deleted, path(4));
    folder_says("lock-floor 4");
    own_get_answers(1, "data revoke=take by=ops why=stuck");
    expect_failed(errc::revoked);
    EXPECT_EQ(session.times_told<granted>(), 0U);
}

class marks_that_do_not_tell : public contender_low_water,
                               public ::testing::WithParamInterface<const char*> {};

TEST_P(marks_that_do_not_tell, make_it_list) {
    wait_in_long_queue();
    watch_fires(watch_kind::deleted, path(4));
    folder_says(GetParam());
    own_get_answers();
    expect_lists();
}

INSTANTIATE_TEST_SUITE_P(all, marks_that_do_not_tell,
                         ::testing::Values("", "lock-floor 3", "lock-floor 5", "latch-floor 4",
                                           "somebody else's", "lock-floor 4 "));

TEST_F(contender_low_water, that_cannot_be_read_makes_it_list) {
    wait_in_long_queue();
    watch_fires(watch_kind::deleted, path(4));
    auto refused = session.reply_to_get("/q");
    refused.error = server_error::no_auth;
    lock.on_reply(session.event(), refused);
    own_get_answers();
    expect_lists();
}

TEST_F(contender_low_water, whose_answer_is_lost_makes_it_list_on_the_next_connection) {
    wait_in_long_queue();
    watch_fires(watch_kind::deleted, path(4));
    detach();
    attach();
    expect_lists();
}

TEST_F(contender_low_water, is_not_asked_for_in_a_short_queue) {
    lock.start(session.event());
    create_answers_ok(5);
    list_shows({other_name(4), own}, 12);
    get_answers();
    detach();
    attach();
    list_shows({other_name(4), own}, 12);
    get_answers();
    watch_fires(watch_kind::deleted, path(4));
    EXPECT_EQ(session.times_told<granted>(), 1U);
}

TEST_F(contender_low_water, is_not_asked_for_by_whoever_gives_up) {
    wait_in_long_queue();
    lock.leave(session.event(), test::k_timed_out);
    EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + own}));
    watch_fires(watch_kind::deleted, path(4));
    EXPECT_EQ(session.count<get_op>(), 0U);
}

// ---- raising the low-water mark (each contender up to it is gone) ---------------------------

TEST_F(contender_low_water, is_raised_by_whoever_was_granted_by_it) {
    be_granted_by_mark();
    release();
    EXPECT_EQ(session.op<multi_op>(), leaving_with_mark("lock-floor 5"));
    send_ok<multi_op>();
    expect_gone();
}

TEST_F(contender_low_water, is_raised_after_a_list_that_shows_no_data) {
    lock.start(session.event());
    create_answers_ok(5);
    list_shows({own, "notes", "more"}, 0, 0);
    release();
    EXPECT_EQ(session.op<multi_op>(), leaving_with_mark("lock-floor 5", 0));
}

TEST_F(contender_low_water, is_raised_after_a_list_if_the_data_is_what_was_read_before) {
    wait_in_long_queue();
    watch_fires(watch_kind::deleted, path(4));
    folder_says("lock-floor 1");
    own_get_answers();
    list_shows({own, other_name(7), other_name(8)}, 12);
    ASSERT_TRUE(lock.holds());
    release();
    EXPECT_EQ(session.op<multi_op>(), leaving_with_mark("lock-floor 5"));
}

TEST_F(contender_low_water, is_let_be_if_the_data_has_changed_since_it_was_read) {
    wait_in_long_queue();
    watch_fires(watch_kind::deleted, path(4));
    folder_says("lock-floor 1");
    own_get_answers();
    list_shows({own, other_name(7), other_name(8)}, 12, k_version + 1);
    ASSERT_TRUE(lock.holds());
    release();
    EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + own}));
}

TEST_F(contender_low_water, is_let_be_where_somebody_else_has_written) {
    wait_in_long_queue();
    watch_fires(watch_kind::deleted, path(4));
    folder_says("somebody else's");
    own_get_answers();
    list_shows({own, other_name(7), other_name(8)}, 12);
    ASSERT_TRUE(lock.holds());
    release();
    EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + own}));
}

TEST_F(contender_low_water, is_let_be_in_a_short_queue) {
    lock.start(session.event());
    create_answers_ok(5);
    list_shows({own, other_name(6)}, 0, 0);
    release();
    EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + own}));
}

// The previous holder may have raised the low-water mark (every contender up to this number is gone). This contender
// has not read the mark. So it does not know the version of the folder's data, and must not write the mark.
TEST_F(contender_low_water, is_let_be_after_a_hand_over_without_a_look_at_it) {
    lock.start(session.event());
    create_answers_ok(5);
    list_shows({other_name(4), own, "notes"}, 0, 0);
    get_answers();
    watch_fires(watch_kind::deleted, path(4));
    ASSERT_TRUE(lock.holds());
    release();
    EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + own}));
}

TEST_F(contender_low_water, is_never_raised_by_whoever_gives_up) {
    wait_in_long_queue();
    watch_fires(watch_kind::deleted, path(4));
    folder_says("lock-floor 1");
    own_get_answers();
    list_shows({other_name(3), own, other_name(7)}, 12);
    lock.leave(session.event(), test::k_timed_out);
    EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + own}));
}

TEST_F(contender_low_water, that_may_not_be_raised_does_not_keep_the_znode) {
    for (const auto why : {server_error::bad_version, server_error::no_auth}) {
        lock = contender_core{long_from_three()};
        session = {};
        be_granted_by_mark();
        release();
        refuse({server_error::ok, why}, why);
        EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + own}));
        send_ok<remove_op>();
        expect_gone();
    }
}

// Servers that went back to older data repeat version numbers. So another client's data may have the version that this
// client knows. (Simulator, seed 10304041 of locks on SQL.)
TEST_F(contender_low_water, whose_raising_was_lost_is_not_raised_again) {
    be_granted_by_mark();
    release();
    detach();
    attach();
    EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + own}));
    send_ok<remove_op>();
    expect_gone();
}

TEST_F(contender_low_water, is_not_raised_by_a_holder_that_changed_its_connection) {
    be_granted_by_mark();
    detach();
    attach();
    release();
    EXPECT_EQ(session.count<multi_op>(), 0U);
    EXPECT_EQ(session.op<remove_op>(), (remove_op{"/q/" + own}));
}

// ---- lock delay, and a low-water mark (each contender up to it is gone) ---------------------

class contender_low_water_with_delay : public contender_low_water {
protected:
    contender_low_water_with_delay() : contender_low_water{long_from_three(1s)} {}

    void hold() {
        lock.start(session.event());
        create_answers_ok(5);
        list_shows({own, "notes", "more"}, 0, 0);
        auto none = session.reply_to_get("/q-holder");
        none.error = server_error::no_node;
        lock.on_reply(session.event(), none);
        send_ok<multi_op>();
        ASSERT_TRUE(lock.holds());
        release();
    }
    const multi_part low_water{set_op{"/q", "lock-floor 5", 0}};
};

TEST_F(contender_low_water_with_delay, goes_along_with_the_mark) {
    hold();
    EXPECT_EQ(session.op<multi_op>(),
              (multi_op{{remove_op{"/q/" + own}, remove_op{"/q-holder"}, low_water}}));
}

TEST_F(contender_low_water_with_delay, goes_without_a_mark_that_is_gone) {
    hold();
    refuse({server_error::ok, server_error::no_node, server_error::rolled_back},
           server_error::no_node);
    EXPECT_EQ(session.op<multi_op>(), (multi_op{{remove_op{"/q/" + own}, low_water}}));
}

TEST_F(contender_low_water_with_delay, that_may_not_be_raised_does_not_keep_the_mark) {
    hold();
    refuse({server_error::ok, server_error::ok, server_error::bad_version},
           server_error::bad_version);
    EXPECT_EQ(session.op<multi_op>(), (multi_op{{remove_op{"/q/" + own}, remove_op{"/q-holder"}}}));
}

}  // namespace
}  // namespace turnstile::core
