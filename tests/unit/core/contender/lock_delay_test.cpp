// SPDX-License-Identifier: Apache-2.0
#include "core/contender/lock_delay.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "unit/support/contender_stage.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;

class lock_delay_test : public ::testing::Test {
protected:
    static constexpr std::int64_t k_own_ctime = 50'000;

    consequence mark_is(const crash_mark& mark, std::int64_t mtime = 0) {
        delay.advance(session.event(), own());
        auto answer = session.reply_to<get_op>();
        answer.data = crash_mark_text(mark);
        answer.stat.version = 4;
        answer.stat.mtime = mtime;
        return delay.on_answer(session.event(), own(), answer);
    }
    consequence mark_is_absent() {
        delay.advance(session.event(), own());
        auto answer = session.reply_to<get_op>();
        answer.error = server_error::no_node;
        return delay.on_answer(session.event(), own(), answer);
    }
    consequence write_answers(server_error error, std::vector<server_error> parts = {}) {
        auto answer = session.reply_to<multi_op>();
        answer.error = error;
        answer.parts = std::move(parts);
        return delay.on_answer(session.event(), own(), answer);
    }
    [[nodiscard]] marking_contender own() const { return {folder, "/q/own", "guid", 10s}; }

    const std::string folder = "/q";
    test::contender_stage session;
    lock_delay delay{k_own_ctime};
};

TEST_F(lock_delay_test, marks_where_no_mark_is) {
    EXPECT_EQ(mark_is_absent(), consequence{goes_on{}});
    EXPECT_FALSE(delay.is_marked());
    delay.advance(session.event(), own());
    EXPECT_TRUE(delay.writes());
    const auto written = session.op<multi_op>();
    EXPECT_EQ(std::get<check_op>(written.parts.front()).path, "/q/own");
    EXPECT_EQ(std::get<create_op>(written.parts.back()).data,
              crash_mark_text({"guid", 10'000, false}));
    write_answers(server_error::ok);
    EXPECT_TRUE(delay.is_marked());
}

TEST_F(lock_delay_test, its_own_mark_was_written_though_the_answer_was_lost) {
    mark_is({"guid", 10'000, false});
    EXPECT_TRUE(delay.is_marked());
}

TEST_F(lock_delay_test, a_mark_left_behind_is_noted_and_waited_out) {
    mark_is({"crashed", 5'000, false});
    ASSERT_TRUE(delay.end());
    EXPECT_EQ(*delay.end(), session.clock + 5'500ms) << "by the longest clock";
    EXPECT_FALSE(delay.waits()) << "it is to be noted first";
    delay.advance(session.event(), own());
    EXPECT_EQ(std::get<set_op>(session.op<multi_op>().parts.back()).data,
              crash_mark_text({"crashed", 5'000, true}));
    write_answers(server_error::ok);
    EXPECT_TRUE(delay.waits());
    delay.end_has_come();
    EXPECT_FALSE(delay.waits());
    delay.advance(session.event(), own());
    const auto mark = std::get<set_op>(session.op<multi_op>().parts.back());
    EXPECT_EQ(mark.data, crash_mark_text({"guid", 10'000, false}));
    EXPECT_EQ(mark.version, 5) << "the note has changed it";
}

// The servers went back to older data, in which the holder is still ahead. If that holder crashes later, the contender
// waits for the whole delay again.
TEST_F(lock_delay_test, behind_another_contender_it_is_waited_anew) {
    mark_is({"crashed", 5'000, false});
    delay.advance(session.event(), own());
    write_answers(server_error::ok);
    delay.end_has_come();
    delay.begin_again();
    session.clock += 1h;
    mark_is({"crashed", 5'000, false});
    ASSERT_TRUE(delay.end());
    EXPECT_EQ(*delay.end(), session.clock + 5'500ms);
}

TEST_F(lock_delay_test, its_own_mark_is_read_again_behind_another_contender) {
    mark_is({"guid", 10'000, false});
    EXPECT_TRUE(delay.is_marked());
    delay.forget_version();
    EXPECT_TRUE(delay.is_marked());
    delay.begin_again();
    EXPECT_FALSE(delay.is_marked());
    mark_is({"guid", 10'000, false});
    EXPECT_TRUE(delay.is_marked());
}

TEST_F(lock_delay_test, a_noted_mark_counts_from_its_stamp) {
    mark_is({"crashed", 5'000, true}, k_own_ctime - 4'000);
    ASSERT_TRUE(delay.end());
    EXPECT_EQ(*delay.end(), session.clock + 1'500ms);
    EXPECT_TRUE(delay.waits());
}

TEST_F(lock_delay_test, another_clients_write_is_read_again) {
    mark_is_absent();
    delay.advance(session.event(), own());
    EXPECT_EQ(write_answers(server_error::node_exists), consequence{goes_on{}});
    delay.advance(session.event(), own());
    EXPECT_EQ(session.count<get_op>(), 1U);
}

TEST_F(lock_delay_test, the_check_of_its_znode_tells_that_it_is_gone) {
    mark_is_absent();
    delay.advance(session.event(), own());
    EXPECT_EQ(
        write_answers(server_error::no_node, {server_error::no_node, server_error::rolled_back}),
        consequence{own_znode_gone{}});
}

TEST_F(lock_delay_test, a_mark_that_may_not_be_read_refuses) {
    delay.advance(session.event(), own());
    auto answer = session.reply_to<get_op>();
    answer.error = server_error::no_auth;
    const auto outcome = delay.on_answer(session.event(), own(), answer);
    ASSERT_TRUE(std::holds_alternative<refused>(outcome));
    EXPECT_EQ(std::get<refused>(outcome).why, errc::no_permission);
}

}  // namespace
}  // namespace turnstile::core
