// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redis/heard_changes.hpp"
#include "redis/pending_requests.hpp"

namespace turnstile::redis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const core::time_point k_sent{std::chrono::seconds{7}};

pending_request entry_of(core::ticket create, core::ticket list) {
    pending_request entry;
    entry.id = create;
    entry.sent = k_sent;
    entry.op = core::create_op{"/l/a-", {}, core::create_mode::ephemeral_sequential};
    entry.list = {list, core::children_op{"/l", core::watch_mode::watch}};
    return entry;
}

TEST(pending_requests, have_one_answer_for_a_create_and_its_list) {
    pending_requests all;
    all.add(entry_of(core::ticket{1}, core::ticket{2}));
    EXPECT_EQ(all.unanswered(), 1U);
    EXPECT_EQ(all.awaited_since(), k_sent);
    EXPECT_THAT(all.watched_paths(), ElementsAre("/l"));
    EXPECT_FALSE(all.take_settled());
}

TEST(pending_requests, that_are_settled_later_give_a_reply_for_the_create_and_one_for_the_list) {
    pending_requests all;
    auto entry = entry_of(core::ticket{1}, core::ticket{2});
    entry.settled.emplace().id = entry.id;
    entry.settled->outcome = core::outcome::unknown;
    all.put_back(std::move(entry));
    EXPECT_EQ(all.unanswered(), 0U);
    EXPECT_FALSE(all.awaited_since());
    for (const auto id : {core::ticket{1}, core::ticket{2}}) {
        const auto reply = all.take_settled();
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->id, id);
        EXPECT_EQ(reply->outcome, core::outcome::unknown);
    }
    EXPECT_TRUE(all.empty());
}

core::watch_event removal_of(const std::string& path) {
    return {core::watch_kind::deleted, path, 0};
}

TEST(heard_changes, tell_the_user_only_of_events_for_which_a_watch_waits) {
    heard_changes heard{local::chroot{"/root"}};
    pending_request asked;
    asked.op = core::exists_op{"/root/l/a", core::watch_mode::watch};
    heard.on_answer(asked, core::answered(core::server_error::ok), {}, 5);
    EXPECT_THAT(heard.on_bell(6, removal_of("/root/l/b")), IsEmpty());
    const auto events = heard.on_bell(7, removal_of("/root/l/a"));
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events.front().path, "/l/a");
    EXPECT_THAT(heard.on_bell(8, removal_of("/root/l/a")), IsEmpty()) << "the watch is used up";
    EXPECT_TRUE(heard.has_seen(8));
    EXPECT_FALSE(heard.has_seen(9));
}

TEST(heard_changes, count_a_lost_change_as_known_once_the_session_is_attached) {
    heard_changes heard{local::chroot{}};
    const auto changed = [&heard] { return heard.attach_call().arguments.at(2); };
    std::deque<pending_request> left(1);
    left.front().op = core::remove_op{"/l/a"};
    heard.detached(left);
    heard.resolve_lost_change(9);
    EXPECT_EQ(changed(), "0") << "the request was not sent";
    left.front().sent = k_sent;
    heard.detached(left);
    heard.resolve_lost_change(9);
    EXPECT_EQ(changed(), "9");
}

}  // namespace
}  // namespace turnstile::redis
