// SPDX-License-Identifier: Apache-2.0
// Tests locks when sentinels make a replica the master.
#include "turnstile/testing/redis_sentinel.hpp"

#include <future>
#include <iostream>
#include <system_error>
#include <vector>

#include "client/log_lines.hpp"
#include "redis_support.hpp"

namespace turnstile::tests {
namespace {

class sentinels_of_redis : public on_redis_servers {
protected:
    sentinels_of_redis() { servers.start(); }
    // The clients' log shows only the end of a failover, so a failed test also prints a sentinel's log.
    void TearDown() override {
        if (HasFailure()) std::cout << "the first sentinel's log:\n" << servers.sentinel(0).log();
    }

    // Waits until the replica has the hold's znode, so that a later loss of writes does not lose the hold.
    bool is_replicated(const guard& hold, std::size_t replica) {
        return eventually([&] {
            try {
                return servers.server(replica).ask("HEXISTS {turnstile}:n " + hold.znode()) == ":1";
            } catch (const std::system_error&) {
                return false;  // a master that becomes a replica closes its connections
            }
        });
    }
    // Keeps further writes from the replica, while the master continues.
    void cut_off_replicas() {
        auto& master = servers.server(servers.master());
        ASSERT_EQ(master.ask("ACL SETUSER default -psync -sync"), "+OK");
        ASSERT_EQ(master.ask("CLIENT KILL TYPE replica"), ":1");
    }
    static bool is_at(const client& session, const redis_server& server) {
        return eventually([&] {
            return session.session().server == server.address() &&
                   session.state() == session_state::connected;
        });
    }

