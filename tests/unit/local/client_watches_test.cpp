// SPDX-License-Identifier: Apache-2.0
// Tests a client's record of its watches, and of the watches that a server refused to remove.
#include "local/client_watches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace turnstile::local {
namespace {

using core::server_error;
using core::watch_kind;
using core::watch_mode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const core::get_op k_get{"/a", watch_mode::watch};
const core::exists_op k_exists{"/a", watch_mode::watch};
const core::children_op k_children{"/a", watch_mode::watch};

client_watches that_owe() {
    client_watches mine;
    mine.on_reply(k_get, server_error::ok);
    mine.on_refused_give_back("/a");
    return mine;
}

TEST(client_watches, are_where_a_request_asked_for_one_and_was_answered) {
    client_watches mine;
    mine.on_reply(core::get_op{"/plain"}, server_error::ok);
    mine.on_reply(k_get, server_error::no_node);
    mine.on_reply(k_children, server_error::no_node);
    EXPECT_TRUE(mine.list().empty());
    mine.on_reply(k_exists, server_error::no_node);
    EXPECT_THAT(mine.list().exists, ElementsAre("/a"));
    mine.on_reply(k_exists, server_error::ok);
    EXPECT_THAT(mine.list().data, ElementsAre("/a"));
    mine.on_reply(k_children, server_error::ok);
    EXPECT_THAT(mine.list().children, ElementsAre("/a"));
}

TEST(client_watches, that_a_server_has_refused_to_take_back_are_given_back_once_more) {
    auto mine = that_owe();
    EXPECT_TRUE(mine.owes());
    EXPECT_THAT(mine.take_owed({"/b"}), ElementsAre("/a"));
    EXPECT_FALSE(mine.owes());
    EXPECT_THAT(mine.list().data, ElementsAre("/a")) << "until the answer is there";
}

TEST(client_watches, set_later_are_not_given_back_by_what_was_refused_before) {
    for (const core::operation& later :
         {core::operation{k_get}, core::operation{k_exists}, core::operation{k_children}}) {
        auto mine = that_owe();
        EXPECT_THAT(mine.take_owed({*watched_path(later)}), IsEmpty()) << "it is under way";
        mine.on_reply(later, server_error::ok);
        EXPECT_FALSE(mine.owes());
    }
}

TEST(client_watches, are_owed_still_where_a_later_read_is_refused_or_sets_none) {
    auto mine = that_owe();
    mine.on_reply(k_get, server_error::throttled);
    mine.on_reply(k_get, server_error::no_node);
    mine.on_reply(core::get_op{"/a"}, server_error::ok);
    EXPECT_THAT(mine.take_owed({}), ElementsAre("/a"));
}

TEST(client_watches, that_are_owed_go_with_the_connection) {
    auto mine = that_owe();
    mine.forget_owed();
    EXPECT_FALSE(mine.owes());
    EXPECT_TRUE(mine.list().empty());
}

TEST(client_watches, that_are_taken_back_in_the_end_are_owed_no_more) {
    auto mine = that_owe();
    mine.forget_watches("/a");
    EXPECT_FALSE(mine.owes());
    EXPECT_FALSE(mine.on_event(watch_kind::deleted, "/a"));
}

}  // namespace
}  // namespace turnstile::local
