// SPDX-License-Identifier: Apache-2.0
// Tests a contender for a semaphore's permits: its requests for the folder's children, its read of the limit, its
// watches, and how it shows its grant to the contenders behind it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/support/contender_fixture.hpp"

namespace turnstile::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pointee;
using ::testing::UnorderedElementsAre;

contender_settings for_permit(std::int32_t permits = 1, std::optional<std::int32_t> limit = {},
                              attempt mode = attempt::wait) {
    contender_settings result{"/a/s", "data"};
    result.mode = mode;
    result.wants = {claim_kind::permit, permits};
    result.limit = limit;
    return result;
}

class contender_permits : public test::contender_fixture {
protected:
    contender_permits() : contender_fixture{for_permit()} {}

    void use(contender_settings settings) { lock = contender_core{std::move(settings)}; }
    static std::string lease(std::int32_t number, std::int32_t permits = 1) {
        return contender_prefix("ffffffff-0000-4000-8000-000000000000",
                                {claim_kind::permit, permits}) +
               fmt::format("{:010d}", number);
    }
    static std::string path(std::int32_t number) { return "/a/s/" + lease(number); }
    void limit_answers(const std::string& text) {
        auto answer = session.reply_to_get("/a/s");
        answer.data = text;
        lock.on_reply(session.event(), answer);
    }
    void enter(std::int32_t number, names others, const std::string& limit) {
        enter_queue(number, std::move(others));
        limit_answers(limit);
    }
    // The contender has number 5 and waits behind contender 4, which has the only permit. Contender 5 watches the znode
    // of contender 4 and the limit.
    void wait_in_line() {
        enter(5, {lease(4)}, "1");
        limit_answers("1");
        get_answers();
        ASSERT_THAT(session.open, IsEmpty());
    }
    std::string failure() {
        for (const auto& event : session.told)
            if (const auto* told = std::get_if<failed>(&event)) return told->why.message();
        return {};
    }
};

TEST_F(contender_permits, reads_the_limit_behind_the_list) {
    lock.start(session.event());
    ASSERT_EQ(session.sent.size(), 3U);
    EXPECT_TRUE(std::holds_alternative<create_op>(session.sent[0].op));
    EXPECT_EQ(session.sent[1].op, operation{children_op{"/a/s"}});
    EXPECT_EQ(session.sent[2].op, operation{get_op{"/a/s"}});
}

TEST_F(contender_permits, is_granted_when_the_limit_says_that_there_is_room) {
    enter_queue(5, {lease(4)});
    EXPECT_FALSE(lock.holds()) << "how many there are is not known yet";
    limit_answers("2");
    EXPECT_TRUE(lock.holds());
    EXPECT_EQ(session.last_told<granted>()->token, fencing_token{k_czxid});
    EXPECT_THAT(session.open, IsEmpty()) << "nobody could have waited behind it";
}

// Another client changed the limit after the contenders were listed. Other contenders may have entered or left since,
// so the list is outdated.
TEST_F(contender_permits, lists_again_where_the_limit_is_younger_than_the_list) {
    enter_queue(5, {});
    auto limit = session.reply_to_get("/a/s");
    limit.data = "1";
    limit.stat.mzxid = 77;
    lock.on_reply(session.event(), limit);
    EXPECT_FALSE(lock.holds());
    EXPECT_EQ(session.count<children_op>(), 1U);
    EXPECT_EQ(session.op<get_op>(), get_op{"/a/s"});
}

TEST_F(contender_permits, the_first_in_line_watches_the_limit_and_all_that_hold) {
    enter(5, {lease(3), lease(4)}, "2");
    EXPECT_THAT(session.last_told<position_known>(), Pointee(position_known{2}));
    EXPECT_THAT(session.watched, UnorderedElementsAre("/a/s", path(3), path(4)));
    EXPECT_EQ(session.count<get_op>(), 3U);
    for (const auto& request : session.open)
        EXPECT_EQ(std::get<get_op>(request.op).watch, watch_mode::watch);
}

