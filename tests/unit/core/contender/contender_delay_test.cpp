// SPDX-License-Identifier: Apache-2.0
// Tests the lock delay. The first contender in the queue reads the crash mark, a znode that a crashed holder leaves
// behind. After a crash the contender waits for the delay, and then writes its own mark.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/queue/znode_texts.hpp"
#include "unit/support/contender_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

contender_settings delayed(attempt mode = attempt::wait) {
    contender_settings result{"/q", "data", mode};
    result.lock_delay = 10s;
    return result;
}

class contender_delay : public test::contender_fixture {
protected:
    // time stamp of this contender's create, in ms
    static constexpr std::int64_t k_entered_ms = 100'000;

    explicit contender_delay(contender_settings settings = delayed())
        : contender_fixture{std::move(settings)} {}

    void be_first() {
        lock.start(session.event());
        auto answer = session.reply_to<create_op>();
        own = "_c_" + session.guids.back() + "-lock-0000000003";
        answer.path = "/q/" + own;
        answer.stat.ephemeral_owner = session.own_session;
        answer.stat.czxid = k_czxid;
        answer.stat.ctime = k_entered_ms;
        lock.on_reply(session.event(), answer);
        list_answers({own});
    }
    void mark_is(const crash_mark& mark, std::int32_t version = 4, std::int64_t mtime = 0) {
        auto answer = session.reply_to_get("/q-holder");
        answer.data = crash_mark_text(mark);
        answer.stat.version = version;
        answer.stat.mtime = mtime;
        lock.on_reply(session.event(), answer);
    }
    void no_mark() {
        auto answer = session.reply_to_get("/q-holder");
        answer.error = server_error::no_node;
        lock.on_reply(session.event(), answer);
    }
    // Returns the second part of the oldest transaction. The first part checks the contender's znode.
    template <class Op>
    Op second_part() {
        const auto both = session.op<multi_op>();
        EXPECT_EQ(both.parts.size(), 2U);
        EXPECT_EQ(both.parts.at(0), (multi_part{check_op{"/q/" + own}}));
        return std::get<Op>(both.parts.at(1));
    }
    void multi_answers(server_error first, server_error second) {
        auto answer = session.reply_to<multi_op>();
        answer.parts = {first, second};
        answer.error = first != server_error::ok ? first : second;
        lock.on_reply(session.event(), answer);
    }
    void multi_is_carried_out() { multi_answers(server_error::ok, server_error::ok); }
    void hold() {
        be_first();
        no_mark();
        multi_is_carried_out();
        ASSERT_TRUE(lock.holds());
    }
    // The contender is first and has written its crash mark (the znode that would remain after its crash). It has no
    // grant, because the connection changed and its lease is not certain.
    void be_marked_and_reattach() {
        be_first();
        session.has_lease = false;
        no_mark();
        multi_is_carried_out();
        ASSERT_FALSE(lock.holds());
        detach();
        attach();
    }
    [[nodiscard]] std::string guid() const { return session.guids.back(); }
};

class tried_contender_delay : public contender_delay {
protected:
    tried_contender_delay() : contender_delay{delayed(attempt::once)} {}
};

