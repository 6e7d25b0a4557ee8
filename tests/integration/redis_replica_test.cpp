// SPDX-License-Identifier: Apache-2.0
// `?wait=N`: what is told has been acknowledged by replicas.
#include <future>

#include "redis_support.hpp"

namespace turnstile::tests {
namespace {

class replica_of_redis : public on_redis {
protected:
    replica_of_redis() : on_redis{"repl-diskless-sync-delay 0\n"} {
        replica.start();
        EXPECT_TRUE(eventually([&] { return server.ask("WAIT 1 100") == ":1"; }));
    }

    redis_server replica{{.config = "replicaof 127.0.0.1 " + std::to_string(server.port())}};
    const std::string where = server.connect_string() + "?wait=1";
};

TEST_F(replica_of_redis, has_what_a_holder_was_told) {
    const auto servers = connect(where);
    mutex lock{*servers, path};
    for (int i = 0; i != 20; ++i) {
        auto hold = lock.acquire({.timeout = limit()});
        ASSERT_TRUE(hold) << hold.error().message();
        EXPECT_EQ(replica.ask("HEXISTS {turnstile}:n " + hold->znode()), ":1");
        const auto znode = hold->znode();
        ASSERT_TRUE(hold->release(limit()));
        EXPECT_EQ(replica.ask("HEXISTS {turnstile}:n " + znode), ":0");
    }
}

// The server goes on, and alone: no client that waits for a replica is granted anything.
TEST_F(replica_of_redis, that_does_not_acknowledge_stops_the_locks) {
    const auto servers = connect(where, with_timeout(30s));
    const auto alone = connect(server.connect_string());
    mutex lock{*servers, path};
    ASSERT_TRUE(lock.acquire({.timeout = limit()})) << "the folder is there";
    replica.pause();
    auto next = std::async(std::launch::async, [&] { return lock.acquire({.timeout = limit()}); });
    EXPECT_TRUE(eventually([&] { return servers->state() == session_state::suspended; }));
    EXPECT_EQ(next.wait_for(0s), std::future_status::timeout) << "not granted";
    EXPECT_TRUE((mutex{*alone, path + "/alone"}.acquire({.timeout = limit()})));
    replica.resume();
    const auto granted = next.get();
    EXPECT_TRUE(granted) << granted.error().message();
}

// It hears of nothing from here on, and has what was told before.
TEST_F(replica_of_redis, goes_on_as_the_master_with_all_that_was_told) {
    auto servers = connect(where, with_timeout(20s));
    const auto hold = mutex{*servers, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    server.kill();
    EXPECT_EQ(replica.ask("REPLICAOF NO ONE"), "+OK");
    const auto others = connect(replica.connect_string());
    EXPECT_EQ(queue_length(*others, path), 1U);
    EXPECT_EQ((mutex{*others, path}.try_acquire().error()), errc::busy);
}

}  // namespace
}  // namespace turnstile::tests
