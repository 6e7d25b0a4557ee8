// SPDX-License-Identifier: Apache-2.0
// Tests upgrades of an upgradable reader to a writer. The upgrade moves to the position of its upgradable contender
// before the grant, and moves back if another contender blocks it there (queue_rule.hpp). Any answer may be lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/support/contender_fixture.hpp"

namespace turnstile::core {
namespace {

using ::testing::IsEmpty;

contender_settings for_upgrade(attempt mode) {
    contender_settings result{"/q", "data", mode, session_loss_policy::fail};
    result.wants = {claim_kind::upgrade, 1, 3};
    return result;
}

class contender_upgrade : public test::contender_fixture {
protected:
    explicit contender_upgrade(attempt mode = attempt::wait)
        : contender_fixture{for_upgrade(mode)} {}

    static constexpr std::int64_t k_pzxid = 0x500000099;
    static std::string named(const std::string& marker, std::int32_t sequence) {
        return fmt::format("_c_eeeeeeee-0000-4000-8000-{:012x}-{}{:010d}", sequence, marker,
                           sequence);
    }
    const std::string base = named("__UPGR__-__READ__", 3);
    const std::string writer = named("__WRIT__", 4);
    const std::string reader = named("__READ__", 5);

    // The upgrade has number 6, and requests the move to the position of `base`, its upgradable contender. `reader`
    // waits behind `writer`, so `reader` does not hold the lock and cannot prevent the move.
    void asks_for_its_bases_place() {
        enter_queue(6, {base, writer, reader});
        ASSERT_EQ(session.count<multi_op>(), 1U);
        there = upgrade_in_other_place(own);
    }
    void takes_it() {
        asks_for_its_bases_place();
        send_ok<multi_op>();
        ASSERT_EQ(lock.znode(), "/q/" + there);
    }
    [[nodiscard]] operation move(const std::string& from, const std::string& to) const {
        return multi_op{
            {remove_op{"/q/" + from, 0}, create_op{"/q/" + to, "data", create_mode::ephemeral}}};
    }
    void lists(names children) {
        auto answer = session.reply_to<children_op>();
        answer.children = std::move(children);
        answer.stat.pzxid = k_pzxid;
        lock.on_reply(session.event(), answer);
    }
    std::string there;  // the upgrade's name after the move
};

TEST_F(contender_upgrade, is_granted_by_a_list_that_shows_it_in_its_bases_place) {
    asks_for_its_bases_place();
    ASSERT_EQ(session.open.size(), 1U);
    EXPECT_EQ(session.open[0].op, move(own, there));
    send_ok<multi_op>();
    EXPECT_FALSE(lock.holds()) << "before it has looked again";
    lists({base, there, writer, reader});
    EXPECT_TRUE(lock.holds());
    ASSERT_NE(session.last_told<granted>(), nullptr);
    EXPECT_EQ(session.last_told<granted>()->znode, "/q/" + there);
    EXPECT_EQ(session.last_told<granted>()->token, fencing_token{k_pzxid});
    EXPECT_EQ(session.times_told<renamed>(), 0U);
}

TEST_F(contender_upgrade, goes_back_for_a_reader_whose_writer_has_gone_and_waits_for_it) {
    takes_it();
    lists({base, there, reader});
    EXPECT_FALSE(lock.holds());
    EXPECT_EQ(session.op<multi_op>(), std::get<multi_op>(move(there, own)));
    send_ok<multi_op>();
    EXPECT_EQ(lock.znode(), "/q/" + own);
    lists({base, own, reader});
    EXPECT_FALSE(lock.holds());
    EXPECT_EQ(session.op<get_op>().path, "/q/" + reader);
    EXPECT_EQ(session.last_told<position_known>()->ahead, 1U);
    get_answers();
    watch_fires(watch_kind::deleted, "/q/" + reader);
    lists({base, own});
    send_ok<multi_op>();
    lists({base, there});
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_upgrade, the_deletion_of_its_old_name_is_not_applied) {
    asks_for_its_bases_place();
    watch_fires(watch_kind::deleted, "/q/" + own);
    send_ok<multi_op>();
    lists({base, there});
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_upgrade, whose_base_goes_meanwhile_is_an_orphan) {
    takes_it();
    lists({there});
    expect_failed(errc::removed);
    EXPECT_EQ(session.op<remove_op>().path, "/q/" + there);
}

TEST_F(contender_upgrade, that_is_given_up_meanwhile_is_removed_where_it_stands) {
    asks_for_its_bases_place();
    lock.leave(session.event(), {errc::timeout});
    expect_failed(errc::timeout);
    EXPECT_EQ(session.count<remove_op>(), 0U);
    send_ok<multi_op>();
    EXPECT_EQ(session.op<remove_op>().path, "/q/" + there);
    send_ok<remove_op>();
    expect_gone();
}

TEST_F(contender_upgrade, that_may_not_go_there_fails) {
    asks_for_its_bases_place();
    send_error<multi_op>(server_error::no_auth);
    expect_failed(errc::no_permission);
    EXPECT_EQ(session.op<remove_op>().path, "/q/" + own);
}

TEST_F(contender_upgrade, applies_what_was_written_to_it_and_goes_on) {
    asks_for_its_bases_place();
    send_error<multi_op>(server_error::bad_version);
    own_get_answers(2, "data revoke=ask by=ops why=stuck");
    ASSERT_EQ(session.count<multi_op>(), 1U);
    send_ok<multi_op>();
    lists({base, there});
    EXPECT_TRUE(lock.holds());
    EXPECT_EQ(session.times_told<asked_to_release>(), 1U);
}

TEST_F(contender_upgrade, that_was_removed_by_somebody_else_enters_anew) {
    asks_for_its_bases_place();
    send_error<multi_op>(server_error::no_node);
    EXPECT_EQ(session.count<create_op>(), 1U);
}

// ---- lost answers to the request that moves the upgrade -------------------------------------

class contender_upgrade_lost : public contender_upgrade {
protected:
    void SetUp() override {
        asks_for_its_bases_place();
        detach();
        attach();
        ASSERT_EQ(session.op<set_op>(), (set_op{"/q/" + own, "data", 0}));
    }
};

TEST_F(contender_upgrade_lost, and_it_stands_there) {
    send_error<set_op>(server_error::no_node);
    lists({base, there, writer, reader});
    EXPECT_FALSE(lock.holds());
    lists({base, there, writer, reader});
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_upgrade_lost, and_it_does_not) {
    auto answer = session.reply_to<set_op>();
    answer.stat.version = 1;
    lock.on_reply(session.event(), answer);
    auto again = std::get<multi_op>(move(own, there));
    std::get<remove_op>(again.parts.front()).version = 1;
    EXPECT_EQ(session.op<multi_op>(), again);
}

TEST_F(contender_upgrade_lost, and_the_session_ends) {
    end_epoch();
    expect_failed(errc::session_lost);
    expect_gone();
}

// ---- upgrades that are not possible ---------------------------------------------------------

class contender_try_upgrade : public contender_upgrade {
protected:
    contender_try_upgrade() : contender_upgrade{attempt::once} {}
};

TEST_F(contender_try_upgrade, that_finds_a_reader_in_its_way_there_is_busy) {
    takes_it();
    lists({base, there, reader});
    expect_failed(errc::busy);
    EXPECT_EQ(session.op<remove_op>().path, "/q/" + there);
}

// F18 (the counter's end): several contenders have the largest number. If the upgrade returned to its reader's place,
// it would be the last of these contenders.
TEST_F(contender_upgrade, does_not_go_back_to_where_numbers_are_equal) {
    enter_queue(2147483647, {base, writer, reader});
    send_ok<multi_op>();
    lists({base, upgrade_in_other_place(own), reader});
    expect_failed(errc::too_many);
}

}  // namespace
}  // namespace turnstile::core