TEST_F(contender_delay, without_a_mark_writes_its_own_before_the_grant) {
    be_first();
    EXPECT_FALSE(lock.holds());
    no_mark();
    const auto mark = second_part<create_op>();
    EXPECT_EQ(mark.path, "/q-holder");
    EXPECT_EQ(mark.mode, create_mode::persistent);
    EXPECT_EQ(parse_crash_mark(mark.data), (crash_mark{guid(), 10'000, false}));
    EXPECT_FALSE(lock.holds());
    multi_is_carried_out();
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_delay, a_release_takes_the_mark_along_in_one_transaction) {
    hold();
    lock.leave(session.event(), errc::not_held);
    const auto both = session.op<multi_op>();
    EXPECT_THAT(both.parts, ElementsAre(multi_part{remove_op{"/q/" + own}},
                                        multi_part{remove_op{"/q-holder"}}));
    multi_is_carried_out();
    EXPECT_TRUE(lock.over());
}

TEST_F(contender_delay, a_hold_that_was_lost_leaves_its_mark) {
    hold();
    lock.on_lease_end(session.event(), errc::session_lost);
    EXPECT_EQ(session.op<remove_op>().path, "/q/" + own);
    EXPECT_EQ(session.count<multi_op>(), 0U);
}

TEST_F(contender_delay, a_waiter_that_gives_up_behind_its_mark_takes_it_along) {
    be_first();
    no_mark();
    session.has_lease = false;  // so the contender writes its crash mark, but gets no grant
    lock.leave(session.event(), test::k_timed_out);
    EXPECT_EQ(session.count<remove_op>(), 0U);  // the contender's crash mark may exist
    multi_is_carried_out();
    EXPECT_EQ(session.op<multi_op>().parts.size(), 2U);
    multi_is_carried_out();
    EXPECT_TRUE(lock.over());
}

class refused_mark : public contender_delay, public ::testing::WithParamInterface<server_error> {};

TEST_P(refused_mark, does_not_keep_the_znode) {
    hold();
    lock.leave(session.event(), errc::not_held);
    multi_answers(server_error::ok, GetParam());
    EXPECT_FALSE(lock.over());
    EXPECT_EQ(session.op<remove_op>().path, "/q/" + own);
    send_ok<remove_op>();
    EXPECT_TRUE(lock.over());
}

INSTANTIATE_TEST_SUITE_P(all, refused_mark,
                         ::testing::Values(server_error::no_node, server_error::no_auth,
                                           server_error::not_empty));

TEST_F(contender_delay, a_remove_that_was_carried_out_already_is_the_end) {
    hold();
    lock.leave(session.event(), errc::not_held);
    multi_answers(server_error::no_node, server_error::rolled_back);
    EXPECT_TRUE(lock.over());
}

// ---- the znode that an earlier holder's crash left behind (crash mark) ----------------------

TEST_F(contender_delay, a_mark_that_was_left_is_noted_and_waited_out) {
    be_first();
    mark_is({"crashed", 5'000, false}, 4);
    const auto note = second_part<set_op>();
    EXPECT_EQ(parse_crash_mark(note.data), (crash_mark{"crashed", 5'000, true}));
    EXPECT_EQ(note.version, 4);
    ASSERT_TRUE(delay_end(lock.current()));
    // The delay includes the drift of the clocks.
    EXPECT_EQ(*delay_end(lock.current()), session.clock + 5'500ms);
    multi_is_carried_out();
    EXPECT_TRUE(session.open.empty());
    EXPECT_FALSE(lock.holds());

    session.clock += 5'500ms;
    lock.on_delay_end(session.event());
    const auto mark = second_part<set_op>();
    EXPECT_EQ(parse_crash_mark(mark.data), (crash_mark{guid(), 10'000, false}));
    EXPECT_EQ(mark.version, 5);
    EXPECT_FALSE(delay_end(lock.current()));
    multi_is_carried_out();
    EXPECT_FALSE(lock.holds()) << "it has not been seen for so long";
    own_get_answers();
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_delay, who_came_later_than_the_note_waits_for_the_rest) {
    be_first();
    mark_is({"crashed", 5'000, true}, 4, k_entered_ms - 3'000);
    ASSERT_TRUE(delay_end(lock.current()));
    EXPECT_EQ(*delay_end(lock.current()), session.clock + 2'500ms);
    EXPECT_EQ(session.count<multi_op>(), 0U);
}

TEST_F(contender_delay, who_came_long_after_the_note_does_not_wait) {
    be_first();
    mark_is({"crashed", 5'000, true}, 4, k_entered_ms - 6'000);
    EXPECT_FALSE(delay_end(lock.current()));
    EXPECT_EQ(parse_crash_mark(second_part<set_op>().data)->holder, guid());
}

TEST_F(contender_delay, who_came_before_the_note_waits_for_all_of_it) {
    be_first();
    mark_is({"crashed", 5'000, true}, 4, k_entered_ms + 3'000);
    EXPECT_EQ(delay_end(lock.current()), session.clock + 5'500ms);
}

TEST_F(contender_delay, a_mark_that_nobody_understands_is_waited_out_by_our_own_delay) {
    be_first();
    auto answer = session.reply_to_get("/q-holder");
    answer.data = "\xff by hand";
    lock.on_reply(session.event(), answer);
    EXPECT_EQ(delay_end(lock.current()), session.clock + 11s);
}

TEST_F(tried_contender_delay, notes_the_crash_and_is_busy) {
    be_first();
    mark_is({"crashed", 5'000, false});
    EXPECT_TRUE(parse_crash_mark(second_part<set_op>().data)->noted);
    multi_is_carried_out();
    expect_failed(errc::busy);
}

// The servers went back to older data, in which another contender is ahead. The crash mark (the znode that a crashed
// holder leaves behind) may belong to that contender, so this contender must not remove the mark.
TEST_F(tried_contender_delay, leaves_the_mark_where_another_is_ahead_again) {
    be_marked_and_reattach();
    list_answers({"_c_aaaaaaaa-0000-4000-8000-000000000000-lock-0000000002", own});
    expect_failed(errc::busy);
    EXPECT_EQ(session.op<remove_op>().path, "/q/" + own);
    EXPECT_EQ(session.count<multi_op>(), 0U);
}

// ---- lost answers ---------------------------------------------------------------------------

TEST_F(contender_delay, a_mark_whose_answer_was_lost_is_found_by_its_guid) {
    be_first();
    no_mark();
    detach();
    attach();
    list_answers({own});
    EXPECT_FALSE(lock.holds());
    mark_is({guid(), 10'000, false}, 0);
    EXPECT_TRUE(lock.holds());
    lock.leave(session.event(), errc::not_held);
    EXPECT_EQ(session.op<multi_op>().parts.size(), 2U);
}

TEST_F(contender_delay, a_note_whose_answer_was_lost_does_not_start_the_delay_again) {
    be_first();
    mark_is({"crashed", 5'000, false}, 4);
    detach();
    session.clock += 2s;
    attach();
    list_answers({own});
    mark_is({"crashed", 5'000, true}, 5, k_entered_ms + 1);
    EXPECT_EQ(delay_end(lock.current()), session.clock + 3'500ms);
}

// A crash mark is a znode that a crashed holder leaves behind. After the servers went back to older data, a later mark
// may have the version of the mark that the contender read. So a version from an earlier connection proves nothing.
TEST_F(contender_delay, a_mark_is_not_written_over_by_a_version_of_an_earlier_connection) {
    be_first();
    mark_is({"crashed", 5'000, false}, 4);
    multi_is_carried_out();
    detach();
    attach();
    list_answers({own});
    EXPECT_EQ(session.count<get_op>(), 0U) << "the delay goes on";
    session.clock += 5'500ms;
    lock.on_delay_end(session.event());
    EXPECT_EQ(session.count<multi_op>(), 0U) << "it is read first";
    mark_is({"later", 5'000, true}, 5, k_entered_ms + 1);
    EXPECT_EQ(delay_end(lock.current()), session.clock + 5'500ms);
    EXPECT_EQ(session.count<multi_op>(), 0U);
}

TEST_F(contender_delay, a_delay_that_is_over_is_not_waited_again_on_the_next_connection) {
    be_first();
    mark_is({"crashed", 5'000, false}, 4);
    multi_is_carried_out();
    detach();
    session.clock += 5'500ms;
    lock.on_delay_end(session.event());
    attach();
    list_answers({own});
    mark_is({"crashed", 5'000, true}, 5, k_entered_ms + 1);
    EXPECT_EQ(parse_crash_mark(second_part<set_op>().data)->holder, guid());
}

TEST_F(contender_delay, a_delay_that_ends_while_the_note_is_under_way_is_not_taken_for_the_mark) {
    be_first();
    mark_is({"crashed", 5'000, false}, 4);
    session.clock += 6s;
    lock.on_delay_end(session.event());
    EXPECT_FALSE(lock.holds());
    multi_is_carried_out();  // the write of the note into the crash mark
    EXPECT_FALSE(lock.holds());
    EXPECT_EQ(parse_crash_mark(second_part<set_op>().data)->holder, guid());
    multi_is_carried_out();
    own_get_answers();  // the contender's own znode
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_delay, a_mark_that_changed_meanwhile_is_read_again) {
    be_first();
    no_mark();
    multi_answers(server_error::ok, server_error::node_exists);
    EXPECT_FALSE(lock.holds());
    mark_is({"crashed", 5'000, false});
    EXPECT_TRUE(delay_end(lock.current()));
}

TEST_F(contender_delay, a_place_that_is_gone_when_it_marks_is_not_granted) {
    be_first();
    no_mark();
    multi_answers(server_error::no_node, server_error::rolled_back);
    EXPECT_FALSE(lock.holds());
    EXPECT_EQ(session.count<create_op>(), 1U);  // the contender queues again
}

TEST(crash_marks, come_back_from_their_text) {
    for (const auto& mark : {crash_mark{"a", 0, false}, crash_mark{"b-c", 15'000, true}})
        EXPECT_EQ(parse_crash_mark(crash_mark_text(mark)), mark);
    for (const auto* wrong : {"", "a", "a ", " 5", "a -5", "a 5 gone", "a 5x", "a 9000000000000",
                              "a 99999999999999999999"})
        EXPECT_FALSE(parse_crash_mark(wrong)) << wrong;
}

// Two contenders have the same number, so only czxids show which contender is first. After a reconnect, this contender
// reads the czxids again. If it leaves before the answers arrive, it must also remove its crash mark (the znode that
// would remain after its crash).
TEST_F(contender_delay, whoever_leaves_while_its_place_is_asked_for_again_takes_its_mark_along) {
    be_marked_and_reattach();
    list_answers({own, "_c_aaaaaaaa-0000-4000-8000-000000000000-lock-0000000003"});
    ASSERT_GE(session.count<get_op>(), 1U) << "for the czxid of the other";
    lock.leave(session.event(), errc::cancelled);
    const auto all = session.op<multi_op>();
    ASSERT_EQ(all.parts.size(), 2U);
    EXPECT_EQ(all.parts[0], (multi_part{remove_op{"/q/" + own}}));
    EXPECT_EQ(all.parts[1], (multi_part{remove_op{"/q-holder"}}));
}

}  // namespace
}  // namespace turnstile::core
