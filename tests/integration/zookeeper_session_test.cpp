// SPDX-License-Identifier: Apache-2.0
// Tests a session with the C client when the network or the server fails. The contract suite (tests/contract) has the
// tests without failures.
#include <algorithm>
#include <map>
#include <string>

#include "zookeeper_session_fixture.hpp"

namespace turnstile::tests::zookeeper_seam {
namespace {

TEST_F(zookeeper_session, a_reconnect_keeps_the_session_and_counts_the_connection) {
    session_recorder me{proxy_.address()};
    const link_event first = me.attached();
    EXPECT_EQ(first.connection, 1U);
    EXPECT_NE(first.session_id, 0);
    EXPECT_EQ(first.timeout, std::chrono::seconds{10});
    EXPECT_EQ(first.server, proxy_.address());
    EXPECT_EQ(me.session().identity().id, first.session_id);
    EXPECT_EQ(me.ask(exists_op{"/"}).connection, 1U);

    proxy_.cut();
    const link_event second = me.attached(2);
    EXPECT_EQ(second.connection, 2U);
    EXPECT_EQ(second.session_id, first.session_id);
    EXPECT_EQ(me.ask(exists_op{"/"}).connection, 2U);

    std::vector<link_kind> kinds;
    for (const auto& e : me.heard<link_event>()) kinds.push_back(e.kind);
    EXPECT_THAT(kinds, ElementsAre(link_kind::attached, link_kind::detached, link_kind::attached));
}

TEST_F(zookeeper_session, a_lost_reply_is_unknown_and_carries_the_connection_that_lost_it) {
    session_recorder me{proxy_.address()};
    me.attached();
    lose_reply(opcode::create2);
    const auto before = boottime_clock::now();
    const reply lost = me.ask(create_op{path()});
    EXPECT_EQ(lost.outcome, outcome::unknown);
    EXPECT_EQ(lost.connection, 1U);
    EXPECT_GE(lost.sent, before);
    lose_nothing();
    me.attached(2);
    EXPECT_EQ(me.ask(create_op{path()}).error, server_error::node_exists);
}

TEST_F(zookeeper_session, all_that_is_under_way_is_unknown_after_the_detach_and_in_order) {
    session_recorder me{proxy_.address()};
    me.attached();
    hold_replies(opcode::exists);
    std::vector<ticket> tickets;
    for (int i = 0; i < 100; ++i) tickets.push_back(me.submit(exists_op{"/"}));
    // The client refuses this request without sending it. The refusal must not overtake replies to earlier requests.
    tickets.push_back(me.submit(get_op{"no slash"}));
    tickets.push_back(me.submit(exists_op{"/"}));
    EXPECT_TRUE(eventually([&] { return proxy_.held() > 0; }));
    EXPECT_THAT(me.heard<reply>(), IsEmpty());
    proxy_.cut();
    me.wait(tickets.back());

    std::vector<ticket> answered;
    bool detached = false;
    for (const auto& event : me.heard()) {
        if (const auto* link = std::get_if<link_event>(&event)) {
            detached = detached || link->kind == link_kind::detached;
        } else if (const auto* r = std::get_if<reply>(&event)) {
            EXPECT_TRUE(detached);
            answered.push_back(r->id);
            const bool refused = r->id == tickets[100];
            EXPECT_EQ(r->outcome, refused ? outcome::answered : outcome::unknown);
            EXPECT_EQ(r->error, refused ? server_error::bad_arguments : server_error::ok);
        }
    }
    EXPECT_EQ(answered, tickets);
}

TEST_F(zookeeper_session, nothing_is_sent_while_it_is_detached) {
    session_recorder me{proxy_.address()};
    me.attached();
    proxy_.refuse();
    me.link(link_kind::detached);
    const ticket first = me.submit(create_op{path()});
    const ticket second = me.submit(get_op{path(), watch_mode::watch});
    EXPECT_EQ(me.wait(second).outcome, outcome::not_sent);
    EXPECT_EQ(me.wait(first).outcome, outcome::not_sent);
    std::vector<ticket> answered;
    for (const auto& r : me.heard<reply>()) answered.push_back(r.id);
    EXPECT_THAT(answered, ElementsAre(first, second));
    proxy_.accept();
    me.attached(2);
    EXPECT_EQ(me.ask(exists_op{path()}).error, server_error::no_node);
}

TEST_F(zookeeper_session, watch_events_carry_the_connection_on_which_they_arrived) {
    session_recorder me{proxy_.address()};
    session_recorder other{servers().connect_string()};
    me.attached();
    me.ask(create_op{path()});
    me.ask(get_op{path(), watch_mode::watch});
    proxy_.refuse();
    me.link(link_kind::detached);
    other.attached();
    other.ask(remove_op{path()});
    proxy_.accept();
    const watch_event missed = me.watch(path());
    EXPECT_EQ(missed.kind, watch_kind::deleted);
    EXPECT_EQ(missed.connection, 2U);
}

TEST_F(zookeeper_session, a_forgotten_watch_is_gone_here_and_at_the_server) {
    session_recorder me{proxy_.address()};
    me.attached();
    me.ask(create_op{path()});
    const auto before = server_watches();
    me.ask(get_op{path(), watch_mode::watch});
    EXPECT_EQ(server_watches(), before + 1);
    me.session().forget_watches(path());
    me.ask(exists_op{"/"});
    EXPECT_EQ(server_watches(), before);
    // The C client must not set the removed watch again on the next connection.
    proxy_.reset_counters();
    proxy_.cut();
    me.attached(2);
    me.ask(exists_op{"/"});
    EXPECT_EQ(proxy_.requests(opcode::set_watches) + proxy_.requests(opcode::set_watches2), 0U);
    EXPECT_EQ(server_watches(), before);
}

TEST_F(zookeeper_session, a_watch_may_be_forgotten_before_it_is_set) {
    session_recorder me{proxy_.address()};
    me.attached();
    me.ask(create_op{path()});
    me.ask(create_op{path() + "/y"});
    const auto before = server_watches();
    hold_replies(opcode::get_data);
    const ticket got = me.submit(get_op{path(), watch_mode::watch});
    const ticket missed = me.submit(exists_op{path() + "/x", watch_mode::watch});
    const ticket listed = me.submit(children_op{path() + "/y", watch_mode::watch});
    me.session().forget_watches(path());
    me.session().forget_watches(path() + "/x");
    me.session().forget_watches(path() + "/y");
    EXPECT_TRUE(eventually([&] { return server_watches() == before + 3; }));
    lose_nothing();
    proxy_.release_held();
    EXPECT_EQ(me.wait(got).error, server_error::ok);
    EXPECT_EQ(me.wait(missed).error, server_error::no_node);
    EXPECT_EQ(me.wait(listed).error, server_error::ok);
    me.ask(exists_op{"/"});
    EXPECT_EQ(server_watches(), before);
}

TEST_F(zookeeper_session, a_watch_that_is_asked_for_again_stays) {
    session_recorder me{proxy_.address()};
    me.attached();
    me.ask(create_op{path()});
    hold_replies(opcode::get_data);
    me.submit(get_op{path(), watch_mode::watch});
    me.session().forget_watches(path());
    const ticket again = me.submit(get_op{path(), watch_mode::watch});
    lose_nothing();
    proxy_.release_held();
    me.wait(again);
    me.ask(set_op{path(), "x"});
    EXPECT_EQ(me.watch(path()).kind, watch_kind::changed);
}

TEST_F(zookeeper_session, a_watch_whose_removal_was_lost_is_removed_after_the_reconnect) {
    session_recorder me{proxy_.address()};
    me.attached();
    me.ask(create_op{path()});
    const auto before = server_watches();
    me.ask(get_op{path(), watch_mode::watch});
    proxy_.filter(direction::to_server, [](frame& f) {
        return f.is(frame_kind::request, opcode::remove_watches) ? verdict::cut_connection
                                                                 : verdict::forward;
    });
    me.session().forget_watches(path());
    me.link(link_kind::detached);
    proxy_.filter(direction::to_server, {});
    me.attached(2);
    // The C client sets its watches again before it sends other requests. So when this answer arrives, the server has
    // the watch again.
    me.ask(exists_op{"/"});
    // The client removes the watch at some time after the attach, so the test waits for the removal.
    EXPECT_TRUE(eventually([&] { return server_watches() == before; }));
}

TEST_F(zookeeper_session, a_watch_that_is_forgotten_while_detached_is_removed_after_the_reconnect) {
    session_recorder me{proxy_.address()};
    me.attached();
    me.ask(create_op{path()});
    const auto before = server_watches();
    me.ask(get_op{path(), watch_mode::watch});
    proxy_.refuse();
    me.link(link_kind::detached);
    me.session().forget_watches(path());
    proxy_.accept();
    me.attached(2);
    // The C client sets the watch again before it sends this request. So when the answer arrives, the server has the
    // watch again.
    me.ask(exists_op{"/"});
    // The client removes the watch at some time after the attach, so the test waits for the removal.
    EXPECT_TRUE(eventually([&] { return server_watches() == before; }));
}

}  // namespace
}  // namespace turnstile::tests::zookeeper_seam
