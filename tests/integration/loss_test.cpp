// SPDX-License-Identifier: Apache-2.0
// Tests the loss of a session or a znode on a real server, for holders and waiters (promise G5 in docs/guarantees.md).
#include <future>
#include <mutex>
#include <vector>

#include "contract/probe.hpp"
#include "support.hpp"
#include "turnstile/tools/session_secret.hpp"
#include "zookeeper/coordinator.hpp"

namespace turnstile::tests {
namespace {

class loss : public ::testing::Test {
protected:
    const std::string path = lock_path();
    tcp_proxy proxy{server().connect_string(0)};
    std::unique_ptr<client> servers = connect(proxy.address());
    std::unique_ptr<client> observer = connect(server().connect_string());
    mutex lock{*servers, path};
    mutex theirs{*observer, path};

    void remove_by_hand(const std::string& znode) {
        const auto raw = zookeeper::make_coordinator(server().connect_string());
        contract::probe hand{*raw};
        EXPECT_EQ(hand.ask(core::remove_op{znode}).error, core::server_error::ok);
    }

    static client_options patient() {
        auto options = quick_options(60s);
        options.connection_timeout = testing::scaled(3s);
        return options;
    }

    void lose_session() {
        const auto id = servers->session().id;
        proxy.black_hole();
        testing::wait_until_expired(server(), id);
        proxy.cut();
        proxy.pass();
    }
};

// Another server answers, so the client leaves the silent connection and repeats its request at the other server. The
// client must do so long before two thirds of the session timeout have passed. The test does not wait that long.
TEST_F(loss, of_a_path_costs_the_connection_timeout_and_no_session) {
    tcp_proxy other{server().connect_string(0)};
    const auto moving = connect(proxy.address() + "," + other.address(), patient());
    mutex same{*moving, path};
    auto hold = same.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto before = moving->session();
    auto& silent = before.server == proxy.address() ? proxy : other;
    silent.black_hole();
    EXPECT_TRUE(hold->release(limit()));
    EXPECT_EQ(moving->session().id, before.id);
    EXPECT_NE(moving->session().server, before.server);
    silent.pass();
}

// The only server is alive, but a device between client and server has forgotten the connection.
TEST_F(loss, of_a_connection_to_the_only_server_costs_the_connection_timeout_and_no_session) {
    tcp_proxy only{server().connect_string(0)};
    const auto stranded = connect(only.address(), patient());
    mutex same{*stranded, path};
    auto hold = same.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto id = stranded->session().id;
    only.strand();
    EXPECT_TRUE(hold->release(limit()));
    EXPECT_EQ(stranded->session().id, id);
}

// No server answers, so the client would gain nothing if it left its server. The client asks the other servers, and
// keeps its connection and its session.
TEST_F(loss, of_all_paths_is_no_reason_to_leave_a_server) {
    const auto cut_off = connect(proxy.address(), patient());
    mutex same{*cut_off, path};
    auto hold = same.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto connections = proxy.accepted();
    proxy.black_hole();
    auto released = std::async(std::launch::async, [&] { return hold->release(limit()); });
    EXPECT_TRUE(eventually([&] { return proxy.accepted() >= connections + 2; }))
        << "two looks for another server";
    EXPECT_EQ(cut_off->state(), session_state::connected);
    proxy.pass();
    EXPECT_TRUE(released.get());
}

// Failure F12: some libraries never notify a holder of its loss. Here the old guard must be invalid before the next
// grant (promise G1).
TEST_F(loss, F12_a_holder_whose_session_expires_is_told_before_anybody_else_is_granted) {
    testing::event told;
    auto hold = lock.acquire({.timeout = limit(), .on_lost = [&](const error& why) {
                                  if (why == errc::session_lost) told.set();
                              }});
    ASSERT_TRUE(hold);
    auto next = std::async(std::launch::async, [&] {
        auto granted = theirs.acquire({.timeout = limit()});
        return std::pair{boottime_clock::now(), granted.has_value()};
    });
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    lose_session();
    const auto [granted_at, granted] = next.get();
    ASSERT_TRUE(granted);
    EXPECT_LT(hold->valid_until(), granted_at);
    EXPECT_FALSE(hold->valid());
    EXPECT_TRUE(told.wait());
    EXPECT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
    const auto released = hold->release(limit());
    ASSERT_FALSE(released);
    EXPECT_EQ(released.error(), errc::session_lost);
}

// Failures F1 and F2: the znode of the expired session must not lead to a grant.
TEST_F(loss, F1_F2_a_waiter_enters_again_with_its_new_session) {
    auto first = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(first);
    auto waiting = std::async(std::launch::async, [&] { return lock.acquire(); });
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    const auto old = queue_names(*observer, path).at(1);
    const auto old_session = servers->session();
    lose_session();
    ASSERT_TRUE(eventually([&] {
        const auto names = queue_names(*observer, path);
        return names.size() == 2 && names[1] != old;
    }));
    first->unlock();
    const auto hold = waiting.get();
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_GT(servers->session().epoch, old_session.epoch);
    EXPECT_NE(servers->session().id, old_session.id);
    EXPECT_EQ(theirs.holder().value()->session_id, servers->session().id);
}

TEST_F(loss, a_waiter_fails_with_its_session_if_the_option_says_so) {
    auto options = quick_options();
    options.waiters = session_loss_policy::fail;
    servers = connect(proxy.address(), options);
    mutex impatient{*servers, path};
    auto first = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(first);
    auto waiting = std::async(std::launch::async, [&] { return impatient.acquire(); });
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    lose_session();
    const auto outcome = waiting.get();
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error(), errc::session_lost);
}

// Failure F9: listeners must get every state in order, and must also get `lost`.
TEST_F(loss, F9_listeners_hear_every_step_in_order) {
    std::mutex guard_steps;
    std::vector<session_state> steps;
    const auto listening = servers->on_change([&](const session_change& step) {
        const std::lock_guard held{guard_steps};
        steps.push_back(step.to);
    });
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    proxy.refuse();
    ASSERT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
    proxy.accept();
    ASSERT_TRUE(eventually([&] { return servers->state() == session_state::connected; }));
    ASSERT_TRUE(eventually([&] {
        const std::lock_guard held{guard_steps};
        return !steps.empty() && steps.back() == session_state::connected;
    }));
    const std::lock_guard held{guard_steps};
    ASSERT_GE(steps.size(), 3U);
    EXPECT_EQ(steps[0], session_state::suspended);
    EXPECT_EQ(steps[1], session_state::lost);
}

// A lease ends before the servers expire its session. If the session continues after the end of the lease, the client
// must remove the hold's znode.
TEST_F(loss, a_session_that_outlives_its_lease_removes_its_own_znode) {
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    proxy.refuse();
    ASSERT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
    EXPECT_FALSE(hold->valid());
    proxy.accept();
    EXPECT_TRUE(becomes_empty(*observer, path));
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
}

// Promise G5: the library reports the deletion of the hold's znode at the event of the znode's watch, or at the next
// request that extends the hold's lease.
TEST_F(loss, a_holder_whose_znode_is_deleted_by_hand_is_told) {
    testing::event told;
    auto hold = lock.acquire({.timeout = limit(), .on_lost = [&](const error& why) {
                                  if (why == errc::removed) told.set();
                              }});
    ASSERT_TRUE(hold);
    remove_by_hand(hold->znode());
    EXPECT_TRUE(told.wait());
    EXPECT_FALSE(hold->valid());
    EXPECT_EQ(hold->release(limit()).error(), errc::removed);
}

// Failure F37: a waiter with a deleted znode must not be granted together with the next waiter.
TEST_F(loss, F37_a_waiter_whose_znode_is_deleted_by_hand_loses_its_place_only) {
    auto first = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(first);
    auto second = std::async(std::launch::async, [&] { return lock.acquire(); });
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    auto third = std::async(std::launch::async, [&] { return theirs.acquire(); });
    ASSERT_TRUE(becomes_size(*observer, path, 3));
    remove_by_hand(path + '/' + queue_names(*observer, path).at(1));
    ASSERT_TRUE(becomes_size(*observer, path, 3));  // the waiter is at the end of the queue now
    first->unlock();
    auto granted = third.get();
    ASSERT_TRUE(granted);
    EXPECT_EQ(second.wait_for(0s), std::future_status::timeout);
    const auto token = granted->fencing_token();
    granted->unlock();
    const auto last = second.get();
    ASSERT_TRUE(last);
    EXPECT_LT(token, last->fencing_token());
}

TEST_F(loss, a_session_closed_from_outside_is_noticed_and_replaced) {
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const auto session = servers->session();
    const auto secret = secret_of(*servers);
    EXPECT_EQ(secret.id, session.id);
    testing::close_session(server().connect_string(), secret.id, secret.password);
    EXPECT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
    EXPECT_FALSE(hold->valid());
    const auto again = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_GT(servers->session().epoch, session.epoch);
}

// Failure F8: a blocking callback must not keep the client from reconnecting.
TEST_F(loss, F8_a_callback_that_blocks_holds_up_nothing) {
    std::promise<void> release;
    testing::event blocked;
    const auto listening =
        servers->on_change([&, wait = release.get_future().share()](const session_change&) {
            blocked.set();
            wait.wait();
        });
    proxy.cut();
    ASSERT_TRUE(blocked.wait());
    EXPECT_TRUE(eventually([&] { return servers->state() == session_state::connected; }));
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    release.set_value();
}

// Failure F17: with kazoo, a non-blocking acquire during a suspended session leaves a znode behind.
TEST_F(loss, F17_a_call_while_suspended_ends_by_its_deadline_and_leaves_nothing) {
    proxy.refuse();
    ASSERT_TRUE(eventually([&] { return servers->state() != session_state::connected; }));
    const auto waited = lock.acquire({.timeout = 50ms});
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error(), errc::not_connected);
    EXPECT_NE(waited.error().message().find(proxy.address()), std::string::npos);
    const auto tried = lock.try_acquire({.timeout = 50ms});
    ASSERT_FALSE(tried);
    EXPECT_EQ(tried.error(), errc::not_connected);
    proxy.accept();
    ASSERT_TRUE(lock.acquire({.timeout = limit()})->release(limit()));
    EXPECT_TRUE(queue_names(*observer, path).empty());
}

