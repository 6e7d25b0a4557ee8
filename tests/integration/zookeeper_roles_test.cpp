// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "session_recorder.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/tcp_proxy.hpp"
#include "zookeeper/raw_session.hpp"

namespace turnstile::tests::zookeeper_seam {
namespace {

using namespace core;
using testing::direction;
using testing::ensemble;
using testing::eventually;
using testing::frame;
using testing::frame_kind;
using testing::tcp_proxy;
using testing::verdict;
namespace opcode = testing::opcode;

session_settings with_roles() {
    session_settings settings = recorder_settings();
    settings.detect_role = true;
    return settings;
}

// Moves the session to the leader, and stores the number of its connection to the leader in `connection`.
void go_to_leader(session_recorder& me, std::uint64_t& connection) {
    while (me.link(link_kind::role_known, connection).role != server_role::leader)
        me.session().seek_leader(connection++);
}

class zookeeper_roles : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        servers_ = std::make_unique<ensemble>(testing::ensemble_options{.count = 3});
    }
    static void TearDownTestSuite() { servers_.reset(); }

    static std::unique_ptr<ensemble> servers_;
};
std::unique_ptr<ensemble> zookeeper_roles::servers_;

TEST_F(zookeeper_roles, each_server_tells_its_own) {
    session_recorder leader{servers_->connect_string(*servers_->leader()), with_roles()};
    EXPECT_EQ(leader.link(link_kind::role_known).role, server_role::leader);
    session_recorder follower{servers_->connect_string(*servers_->follower()), with_roles()};
    EXPECT_EQ(follower.link(link_kind::role_known).role, server_role::follower);
}

// The test opens several sessions. The C client chooses the first server at random, so some of the sessions must move.
TEST_F(zookeeper_roles, a_session_moves_to_the_leader_with_its_watches_and_requests) {
    session_recorder other{servers_->connect_string(*servers_->follower())};
    other.attached();
    other.ask(create_op{"/moves"});
    for (int i = 0; i < 6; ++i) {
        session_recorder me{servers_->connect_string(), with_roles()};
        const link_event first = me.attached();
        me.ask(get_op{"/moves", watch_mode::watch});
        std::uint64_t connection = 1;
        go_to_leader(me, connection);
        EXPECT_LE(connection, 2U);
        const link_event last = me.attached(connection);
        EXPECT_EQ(last.session_id, first.session_id);
        EXPECT_EQ(last.server, servers_->connect_string(*servers_->leader()));
        other.ask(set_op{"/moves", std::to_string(i)});
        EXPECT_EQ(me.watch("/moves").kind, watch_kind::changed);
        EXPECT_EQ(me.ask(get_op{"/moves"}).data, std::to_string(i));
    }
}

// While the session moves, requests continue. Each must get one reply, in order.
TEST_F(zookeeper_roles, a_busy_session_moves_too) {
    session_recorder other{servers_->connect_string(*servers_->leader())};
    other.attached();
    other.ask(create_op{"/busy"});
    for (int i = 0; i < 4; ++i) {
        session_recorder me{servers_->connect_string(), with_roles()};
        me.attached();
        std::vector<ticket> tickets;
        std::uint64_t sought = 0;
        const auto leads = [&] {
            const auto links = me.heard<link_event>();
            if (links.empty() || links.back().kind != link_kind::role_known) return false;
            const auto& last = links.back();
            if (last.role == server_role::leader) return true;
            if (std::exchange(sought, last.connection) != last.connection)
                me.session().seek_leader(last.connection);
            return false;
        };
        const testing::test_deadline until;
        while (!leads() && !until.passed()) {
            for (int n = 0; n < 3; ++n) tickets.push_back(me.submit(set_op{"/busy"}));
            me.wait(tickets[tickets.size() - 2]);  // so that a request is always in progress
        }
        me.wait(tickets.back());
        EXPECT_TRUE(leads());
        const auto replies = me.heard<reply>();
        ASSERT_EQ(replies.size(), tickets.size());
        for (std::size_t n = 0; n < tickets.size(); ++n) {
            EXPECT_EQ(replies[n].id, tickets[n]);
            EXPECT_NE(replies[n].outcome, outcome::unknown);
        }
    }
}

// A proxy that makes a server refuse create2 as unknown. The client then creates a znode with two requests, and the
// session must not move between these requests.
class older_server_of_three {
public:
    explicit older_server_of_three(const std::string& server) : proxy{server} {
        proxy.filter(direction::to_server, [](frame& f) {
            if (f.is(frame_kind::request, opcode::create2)) f.rewrite_opcode(opcode::unknown);
            return verdict::forward;
        });
    }
    tcp_proxy proxy;
};

