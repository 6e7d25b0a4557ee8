// SPDX-License-Identifier: Apache-2.0
#include "core/contender/znode_watches.hpp"

#include <gtest/gtest.h>

#include "unit/support/contender_stage.hpp"

namespace turnstile::core {
namespace {

using test::contender_stage;

class own_znode_watch_test : public ::testing::Test {
protected:
    static constexpr auto k_path = "/q/own";

    reply answer(server_error error = server_error::ok) {
        auto given = session.reply_to<get_op>();
        given.error = error;
        return given;
    }

    contender_stage session;
    own_znode_watch own{session.clock};
};

TEST_F(own_znode_watch_test, is_fresh_for_a_while_after_its_create) {
    EXPECT_TRUE(own.is_fresh(session.event()));
    session.clock += session.unseen;
    EXPECT_FALSE(own.is_fresh(session.event()));
}

TEST_F(own_znode_watch_test, is_fresh_from_when_a_look_was_sent) {
    session.clock += session.unseen;
    own.look(session.event(), k_path);
    EXPECT_TRUE(own.asks());
    own.look(session.event(), k_path);
    EXPECT_EQ(session.count<get_op>(), 1U) << "one look at a time";
    const auto seen = answer();
    session.clock += session.unseen / 2;
    EXPECT_FALSE(own.on_answer(seen));
    EXPECT_FALSE(own.asks());
    EXPECT_TRUE(own.is_fresh(session.event()));
    session.clock += session.unseen / 2;
    EXPECT_FALSE(own.is_fresh(session.event()))
        << "the answer's way is no time in which it was seen";
}

TEST_F(own_znode_watch_test, is_fresh_while_it_is_watched_on_this_connection) {
    own.watch(session.event(), k_path);
    EXPECT_FALSE(own.on_answer(answer()));
    session.clock += 10 * session.unseen;
    EXPECT_TRUE(own.is_fresh(session.event()));
    own.watch(session.event(), k_path);
    EXPECT_TRUE(session.open.empty()) << "it is watched already";
    ++session.connection_number;
    EXPECT_FALSE(own.is_fresh(session.event()));
    own.watch(session.event(), k_path);
    EXPECT_TRUE(own.sets_watch());
}

TEST_F(own_znode_watch_test, is_set_again_after_a_change_and_not_after_a_deletion) {
    own.watch(session.event(), k_path);
    EXPECT_FALSE(own.on_answer(answer()));
    EXPECT_FALSE(own.on_event(watch_kind::changed));
    EXPECT_FALSE(own.is_watched_on(session.connection_number));
    own.watch(session.event(), k_path);
    EXPECT_FALSE(own.on_answer(answer()));
    EXPECT_TRUE(own.on_event(watch_kind::deleted));
    EXPECT_FALSE(own.give_back()) << "the servers keep no watch on what is gone";
}

TEST_F(own_znode_watch_test, is_given_back_once) {
    own.watch(session.event(), k_path);
    EXPECT_FALSE(own.on_answer(answer()));
    EXPECT_TRUE(own.give_back());
    EXPECT_FALSE(own.give_back());
    EXPECT_FALSE(own.is_watched_on(session.connection_number));
}

TEST_F(own_znode_watch_test, of_a_znode_that_is_gone_was_never_set) {
    own.watch(session.event(), k_path);
    EXPECT_TRUE(own.on_answer(answer(server_error::no_node)));
    EXPECT_FALSE(own.give_back());
}

}  // namespace
}  // namespace turnstile::core
