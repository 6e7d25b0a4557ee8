// SPDX-License-Identifier: Apache-2.0
// Tests small parts of a contender: creating parents, reading the permits, ordering equal numbers, and classifying
// answers.
#include <gtest/gtest.h>

#include "core/contender/answers.hpp"
#include "core/contender/parent_creation.hpp"
#include "core/contender/queue_readings.hpp"
#include "unit/support/contender_stage.hpp"

namespace turnstile::core {
namespace {

using test::contender_stage;
using folder_kind = parent_creation::folder_kind;

reply answer_to(const request& request, server_error error, std::uint64_t connection = 1) {
    reply answer;
    answer.id = request.id;
    answer.outcome = outcome::answered;
    answer.error = error;
    answer.connection = connection;
    return answer;
}

TEST(answer_class, of_a_request_without_an_answer_is_retry) {
    reply answer;
    answer.outcome = outcome::unknown;
    EXPECT_EQ(classify(answer), answer_class::retry);
    answer.outcome = outcome::answered;
    EXPECT_EQ(classify(answer), answer_class::ok);
}

TEST(parent_creation, makes_all_prefixes_at_once) {
    contender_stage session;
    parent_creation parents;
    EXPECT_FALSE(parents.create(session.event(), "/a/b", folder_kind::plain, std::nullopt));
    ASSERT_EQ(session.open.size(), 2U);
    EXPECT_EQ(std::get<create_op>(session.open[0].op).path, "/a");
    EXPECT_EQ(std::get<create_op>(session.open[1].op).path, "/a/b");
    for (const auto& request : session.open)
        parents.on_answer(session.event(), "/a/b", answer_to(request, server_error::node_exists));
    EXPECT_FALSE(parents.is_under_way());
}

TEST(parent_creation, tells_a_refusal_when_the_folder_is_still_missing) {
    contender_stage session;
    parent_creation parents;
    EXPECT_FALSE(parents.create(session.event(), "/a", folder_kind::plain, std::nullopt));
    parents.on_answer(session.event(), "/a", answer_to(session.open[0], server_error::no_node));
    const auto refusal = parents.create(session.event(), "/a", folder_kind::plain, std::nullopt);
    ASSERT_TRUE(refusal);
    EXPECT_EQ(*refusal, errc::no_chroot);
    EXPECT_EQ(session.open.size(), 1U);
}

TEST(parent_creation, gives_up_on_parents_that_keep_vanishing) {
    contender_stage session;
    parent_creation parents;
    std::optional<error> refusal;
    int rounds = 0;
    while (!refusal && ++rounds < 100) {
        refusal = parents.create(session.event(), "/a", folder_kind::plain, std::nullopt);
        if (!refusal)
            parents.on_answer(session.event(), "/a",
                              answer_to(session.open.back(), server_error::ok));
    }
    ASSERT_TRUE(refusal);
    EXPECT_EQ(*refusal, errc::protocol);
    EXPECT_EQ(rounds, 17);
}

TEST(parent_creation, a_semaphore_says_how_many_permits_it_has) {
    contender_stage session;
    parent_creation parents;
    EXPECT_TRUE(parents.create(session.event(), "/a", folder_kind::semaphore, std::nullopt));
    EXPECT_FALSE(parents.create(session.event(), "/a", folder_kind::semaphore, 3));
    EXPECT_EQ(session.op<create_op>().data, "3");
    EXPECT_EQ(session.op<create_op>().mode, create_mode::persistent);
}

reply limit_answer(contender_stage& session, const std::string& data, std::int64_t mzxid) {
    auto answer = session.reply_to<get_op>();
    answer.data = data;
    answer.stat.mzxid = mzxid;
    return answer;
}

TEST(permit_reading, a_limit_is_that_of_the_list_which_saw_the_same_data) {
    contender_stage session;
    permit_reading permits;
    reply list;
    list.stat.mzxid = 7;
    permits.apply_list(list);
    permits.read(session.event(), "/s");
    EXPECT_EQ(permits.on_answer("/s", 3, limit_answer(session, "3", 7)), consequence{done{}});
    EXPECT_TRUE(permits.is_of_the_list());
    permits.read(session.event(), "/s");
    permits.on_answer("/s", 3, limit_answer(session, "3", 8));
    EXPECT_FALSE(permits.is_of_the_list());
}

TEST(permit_reading, refuses_another_number_and_what_is_none) {
    contender_stage session;
    permit_reading permits;
    permits.read(session.event(), "/s");
    auto outcome = permits.on_answer("/s", 2, limit_answer(session, "3", 7));
    ASSERT_TRUE(std::holds_alternative<refused>(outcome));
    EXPECT_EQ(std::get<refused>(outcome).why, errc::bad_option);
    permits.read(session.event(), "/s");
    outcome = permits.on_answer("/s", std::nullopt, limit_answer(session, "many", 7));
    ASSERT_TRUE(std::holds_alternative<refused>(outcome));
    EXPECT_EQ(std::get<refused>(outcome).why, errc::bad_path);
}

TEST(permit_reading, settles_an_open_limit_once) {
    contender_stage session;
    permit_reading permits;
    permits.read(session.event(), "/s");
    permits.on_answer("/s", std::nullopt, limit_answer(session, "1 was 2", 7));
    permits.settle(session.event(), "/s", {});
    EXPECT_EQ(session.count<set_op>(), 1U);
    permits.settle(session.event(), "/s", {});
    EXPECT_EQ(session.count<set_op>(), 1U);
    EXPECT_EQ(permits.on_answer("/s", std::nullopt, session.reply_to<set_op>()),
              consequence{goes_on{}});
}

TEST(tie_order, learns_each_creation_and_lists_again_where_one_is_gone) {
    contender_stage session;
    tie_order ties;
    ties.ask(session.event(), "/q", {"a", "b"});
    auto first = answer_to(session.open[0], server_error::ok);
    first.stat.czxid = 5;
    EXPECT_TRUE(ties.expects(first.id));
    EXPECT_EQ(ties.on_answer(first), consequence{goes_on{}});
    EXPECT_TRUE(ties.asks());
    EXPECT_EQ(ties.on_answer(answer_to(session.open[1], server_error::no_node)),
              consequence{lists_again{}});
    EXPECT_FALSE(ties.asks());
    EXPECT_EQ(ties.czxids(), (std::map<std::string, std::int64_t>{{"a", 5}}));
}

}  // namespace
}  // namespace turnstile::core