TEST_F(zookeeper_roles, a_create_of_two_requests_is_finished_before_the_move) {
    older_server_of_three leader{servers_->connect_string(*servers_->leader())};
    older_server_of_three follower{servers_->connect_string(*servers_->follower())};
    const auto where = leader.proxy.address() + "," + follower.proxy.address();
    std::unique_ptr<session_recorder> me;
    // The first request to create a znode breaks the connection, usually after the answer. The C client then connects
    // to another server.
    link_event there;
    do {
        me = std::make_unique<session_recorder>(where, with_roles());
        me->attached();
        const bool refused = me->ask(create_op{"/two"}).outcome == outcome::not_sent;
        there = me->attached(2);
        if (!refused) there = {};
    } while (there.server != follower.proxy.address());
    EXPECT_EQ(me->link(link_kind::role_known, 2).role, server_role::follower);
    follower.proxy.filter(direction::to_client, [](frame& f) {
        return f.is(frame_kind::reply, opcode::create) ? verdict::hold : verdict::forward;
    });
    const auto create = me->submit(create_op{"/two"});
    ASSERT_TRUE(eventually([&] { return follower.proxy.held() == 1; }));
    const auto asked = leader.proxy.accepted();
    me->session().seek_leader(there.connection);
    // The client asks the leader for its role, while the request to create a znode has no answer.
    ASSERT_TRUE(eventually(
        [&] { return leader.proxy.accepted() > asked && leader.proxy.connections() == 0; }));
    follower.proxy.filter(direction::to_client, {});
    follower.proxy.release_held();
    const auto answer = me->wait(create);
    EXPECT_EQ(answer.outcome, outcome::answered);
    EXPECT_EQ(answer.error, server_error::ok);
    EXPECT_GT(answer.stat.czxid, 0);
    EXPECT_EQ(me->attached(3).server, leader.proxy.address());
}

TEST_F(zookeeper_roles, a_session_follows_a_new_leader) {
    session_recorder me{servers_->connect_string(), with_roles()};
    std::uint64_t connection = 1;
    go_to_leader(me, connection);
    const std::size_t old = *servers_->leader();
    const std::int64_t id = me.session().identity().id;
    servers_->kill(old);
    ++connection;
    go_to_leader(me, connection);
    const link_event now = me.attached(connection);
    EXPECT_EQ(now.session_id, id);
    EXPECT_NE(now.server, servers_->connect_string(old));
    servers_->start(old);
    servers_->wait_until_serving();
}

// Without a majority, a server opens only local sessions, and only if its configuration allows them.
TEST(zookeeper_read_only, a_server_without_a_majority_takes_no_writes) {
    ensemble servers{
        {.count = 3,
         .config_lines = {"localSessionsEnabled=true", "localSessionsUpgradingEnabled=true"},
         .system_properties = {{"readonlymode.enabled", "true"}}}};
    session_settings settings = recorder_settings();
    settings.allow_read_only = true;
    servers.kill(0);
    servers.kill(1);
    // A read-only server accepts no existing session, so this session is new.
    ASSERT_TRUE(testing::eventually([&] { return servers.server(2).mode() == "read-only"; }));
    session_recorder me{servers.connect_string(2), settings};
    const link_event cut_off = me.link(link_kind::attached_read_only);
    // On a busy machine the connection may break. The test then sends the request again.
    const auto ask = [&me](const operation& operation) {
        reply answer = me.ask(operation);
        while (answer.outcome != outcome::answered) answer = me.ask(operation);
        return answer.error;
    };
    EXPECT_EQ(ask(exists_op{"/"}), server_error::ok);
    EXPECT_EQ(ask(create_op{"/read_only"}), server_error::not_read_only);
    servers.start(0);
    servers.start(1);
    // The client now gets a real session. Its id differs from the read-only session's id.
    const link_event attached = me.link(link_kind::attached);
    EXPECT_NE(attached.session_id, cut_off.session_id);
    EXPECT_EQ(ask(create_op{"/read_only"}), server_error::ok);
    // The client has checked the new session's znodes and created the session's mark, an ephemeral znode which shows
    // that a client uses the session.
    EXPECT_EQ(ask(exists_op{zookeeper::mark_of(attached.session_id)}), server_error::ok);
}

}  // namespace
}  // namespace turnstile::tests::zookeeper_seam