TEST_F(loss, a_holder_is_told_that_it_is_at_risk_and_stays_valid_over_a_short_break) {
    testing::event at_risk;
    auto hold = lock.acquire({.timeout = limit(), .on_at_risk = [&](auto) { at_risk.set(); }});
    ASSERT_TRUE(hold);
    proxy.cut();
    EXPECT_TRUE(at_risk.wait());
    ASSERT_TRUE(eventually([&] { return servers->state() == session_state::connected; }));
    EXPECT_TRUE(hold->valid());
    EXPECT_EQ(theirs.holder().value()->token, hold->fencing_token());
}

// Failure F25: a callback closes the client while waits and requests are in progress.
TEST_F(loss, F25_a_client_can_be_closed_from_its_own_callback) {
    testing::event closed;
    auto hold = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    for (int i = 0; i != 50; ++i) lock.async_acquire({}, [](const result<guard>&) {});
    ASSERT_TRUE(becomes_size(*observer, path, 51));
    mutex free{*servers, path + "-free"};
    free.async_acquire({}, [&](const result<guard>&) {
        servers->close();
        closed.set();
    });
    EXPECT_TRUE(closed.wait());
    EXPECT_EQ(servers->state(), session_state::closed);
    EXPECT_TRUE(becomes_size(*observer, path, 1));
}

}  // namespace
}  // namespace turnstile::tests