TEST_F(contender_permits, the_others_watch_the_one_ahead_only) {
    enter(5, {lease(2), lease(3), lease(4)}, "2");
    EXPECT_THAT(session.watched, ElementsAre(path(4)));
    EXPECT_THAT(session.last_told<position_known>(), Pointee(position_known{3}));
}

TEST_F(contender_permits, looks_again_when_a_hold_ends) {
    wait_in_line();
    watch_fires(watch_kind::deleted, path(4));
    EXPECT_FALSE(lock.holds()) << "only a list and the limit tell";
    list_answers({own});
    limit_answers("1");
    EXPECT_TRUE(lock.holds());
}

// The request for the folder's children is answered, and the read of the limit that follows it is still in progress. If
// look_again() is called now, the contender must wait for this read.
TEST_F(contender_permits, a_second_look_waits_for_the_look_that_is_under_way) {
    wait_in_line();
    watch_fires(watch_kind::deleted, path(4));
    list_answers({own});
    lock.look_again(session.event());
    limit_answers("1");
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_permits, looks_again_when_the_limit_grows) {
    wait_in_line();
    watch_fires(watch_kind::changed, "/a/s");
    list_answers({lease(4), own});
    limit_answers("2");
    EXPECT_TRUE(lock.holds());
    EXPECT_THAT(session.watched, IsEmpty());
}

TEST_F(contender_permits, a_limit_that_changed_before_it_was_watched_is_seen) {
    enter(5, {lease(4)}, "1");
    limit_answers("2");  // the get that sets the watch
    get_answers();
    list_answers({lease(4), own});
    limit_answers("2");
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_permits, those_behind_look_again_when_the_one_ahead_was_granted) {
    enter(5, {lease(3), lease(4)}, "1");
    get_answers();
    ASSERT_THAT(session.open, IsEmpty());
    watch_fires(watch_kind::changed, path(4));
    list_answers({lease(4), own});
    limit_answers("1");
    EXPECT_THAT(session.watched, UnorderedElementsAre("/a/s", path(4)));
}

// ---- a contender that sets few watches --------------------------------------------------------

// Holders 3, 4 and 5 are too many for one watch each, so the contender watches the folder's children.
class contender_permits_crowd : public contender_permits {
protected:
    contender_permits_crowd() { session.most_watched = 2; }

    void wait_in_crowd() {
        enter(6, {lease(3), lease(4), lease(5)}, "3");
        ASSERT_EQ(session.op<children_op>(), (children_op{"/a/s", watch_mode::watch}));
        list_answers({lease(3), lease(4), lease(5), own});
        // Answers both reads of the limit: the read that sets the watch, and the read that was sent after the request
        // for the folder's children.
        limit_answers("3");
        limit_answers("3");
        ASSERT_THAT(session.open, IsEmpty());
        EXPECT_THAT(session.watched, ElementsAre("/a/s"));
    }
};

TEST_F(contender_permits_crowd, is_watched_by_the_folder) {
    wait_in_crowd();
    watch_fires(watch_kind::children, "/a/s");
    EXPECT_EQ(session.op<children_op>(), (children_op{"/a/s", watch_mode::watch}));
    list_answers({lease(3), lease(5), own});
    limit_answers("3");
    EXPECT_TRUE(lock.holds());
    EXPECT_THAT(session.watched, IsEmpty());
}

TEST_F(contender_permits_crowd, that_arrives_is_listed_once_for_each_event) {
    wait_in_crowd();
    watch_fires(watch_kind::children, "/a/s");
    watch_fires(watch_kind::children, "/a/s");
    EXPECT_EQ(session.count<children_op>(), 1U);
    list_answers({lease(3), lease(4), lease(5), own, lease(7)});
    limit_answers("3");
    EXPECT_THAT(session.open, IsEmpty());
}

