// SPDX-License-Identifier: Apache-2.0
// Tests small classes whose objects a session_runner guards by its mutex: first_attach, question_table, opened_session
// and lease_view.
#include <gtest/gtest.h>

#include <boost/thread/thread.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "client/session_parts.hpp"

namespace turnstile::detail {
namespace {

using namespace std::chrono_literals;

const boottime_clock::time_point k_begin{1h};

TEST(first_attach, is_expected_until_it_comes_or_is_refused) {
    first_attach waiting{k_begin};
    EXPECT_TRUE(waiting.is_expected_since(k_begin));
    EXPECT_FALSE(waiting.is_expected_since(k_begin - 1ns));
    waiting.attach();
    EXPECT_FALSE(waiting.is_expected_since(k_begin));

    first_attach refused{k_begin};
    EXPECT_TRUE(refused.refuse(error{errc::too_many}));
    EXPECT_FALSE(refused.is_expected_since(k_begin));
}

TEST(first_attach, refuses_waiters_until_it_comes) {
    first_attach attach{k_begin};
    EXPECT_FALSE(attach.refusal());
    EXPECT_TRUE(attach.refuse(error{errc::too_many}));
    ASSERT_TRUE(attach.refusal());
    EXPECT_EQ(*attach.refusal(), errc::too_many);
    attach.attach();
    EXPECT_FALSE(attach.refusal());
}

TEST(first_attach, once_it_has_come_nothing_is_refused) {
    first_attach attach{k_begin};
    attach.attach();
    EXPECT_FALSE(attach.refuse(error{errc::too_many}));
    EXPECT_FALSE(attach.refusal());
}

core::answer answer_to(std::uint64_t question, std::string data) {
    core::reply reply;
    reply.data = std::move(data);
    return {core::inquiry_id{question}, reply};
}

TEST(question_table, gives_each_inquiry_its_replies_in_the_order_of_the_questions) {
    question_table table;
    question_group first{2};
    question_group second{1};
    table.add(core::inquiry_id{1}, first, 0);
    table.add(core::inquiry_id{2}, first, 1);
    table.add(core::inquiry_id{3}, second, 0);
    auto late = answer_to(2, "two");
    table.answer(late);
    EXPECT_FALSE(first.is_answered());
    auto other = answer_to(3, "three");
    table.answer(other);
    EXPECT_TRUE(second.is_answered());
    auto last = answer_to(1, "one");
    table.answer(last);
    ASSERT_TRUE(first.is_answered());
    const auto replies = first.take_replies();
    ASSERT_TRUE(replies);
    ASSERT_EQ(replies->size(), 2U);
    EXPECT_EQ((*replies)[0].data, "one");
    EXPECT_EQ((*replies)[1].data, "two");
}

TEST(question_table, an_error_stands_for_all_replies) {
    question_table table;
    question_group both{2};
    table.add(core::inquiry_id{1}, both, 0);
    table.add(core::inquiry_id{2}, both, 1);
    auto good = answer_to(1, "one");
    table.answer(good);
    core::answer refused{core::inquiry_id{2}, error{errc::timeout}};
    table.answer(refused);
    ASSERT_TRUE(both.is_answered());
    const auto replies = both.take_replies();
    ASSERT_FALSE(replies);
    EXPECT_EQ(replies.error(), errc::timeout);
}

TEST(question_table, a_question_is_answered_once) {
    question_table table;
    question_group both{2};
    table.add(core::inquiry_id{1}, both, 0);
    auto answer = answer_to(1, "one");
    table.answer(answer);
    table.answer(answer);
    EXPECT_FALSE(both.is_answered());
}

class quiet_sink final : public core::session_sink {
public:
    void deliver(core::coordinator_event&& /*event*/) noexcept override {}
};

// A session that records when it is closed and when it is destroyed.
class told_session final : public core::coordinator_session {
public:
    explicit told_session(std::vector<std::string>& told) : told_{told} {}
    ~told_session() override { told_.emplace_back("destroyed"); }
    void submit(core::request&& /*request*/) override {}
    void forget_watches(const std::string& /*path*/) override {}
    void seek_leader(std::uint64_t /*connection*/) override {}
    [[nodiscard]] core::session_identity identity() const override { return {}; }
    void close() noexcept override { told_.emplace_back("closed"); }
    void abandon() noexcept override { told_.emplace_back("abandoned"); }

private:
    std::vector<std::string>& told_;
};

TEST(opened_session, is_closed_or_abandoned_once_and_gone_then) {
    using how = core::close_session::how;
    for (const auto manner : {how::orderly, how::abandon}) {
        std::vector<std::string> told;
        opened_session session{std::make_shared<quiet_sink>(),
                               std::make_unique<told_session>(told)};
        session.close(manner);
        session.close(manner);
        const std::vector<std::string> expected{manner == how::orderly ? "closed" : "abandoned",
                                                "destroyed"};
        EXPECT_EQ(told, expected);
    }
}

TEST(session_opening, is_for_one_epoch_until_it_ends) {
    session_opening opening;
    EXPECT_FALSE(opening.is_for(1));
    opening.begin(2);
    EXPECT_TRUE(opening.is_for(2));
    EXPECT_FALSE(opening.is_for(1));
    opening.end(1);  // too late: another session is opening
    EXPECT_TRUE(opening.is_for(2));
    opening.end(2);
    EXPECT_FALSE(opening.is_for(2));
}

TEST(session_opening, an_event_waits_for_its_own_epoch_only) {
    session_opening opening;
    opening.begin(1);
    opening.await_end(2);
    std::atomic<bool> ended{false};
    boost::thread event{[&] {
        opening.await_end(1);
        EXPECT_TRUE(ended);
    }};
    ended = true;
    opening.end(1);
    event.join();
}

opened_session a_session(std::vector<std::string>& told) {
    return {std::make_shared<quiet_sink>(), std::make_unique<told_session>(told)};
}

TEST(session_handle, keeps_one_session_and_none_after_its_close) {
    std::vector<std::string> told;
    session_handle handle;
    EXPECT_EQ(handle.session(), nullptr);
    auto first = a_session(told);
    const auto open = first.handle;
    handle.replace(first);
    EXPECT_EQ(handle.session(), open);
    EXPECT_EQ(first.handle, nullptr);
    EXPECT_EQ(handle.take().handle, open);
    EXPECT_EQ(handle.session(), nullptr);
    EXPECT_EQ(handle.close().handle, nullptr);
    EXPECT_TRUE(handle.is_closed());
    auto late = a_session(told);
    handle.replace(late);
    EXPECT_EQ(handle.session(), nullptr);
    EXPECT_NE(late.handle, nullptr);
}

TEST(session_handle, a_reason_is_new_once_until_a_session_is_opened) {
    std::vector<std::string> told;
    session_handle handle;
    EXPECT_TRUE(handle.fails_anew(error{errc::unresolvable}));
    EXPECT_FALSE(handle.fails_anew(error{errc::unresolvable}));
    EXPECT_TRUE(handle.fails_anew(error{errc::not_connected}));
    auto opened = a_session(told);
    handle.replace(opened);
    EXPECT_TRUE(handle.fails_anew(error{errc::not_connected}));
}

TEST(lease_of_epoch, leaves_guards_of_older_epochs_what_they_have) {
    const core::lease lease;
    lease_of_epoch published;
    published.publish(1, lease);
    const auto first = published.view();
    published.publish(1, lease);
    EXPECT_EQ(published.view(), first);
    published.publish(2, lease);
    EXPECT_NE(published.view(), first);
}

}  // namespace
}  // namespace turnstile::detail
