// SPDX-License-Identifier: Apache-2.0
// Tests read_node() on a tree in memory. A program reads a znode before a transaction that depends on it.
#include <thread>
#include <utility>

#include "support.hpp"
#include "turnstile/node.hpp"
#include "turnstile/tools/request_count.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class read_node_test : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();
    mutex lock{*servers, "/lock"};
    guard hold = lock.acquire().value();
};

TEST_F(read_node_test, tells_the_data_and_the_version_that_a_set_needs) {
    hold.commit(transaction{}.create("/stock", "7")).value();
    EXPECT_EQ(read_node(*servers, "/stock").value(), (node{"7", 0, false}));
    hold.commit(transaction{}.set("/stock", "6", 0)).value();
    const auto now = read_node(*servers, "/stock").value();
    EXPECT_EQ(now, (node{"6", 1, false}));
    EXPECT_EQ(hold.commit(transaction{}.set("/stock", "5", now.version - 1)).error(),
              errc::bad_version);
    EXPECT_TRUE(hold.commit(transaction{}.set("/stock", "5", now.version)));
}

TEST_F(read_node_test, says_whether_a_node_goes_with_its_session) {
    EXPECT_TRUE(read_node(*servers, hold.znode()).value().ephemeral);
}

TEST_F(read_node_test, names_what_is_not_there) {
    const auto missing = read_node(*servers, "/nothing");
    EXPECT_EQ(missing.error(), errc::no_node);
    EXPECT_NE(missing.error().message().find("/nothing"), std::string::npos);
}

TEST_F(read_node_test, refuses_a_path_that_is_none) {
    EXPECT_EQ(read_node(*servers, "stock").error(), errc::bad_path);
}

TEST_F(read_node_test, ends_with_its_time_out) {
    faults.detach(servers->session().id);
    ASSERT_TRUE(eventually([&] { return servers->state() == session_state::suspended; }));
    EXPECT_FALSE(read_node(*servers, "/stock", {.timeout = 1ms}));
}

TEST_F(read_node_test, of_a_client_that_has_closed) {
    servers->close();
    EXPECT_EQ(read_node(*servers, "/stock").error(), errc::closed);
}

// ---- reads under a hold ---------------------------------------------------------------------

class held_read_test : public shell_test {
protected:
    // The numbers of requests and commits of one call. Each commit raises the version of the hold's znode by one.
    struct cost {
        std::uint64_t requests = 0;
        std::int32_t commits = 0;
        friend bool operator==(const cost&, const cost&) = default;
    };
    template <class Look>
    cost cost_of(const guard& hold, Look&& look) {
        const auto version = [&] { return read_node(*watcher, hold.znode()).value().version; };
        const auto commits = version();
        const auto requests = requests_sent(*servers);
        look();
        return {requests_sent(*servers) - requests, version() - commits};
    }
    void detach_and_attach() {
        const auto id = servers->session().id;
        faults.detach(id);
        ASSERT_TRUE(eventually([&] { return servers->state() == session_state::suspended; }));
        faults.attach(id);
        ASSERT_TRUE(eventually([&] { return servers->state() == session_state::connected; }));
    }

    // This session sends no request by itself during the test.
    std::unique_ptr<client> servers =
        connect({.session_timeout = 1h, .lease = {.confirm_every = 30min}});
    std::unique_ptr<client> watcher = connect();
    mutex lock{*servers, "/lock"};
    mutex theirs{*watcher, "/lock"};
};

TEST_F(held_read_test, sees_what_the_earlier_holder_wrote_at_the_price_of_a_read) {
    auto before = theirs.acquire(limit()).value();
    before.commit(transaction{}.create("/stock", "7")).value();
    result<guard> outcome{errc::closed};
    event told;
    lock.async_acquire(limit(), [&](result<guard> answer) {
        outcome = std::move(answer);
        told.set();
    });
    before.commit(transaction{}.set("/stock", "6", 0)).value();
    before.release(limit()).value();
    ASSERT_TRUE(told.wait());
    const auto& hold = outcome.value();
    EXPECT_EQ(cost_of(hold,
                      [&] {
                          EXPECT_EQ(read_node(hold, "/stock").value(), (node{"6", 1, false}));
                      }),
              (cost{1, 0}));
    EXPECT_EQ(read_node(hold, "/nothing").error(), errc::no_node);
    EXPECT_EQ(read_node(hold, "stock").error(), errc::bad_path);
}

TEST_F(held_read_test, of_another_connection_than_the_grants_follows_a_commit) {
    auto hold = lock.acquire(limit()).value();
    hold.commit(transaction{}.create("/stock", "7")).value();
    detach_and_attach();
    EXPECT_EQ(
        cost_of(hold, [&] { EXPECT_EQ(read_node(hold, "/stock").value().data, "7"); }).commits, 1);
}

TEST_F(held_read_test, of_a_hold_that_was_handed_over_in_the_process_follows_a_commit) {
    mutex shared{*servers, "/shared", {.cohort = 2}};
    const auto hold = shared.acquire(limit()).value();
    EXPECT_EQ(cost_of(hold, [&] { EXPECT_EQ(read_node(hold, "/nothing").error(), errc::no_node); })
                  .commits,
              1);
}

TEST_F(held_read_test, of_several_locks_in_one_session_is_a_read) {
    mutex other{*servers, "/other"};
    multi_lock both{lock, other};
    const auto hold = both.acquire(limit()).value();
    const auto requests = requests_sent(*servers);
    EXPECT_TRUE(read_node(hold, "/lock"));
    EXPECT_EQ(requests_sent(*servers) - requests, 1U);
}

TEST_F(held_read_test, goes_by_the_session_of_the_hold) {
    const auto two = connect({.sessions = 2});
    ASSERT_TRUE(eventually([&] {
        return two->session_count() == 2 && two->session(1).state == session_state::connected;
    }));
    const auto first = two->session(0).id;
    faults.detach(first);
    ASSERT_TRUE(eventually([&] { return two->state() == session_state::suspended; }));
    const auto hold = mutex{*two, "/second"}.acquire(limit()).value();
    EXPECT_FALSE(read_node(*two, "/second", {.timeout = 1ms})) << "that of the first session";
    EXPECT_TRUE(read_node(hold, "/second", {.timeout = limit()}));
}

TEST_F(held_read_test, ends_with_the_hold) {
    auto hold = lock.acquire(limit()).value();
    const auto id = servers->session().id;
    faults.set_traffic(id, local::traffic::stalls_after_server);
    std::thread expiry{[&] { faults.expire(id); }};
    EXPECT_EQ(read_node(hold, "/lock").error(), errc::session_lost);
    expiry.join();
    EXPECT_EQ(read_node(guard{}, "/lock").error(), errc::not_held);
}

TEST_F(held_read_test, of_a_majority_is_refused) {
    const client north{"local:" + fresh_tree()};
    const client west{"local:" + fresh_tree()};
    quorum_lock of_three{{{*servers, "east"}, {north, "north"}, {west, "west"}}, "/orders"};
    const auto hold = of_three.acquire(limit()).value();
    EXPECT_EQ(read_node(hold, "/orders").error(), errc::bad_option);
}

}  // namespace
}  // namespace turnstile::tests