TEST_F(contender_permits_crowd, that_has_shrunk_is_watched_one_by_one) {
    wait_in_crowd();
    watch_fires(watch_kind::children, "/a/s");
    list_answers({lease(4), lease(5), own});
    limit_answers("2");
    EXPECT_THAT(session.watched, UnorderedElementsAre("/a/s", path(4), path(5)));
    while (session.count<get_op>() != 0) get_answers();
}

TEST_F(contender_permits_crowd, is_watched_again_on_a_new_connection) {
    wait_in_crowd();
    detach();
    attach();
    EXPECT_EQ(session.op<children_op>(), (children_op{"/a/s", watch_mode::watch}));
}

// The first waiter must list without a watch, or the watch on the children would remain until the session ends. The
// grant does not wait for the removal of the watch.
TEST_F(contender_permits_crowd, is_listed_without_a_watch_once_it_is_first) {
    wait_in_crowd();
    session.has_lease = false;
    watch_fires(watch_kind::children, "/a/s");
    list_answers({lease(5), own});
    limit_answers("3");
    EXPECT_FALSE(lock.holds()) << "its lease is missing";
    EXPECT_THAT(session.watched, IsEmpty());
    detach();
    attach();
    EXPECT_EQ(session.op<children_op>(), (children_op{"/a/s", watch_mode::none}));
}

// ---- a semaphore whose limit became lower --------------------------------------------------------

// The limit was 3, so contenders 3, 4 and 5 may all hold a permit. The first waiter writes the number of the last of
// them, 5, beside the new limit.
TEST_F(contender_permits, the_first_in_line_finds_out_who_holds_more_than_there_are) {
    enter(6, {lease(3), lease(4), lease(5)}, "1 was 3");
    EXPECT_EQ(session.op<set_op>(), (set_op{"/a/s", "1 was 3 up to 5", 0}));
    send_error<set_op>(server_error::bad_version);
    EXPECT_EQ(session.count<set_op>(), 0U) << "somebody else was faster";
}

TEST_F(contender_permits, who_came_after_it_shrank_waits_for_the_one_ahead) {
    enter(6, {lease(3), lease(4), lease(5)}, "1 was 9 up to 4");
    EXPECT_THAT(session.watched, ElementsAre(path(5)));
    EXPECT_EQ(session.count<set_op>(), 0U);
}

TEST_F(contender_permits, the_first_that_came_after_it_shrank_watches_all_that_may_hold) {
    enter(5, {lease(3), lease(4)}, "1 was 9 up to 4");
    EXPECT_THAT(session.watched, UnorderedElementsAre("/a/s", path(3), path(4)));
}

// ---- a contender that had to wait shows its grant by a write into its own znode ---------------

TEST_F(contender_permits, writes_into_its_znode_when_it_had_to_wait) {
    wait_in_line();
    watch_fires(watch_kind::deleted, path(4));
    list_answers({own});
    limit_answers("1");
    ASSERT_EQ(session.open.size(), 1U);
    EXPECT_EQ(session.op<set_op>(), (set_op{"/a/s/" + own, "data", 0}));
    auto answer = session.reply_to<set_op>();
    answer.stat.version = 1;
    lock.on_reply(session.event(), answer);
    EXPECT_EQ(version_in(lock.current()), 1);
    EXPECT_THAT(session.open, IsEmpty());
}

class contender_permits_touch : public contender_permits {
protected:
    void SetUp() override {
        wait_in_line();
        watch_fires(watch_kind::deleted, path(4));
        list_answers({own});
        limit_answers("1");
        ASSERT_TRUE(lock.holds());
    }
};

TEST_F(contender_permits_touch, is_repeated_until_it_is_answered) {
    detach();
    attach();
    EXPECT_EQ(session.count<set_op>(), 1U);
    send_ok<set_op>();
    EXPECT_THAT(session.open, IsEmpty());
}