    testing::redis_sentinel servers;
    const std::string where = servers.connect_string();
};

// A hold, a waiter and a guarded write must outlive the death of the master.
TEST_F(sentinels_of_redis, a_hold_and_a_waiter_outlive_a_master_that_dies) {
    const auto holding = connect(where, with_timeout(30s));
    const auto waiting = connect(where, with_timeout(30s));
    mutex lock{*holding, path};
    mutex same{*waiting, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    auto next = std::async(std::launch::async, [&] { return same.acquire({.timeout = limit()}); });
    ASSERT_TRUE(becomes_size(*holding, path, 2));
    ASSERT_TRUE(
        eventually([&] { return servers.server(1).ask("SCARD {turnstile}:c:" + path) == ":2"; }));
    const auto session = holding->session().id;
    servers.server(0).kill();
    ASSERT_TRUE(servers.wait_until_replaced(0));
    ASSERT_TRUE(is_at(*holding, servers.server(1)));
    EXPECT_EQ(holding->session().id, session);
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->commit(transaction{}.put(path + "/data", "x"), {.timeout = limit()}));
    EXPECT_TRUE(hold->release(limit()));
    const auto granted = next.get();
    EXPECT_TRUE(granted) << granted.error().message();
}

// The new master lacks the write that granted the lock. The holder must be notified, and the next grant must have a
// larger token.
TEST_F(sentinels_of_redis, a_holder_whose_grant_was_forgotten_is_told_and_tokens_grow) {
    const auto holding = connect(where, with_timeout(30s));
    const auto others = connect(where, with_timeout(30s));
    mutex lock{*holding, path};
    auto known = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(known);
    ASSERT_TRUE(is_replicated(*known, 1));
    ASSERT_TRUE(known->release(limit()));
    cut_off_replicas();
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_EQ(servers.server(1).ask("HEXISTS {turnstile}:n " + hold->znode()), ":0");
    servers.server(0).kill();
    ASSERT_TRUE(servers.wait_until_replaced(0));
    const auto next = mutex{*others, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_GT(next->fencing_token(), hold->fencing_token());
    EXPECT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
    EXPECT_FALSE(hold->commit(transaction{}.put(path + "/data", "x"), {.timeout = limit()}));
}

// The lost request was a confirmation, which extends the lease and changes no data. The new master has the hold. So the
// session must continue.
TEST_F(sentinels_of_redis, a_confirmation_that_was_forgotten_ends_no_session) {
    auto options = with_timeout(30s);
    options.lease.confirm_every = 100ms;
    const auto holding = connect(where, options);
    mutex lock{*holding, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto session = holding->session().id;
    ASSERT_TRUE(is_replicated(*hold, 1));
    cut_off_replicas();
    const auto latest = [&](std::size_t server) {
        return servers.server(server).ask("HGET {turnstile}:n z");
    };
    ASSERT_TRUE(eventually([&] { return latest(0) != latest(1); }))
        << "a confirmation was carried out";
    servers.server(0).kill();
    ASSERT_TRUE(servers.wait_until_replaced(0));
    ASSERT_TRUE(is_at(*holding, servers.server(1)));
    EXPECT_EQ(holding->session().id, session);
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release(limit()));
}

// With `wait`, the library reports a grant when the replica has it.
TEST_F(sentinels_of_redis, nothing_that_was_told_with_wait_is_forgotten) {
    const auto safe = servers.connect_string("", "?wait=1");
    const auto holding = connect(safe, with_timeout(30s));
    mutex lock{*holding, path};
    ASSERT_TRUE(lock.acquire({.timeout = limit()}).has_value()) << "the folder is there";
    cut_off_replicas();
    auto next = std::async(std::launch::async, [&] { return lock.acquire({.timeout = limit()}); });
    EXPECT_TRUE(eventually([&] { return holding->state() == session_state::suspended; }));
    EXPECT_EQ(next.wait_for(0s), std::future_status::timeout) << "not granted";
    servers.server(0).kill();
    ASSERT_TRUE(servers.wait_until_replaced(0));
    servers.server(0).start();  // a sentinel notices this server and makes it a replica
    const auto granted = next.get();
    ASSERT_TRUE(granted) << granted.error().message();
    EXPECT_EQ(servers.server(1).ask("HEXISTS {turnstile}:n " + granted->znode()), ":1");
}

TEST_F(sentinels_of_redis, a_failover_by_hand_keeps_the_session) {
    const auto holding = connect(where, with_timeout(30s));
    mutex lock{*holding, path};
    for (int i = 0; i != 2; ++i) {
        auto hold = lock.acquire({.timeout = limit()});
        ASSERT_TRUE(hold) << hold.error().message();
        const auto session = holding->session().id;
        const auto other = 1 - servers.master();
        ASSERT_TRUE(is_replicated(*hold, other));
        ASSERT_EQ(servers.fail_over(), other);
        ASSERT_TRUE(is_at(*holding, servers.server(other)));
        EXPECT_EQ(holding->session().id, session);
        EXPECT_TRUE(hold->valid());
        EXPECT_TRUE(hold->release(limit()));
    }
}

// The old master does not notice that it is replaced, and still answers. So the client must ask the sentinels.
TEST_F(sentinels_of_redis, a_master_that_does_not_know_of_its_end_is_left) {
    const auto holding = connect(where, with_timeout(30s));
    mutex lock{*holding, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    ASSERT_TRUE(is_replicated(*hold, 1));
    auto& old = servers.server(0);
    ASSERT_EQ(old.ask("ACL SETUSER default -replicaof -slaveof"), "+OK");
    ASSERT_EQ(servers.fail_over(), 1U);
    EXPECT_TRUE(is_at(*holding, servers.server(1)));
    EXPECT_NE(old.ask("INFO replication").find("role:master"), std::string::npos);
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release(limit()));
}

// The client attached while only one sentinel ran. At the failover that sentinel is down.
TEST_F(sentinels_of_redis, sentinels_that_come_back_are_asked_too) {
    for (std::size_t i : {1U, 2U}) servers.sentinel(i).stop();
    const auto holding = connect(where, with_timeout(30s));
    auto hold = mutex{*holding, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    ASSERT_TRUE(is_replicated(*hold, 1));
    for (std::size_t i : {1U, 2U}) servers.sentinel(i).start();
    servers.sentinel(0).stop();
    ASSERT_EQ(servers.server(0).ask("ACL SETUSER default -replicaof -slaveof"), "+OK");
    ASSERT_EQ(servers.fail_over(), 1U);
    EXPECT_TRUE(is_at(*holding, servers.server(1)));
    EXPECT_TRUE(hold->valid());
}

// The client asks repeatedly, but must log the sentinel's refusal once. The other sentinels' answers still count.
TEST_F(sentinels_of_redis, that_refuse_behind_the_attach_are_in_the_log) {
    if (!has_redis_version(6, 2)) GTEST_SKIP() << "sentinels have the command ACL since Redis 6.2";
    const log_lines log;
    const auto session = connect(where, with_timeout(3s));
    auto& refusing = servers.sentinel(1);
    const auto words = "sentinel " + refusing.address() + ": SENTINEL MASTER locks: NOPERM";
    const auto refusals = [&] {
        constexpr std::string_view k_count = "total_error_replies:";
        const auto said = refusing.ask("INFO stats");
        return std::stoi(said.substr(said.find(k_count) + k_count.size()));
    };
    ASSERT_EQ(refusing.ask("ACL SETUSER default -sentinel|master"), "+OK");
    ASSERT_TRUE(eventually([&] { return log.with(words) == 1; }));
    const int first = refusals();
    EXPECT_TRUE(eventually([&] { return refusals() > first + 1; })) << "it is asked again";
    ASSERT_EQ(servers.server(0).ask("ACL SETUSER default -replicaof -slaveof"), "+OK");
    ASSERT_EQ(servers.fail_over(), 1U);
    EXPECT_TRUE(is_at(*session, servers.server(1)));
    EXPECT_EQ(log.with(words), 1);
}

// A sentinel missed the failover, and names the old master, which still serves clients.
TEST_F(sentinels_of_redis, the_latest_of_several_answers_counts) {
    redis_server stranger;
    stranger.start();
    redis_server stale{
        {.config = "sentinel monitor locks 127.0.0.1 " + std::to_string(stranger.port()) + " 2\n",
         .sentinel = true}};
    stale.start();
    ASSERT_EQ(servers.fail_over(), 1U);
    const auto address = stale.address();
    const auto first = "redis+sentinel://" + address + ',' + where.substr(where.rfind("//") + 2);
    const auto session = connect(first);
    EXPECT_EQ(session->session().server, servers.server(1).address());
}

// Most sentinels missed the failover, and answer first. The client must not return to the old master that they name.
TEST_F(sentinels_of_redis, a_master_that_was_left_is_not_gone_back_to) {
    redis_server stranger;
    stranger.start();
    std::vector<std::unique_ptr<redis_server>> stale;
    std::string all = "redis+sentinel://";
    for (int i = 0; i != 2; ++i) {
        stale.push_back(std::make_unique<redis_server>(testing::redis_server_options{
            .config =
                "sentinel monitor locks 127.0.0.1 " + std::to_string(stranger.port()) + " 2\n",
            .sentinel = true}));
        stale.back()->start();
        all += stale.back()->address() + ',';
    }
    ASSERT_EQ(servers.fail_over(), 1U);
    tcp_proxy knows{servers.sentinel(0).address()};
    knows.refuse();
    const log_lines log;
    const auto session = connect(all + knows.address() + "/locks", with_timeout(6s));
    ASSERT_EQ(session->session().server, stranger.address());
    knows.delay(testing::direction::to_client, 100ms);
    knows.accept();
    EXPECT_TRUE(is_at(*session, servers.server(1)));
    EXPECT_EQ(log.with("the sentinels have made "), 1);
}

// No program listens at the first sentinel's address. The second sentinel accepts connections and never answers.
TEST_F(sentinels_of_redis, sentinels_that_are_away_are_passed_over) {
    const auto session = connect(where, with_timeout(30s));
    servers.sentinel(0).kill();
    servers.sentinel(1).pause();
    const auto late = connect(where, with_timeout(30s));
    EXPECT_TRUE((mutex{*late, path}.acquire({.timeout = limit()}).has_value()));
    for (std::size_t i = 0; i != servers.sentinel_count(); ++i) servers.sentinel(i).kill();
    EXPECT_TRUE((mutex{*session, path + "/known"}.acquire({.timeout = limit()}).has_value()))
        << "a session at the master needs no sentinel";
}

// The sentinel names a replica. The replica reports its role, so the client asks the sentinel again.
TEST_F(sentinels_of_redis, a_server_that_is_no_master_is_not_taken_for_it) {
    const log_lines log;
    redis_server stale{{.config = "sentinel monitor other 127.0.0.1 " +
                                  std::to_string(servers.server(1).port()) + " 2\n",
                        .sentinel = true}};
    stale.start();
    client early{"redis+sentinel://" + stale.address() + "/other", with_timeout(30s)};
    EXPECT_TRUE(
        eventually([&] { return log.with("the server is a replica, and takes no writes") > 0; }));
    ASSERT_EQ(servers.fail_over(), 1U);
    EXPECT_TRUE(early.wait_connected(limit()));
}

TEST_F(sentinels_of_redis, promise_what_a_replica_keeps) {
    servers.server(1).kill();
    auto& master = servers.server(0);
    ASSERT_EQ(master.ask("CONFIG SET appendonly yes"), "+OK");
    ASSERT_EQ(master.ask("CONFIG SET appendfsync always"), "+OK");
    const auto session = connect(where);
    EXPECT_TRUE(eventually(
        [&] { return master.ask("INFO replication").find("slaves:0") != std::string::npos; }));
    EXPECT_EQ(session->promises().exclusion, exclusion_promise::best_effort);
    EXPECT_EQ(session->promises().failover, failover_promise::loses_writes);
}

}  // namespace
}  // namespace turnstile::tests
