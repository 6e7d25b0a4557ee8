// SPDX-License-Identifier: Apache-2.0
// Tests a replica that becomes the master. With `?wait=N`, replicas have acknowledged every write that the library
// reports. Without it, the last writes are lost.
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

// The replica is gone. A client that requires the replica's acknowledgement must get no grant.
TEST_F(replica_of_redis, that_does_not_acknowledge_stops_the_locks) {
    const auto servers = connect(where, with_timeout(30s));
    const auto alone = connect(server.connect_string());
    mutex lock{*servers, path};
    ASSERT_TRUE(lock.acquire({.timeout = limit()}).has_value()) << "the folder is there";
    replica.pause();
    auto next = std::async(std::launch::async, [&] { return lock.acquire({.timeout = limit()}); });
    EXPECT_TRUE(eventually([&] { return servers->state() == session_state::suspended; }));
    EXPECT_EQ(next.wait_for(0s), std::future_status::timeout) << "not granted";
    EXPECT_TRUE((mutex{*alone, path + "/alone"}.acquire({.timeout = limit()}).has_value()));
    replica.resume();
    const auto granted = next.get();
    EXPECT_TRUE(granted) << granted.error().message();
}

// After the master is killed, the replica that becomes the master must have every write that was reported.
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

// A server with a replica. The test can cut the replica off, and can redirect the clients' connections to the replica.
class lagging_replica_of_redis : public on_redis {
protected:
    lagging_replica_of_redis() : on_redis{"repl-diskless-sync-delay 0\n"} {
        replica.start();
        EXPECT_TRUE(eventually([&] { return server.ask("WAIT 1 100") == ":1"; }));
    }

    // Cuts the replica off after it has received all earlier writes.
    void lag() {
        constexpr const char* k_last_write = "HGET {turnstile}:n z";
        EXPECT_TRUE(
            eventually([&] { return replica.ask(k_last_write) == server.ask(k_last_write); }));
        source.black_hole();
    }
    void take_over() {
        server.kill();
        source.refuse();
        EXPECT_EQ(replica.ask("REPLICAOF NO ONE"), "+OK");
        address.redirect(replica.address());
    }

    tcp_proxy source{server.address(), testing::traffic::bytes};
    redis_server replica{{.config = "replicaof 127.0.0.1 " + std::to_string(source.port())}};
    tcp_proxy address{server.address(), testing::traffic::bytes};
    const std::string where = "redis://" + address.address();
};