TEST_F(contender_permits_touch, applies_what_somebody_else_wrote_first) {
    send_error<set_op>(server_error::bad_version);
    EXPECT_EQ(session.op<get_op>().path, "/a/s/" + own);
    auto answer = session.reply_to<get_op>();
    answer.stat.version = 1;
    answer.data = "data revoke=ask by=ops why=stuck";
    lock.on_reply(session.event(), answer);
    EXPECT_THAT(session.last_told<asked_to_release>(), Pointee(asked_to_release{"ops", "stuck"}));
    EXPECT_EQ(session.count<set_op>(), 0U) << "whoever watches has been told";
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_permits_touch, of_a_znode_that_is_gone_is_loss) {
    send_error<set_op>(server_error::no_node);
    expect_lost(errc::removed);
    expect_gone();
}

TEST_F(contender_permits_touch, that_is_forbidden_leaves_the_hold) {
    send_error<set_op>(server_error::no_auth);
    EXPECT_TRUE(lock.holds());
    EXPECT_THAT(session.open, IsEmpty());
}

// ---- the limit in the folder's data ---------------------------------------------------------

TEST_F(contender_permits, a_folder_that_says_no_number_is_refused) {
    enter(5, {}, "192.168.0.1");
    expect_failed(errc::bad_path);
    EXPECT_THAT(failure(), HasSubstr("/a/s"));
    EXPECT_THAT(failure(), HasSubstr("192.168.0.1"));
    EXPECT_EQ(session.op<remove_op>().path, "/a/s/" + own);
}

TEST_F(contender_permits, another_number_than_agreed_is_refused_with_both) {
    use(for_permit(1, 3));
    enter(5, {}, "5");
    expect_failed(errc::bad_option);
    EXPECT_THAT(failure(), HasSubstr("5 permits, not 3"));
}

TEST_F(contender_permits, the_number_is_compared_once) {
    use(for_permit(1, 1));
    wait_in_line();
    watch_fires(watch_kind::changed, "/a/s");
    list_answers({lease(4), own});
    limit_answers("2");
    EXPECT_TRUE(lock.holds()) << failure();
}

TEST_F(contender_permits, a_number_that_was_agreed_before_is_not_compared) {
    auto settings = for_permit(1, 3);
    settings.agreed = true;
    use(settings);
    enter(5, {}, "5");
    EXPECT_TRUE(lock.holds());
}

TEST_F(contender_permits, more_permits_than_there_are_is_refused_with_both) {
    use(for_permit(6));
    enter(5, {}, "5 was 7");
    expect_failed(errc::bad_option);
    EXPECT_THAT(failure(), HasSubstr("5 permits, and the call asks for 6"));
}

TEST_F(contender_permits, once_is_busy_when_there_is_no_room) {
    use(for_permit(1, {}, attempt::once));
    enter(5, {lease(4)}, "1");
    expect_failed(errc::busy);
}

TEST_F(contender_permits, a_limit_that_may_not_be_read_is_refused) {
    enter_queue(5);
    send_error<get_op>(server_error::no_auth);
    expect_failed(errc::no_permission);
}

TEST_F(contender_permits, a_lost_answer_about_the_limit_means_to_look_again) {
    enter_queue(5);
    detach();
    attach();
    list_answers({own});
    limit_answers("1");
    EXPECT_TRUE(lock.holds());
}

// ---- a folder that is no semaphore yet ------------------------------------------------------

TEST_F(contender_permits, without_a_number_nothing_is_made) {
    lock.start(session.event());
    create_answers(server_error::no_node);
    expect_failed(errc::bad_path);
    EXPECT_THAT(failure(), HasSubstr("/a/s is no semaphore yet"));
}

// The limit is in the folder's data. Servers delete an empty container, and the limit would be lost.
TEST_F(contender_permits, the_folder_is_persistent_and_says_the_number) {
    use(for_permit(1, 3));
    lock.start(session.event());
    create_answers(server_error::no_node);
    const auto requests = session.sent;
    const auto at = requests.size() - 2;
    EXPECT_EQ(requests[at].op, (operation{create_op{"/a", "", create_mode::container}}));
    EXPECT_EQ(requests[at + 1].op, (operation{create_op{"/a/s", "3", create_mode::persistent}}));
}

}  // namespace
}  // namespace turnstile::core