// The contender exists again on the new master. Its client has removed it once, and would not remove it again.
TEST_F(lagging_replica_of_redis, that_forgot_a_release_keeps_nobody_from_the_lock) {
    const auto servers = connect(where, with_timeout(1h));
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto token = hold->fencing_token();
    lag();
    ASSERT_TRUE(hold->release(limit()));
    take_over();
    const auto others = connect(where, with_timeout(1h));
    const auto next = mutex{*others, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_GT(next->fencing_token(), token);
}

// The new master lacks the holder's contender, so the holder must be notified of the loss.
TEST_F(lagging_replica_of_redis, that_forgot_a_grant_tells_the_holder) {
    const auto servers = connect(where, with_timeout(1h));
    mutex lock{*servers, path};
    ASSERT_TRUE(lock.acquire({.timeout = limit()}).has_value()) << "the folder is there";
    lag();
    const auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    take_over();
    EXPECT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
    const auto again = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_GT(again->fencing_token(), hold->fencing_token());
}

// The new master lacks the holder's last write, so it uses the same version numbers again. If the holder trusted a
// version from the old master, it could mistake an operator's write into the holder's znode for a write of the holder.
TEST_F(lagging_replica_of_redis, that_forgot_a_guarded_write_tells_the_holder) {
    const auto servers = connect(where, with_timeout(1h));
    auto hold = mutex{*servers, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto write = [&](const char* data) {
        return hold->commit(transaction{}.put(path + ".data", data), {.timeout = limit()});
    };
    ASSERT_TRUE(write("known")) << "the node is there: another write only sets it";
    lag();
    ASSERT_TRUE(write("forgotten"));
    take_over();
    EXPECT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
}

// The write's answer is lost, and the holder finds out that the write was executed. Then a new master without that
// write takes over.
TEST_F(lagging_replica_of_redis, that_forgot_a_guarded_write_which_was_found_out_tells_the_holder) {
    const auto servers = connect(where, with_timeout(1h));
    auto hold = mutex{*servers, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto data = path + ".data";
    ASSERT_TRUE(hold->commit(transaction{}.put(data, "known"), {.timeout = limit()}));
    lag();
    constexpr const char* k_last_write = "HGET {turnstile}:n z";
    const auto before = server.ask(k_last_write);
    address.black_hole(testing::direction::to_client);
    auto forgotten = std::async(std::launch::async, [&] {
        return hold->commit(transaction{}.set(data, "forgotten"), {.timeout = limit()});
    });
    ASSERT_TRUE(eventually([&] { return server.ask(k_last_write) != before; }));
    address.cut();
    address.pass();
    const auto found_out = forgotten.get();
    ASSERT_TRUE(found_out) << found_out.error().message();
    EXPECT_FALSE(hold->lost().stop_requested());
    take_over();
    EXPECT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
}

// The replica has all data of the session, so the session must continue.
TEST_F(lagging_replica_of_redis, that_forgot_nothing_of_a_session_goes_on_with_it) {
    const auto servers = connect(where, with_timeout(1h));
    const auto waiting = connect(where, with_timeout(1h));
    const auto busy = connect(where, with_timeout(1h));
    auto hold = mutex{*servers, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    mutex lock{*waiting, path};
    auto next = std::async(std::launch::async, [&] { return lock.acquire({.timeout = limit()}); });
    ASSERT_TRUE(becomes_size(*servers, path, 2));
    const auto sessions = std::pair{servers->session().id, waiting->session().id};
    mutex elsewhere{*busy, path + ".elsewhere"};
    ASSERT_TRUE(elsewhere.acquire({.timeout = limit()}).has_value()) << "the folder is there";
    lag();
    ASSERT_TRUE(elsewhere.acquire({.timeout = limit()}).has_value());
    take_over();
    ASSERT_TRUE(eventually([&] { return servers->state() == session_state::suspended; }));
    ASSERT_TRUE(eventually([&] { return servers->state() == session_state::connected; }));
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release(limit()));
    const auto granted = next.get();
    EXPECT_TRUE(granted) << granted.error().message();
    EXPECT_EQ((std::pair{servers->session().id, waiting->session().id}), sessions);
}

// A server becomes the replica of a server with older data, and then a master again. In between, no client sends a
// request, no connection breaks, and no timeout passes.
class master_again_of_redis : public on_redis {
protected:
    master_again_of_redis() : on_redis{"repl-diskless-sync-delay 0\n"} {}

    // Returns a connected client. It connects after the first replica, because the first replica changes the server's
    // replication id.
    std::unique_ptr<client> connected() {
        older.start();
        EXPECT_TRUE(eventually([&] { return server.ask("WAIT 1 100") == ":1"; }));
        return connect(server.connect_string(), with_timeout(1h));
    }

    // Waits until the replica `older` has all writes so far, and then stops its replication.
    void lag() {
        EXPECT_TRUE(eventually([&] { return last_write(older) == last_write(server); }));
        EXPECT_EQ(older.ask("REPLICAOF NO ONE"), "+OK");
    }
    void go_back() {
        EXPECT_NE(last_write(older), last_write(server));
        EXPECT_EQ(server.ask("REPLICAOF 127.0.0.1 " + std::to_string(older.port())), "+OK");
        EXPECT_TRUE(eventually([&] { return last_write(older) == last_write(server); }));
        EXPECT_EQ(server.ask("REPLICAOF NO ONE"), "+OK");
    }
    static std::string last_write(const redis_server& at) { return at.ask("HGET {turnstile}:n z"); }

    redis_server older{{.config = "repl-diskless-sync-delay 0\nreplicaof 127.0.0.1 " +
                                  std::to_string(server.port())}};
    std::unique_ptr<client> holder = connected();
    std::unique_ptr<client> other = connected();
    mutex lock{*holder, path};
    mutex others_lock{*other, path};
};

TEST_F(master_again_of_redis, that_forgot_a_release_keeps_nobody_from_the_lock) {
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto session = other->session().id;
    lag();
    ASSERT_TRUE(hold->release(limit()));
    go_back();
    const auto next = others_lock.acquire({.timeout = limit()});
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_GT(next->fencing_token(), hold->fencing_token());
    EXPECT_EQ(other->session().id, session) << "it was told nothing that was forgotten";
}

TEST_F(master_again_of_redis, that_forgot_a_grant_tells_the_holder) {
    ASSERT_TRUE(lock.acquire({.timeout = limit()}).has_value()) << "the folder is there";
    lag();
    const auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    go_back();
    const auto next = others_lock.acquire({.timeout = limit()});
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_TRUE(eventually([&] { return hold->lost().stop_requested(); }));
    EXPECT_GT(next->fencing_token(), hold->fencing_token());
}

}  // namespace
}  // namespace turnstile::tests
