// SPDX-License-Identifier: Apache-2.0
// What a client finds out about a server that does not say what it is: a proxy takes away from ZooKeeper what others
// that speak its protocol do not know.
#include <gmock/gmock.h>

#include <atomic>
#include <string>

#include "contract/probe.hpp"
#include "support.hpp"
#include "zookeeper/coordinator.hpp"

namespace turnstile::tests {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

// A client that may not ask for `srvr`, as behind a load balancer.
client_options silent_options() {
    auto options = quick_options();
    options.roles = role_detection::off;
    return options;
}

class foreign_server : public ::testing::Test {
protected:
    tcp_proxy proxy{server().connect_string(0)};
    std::atomic<int> containers{0};  // that were to be created
    std::atomic<int> multis{0};

    // `other` says what becomes of a request for a container.
    void see_containers(std::function<verdict(frame&)> other) {
        proxy.filter(direction::to_server, [this, other = std::move(other)](frame& f) {
            if (f.is(frame_kind::request, opcode::multi)) ++multis;
            if (!f.is(frame_kind::request, opcode::create_container)) return verdict::forward;
            ++containers;
            return other(f);
        });
    }
    // Every lock's folder is there, so that the client makes no containers for its own sake.
    std::string folder() const {
        const auto path = lock_path();
        const auto observer = connect(server().connect_string());
        mutex first{*observer, path};
        EXPECT_TRUE(first.acquire({.timeout = limit()})->release(limit()));
        return path;
    }
    // Once the server is known: the next confirmation counts by it.
    static bool rests_on(guard& hold, lease_evidence evidence) {
        return eventually([&] {
            static_cast<void>(hold.commit(transaction{}.check("/")));
            return hold.evidence() == evidence;
        });
    }
};

TEST_F(foreign_server, zookeeper_is_known_by_what_it_knows) {
    see_containers([](frame&) { return verdict::forward; });
    const auto path = folder();
    const auto servers = connect(proxy.address(), silent_options());
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()}).value();
    EXPECT_TRUE(eventually([&] { return containers == 1 && multis >= 1; }));
    EXPECT_TRUE(rests_on(hold, lease_evidence::relayed));
    ASSERT_TRUE(hold.release(limit()));
    proxy.cut();
    ASSERT_TRUE(lock.acquire({.timeout = limit()}));
    EXPECT_EQ(containers, 1) << "once in a session";
    const auto observer = connect(server().connect_string());
    const auto zookeeper = zookeeper::make_coordinator(server().connect_string());
    contract::probe look{*zookeeper};
    EXPECT_THAT(look.ask(core::children_op{"/"}).children, Not(Contains(StartsWith("turnstile-"))));
}

TEST_F(foreign_server, that_knows_no_containers_is_one_whose_bound_is_assumed) {
    see_containers([](frame& f) {
        f.rewrite_opcode(opcode::unknown);
        return verdict::forward;
    });
    const auto path = folder();
    const auto servers = connect(proxy.address(), silent_options());
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()}).value();
    EXPECT_TRUE(rests_on(hold, lease_evidence::assumed));
    EXPECT_TRUE(hold.valid());
    EXPECT_EQ(containers, 1);
    // On the next connection, too, without being asked again.
    proxy.cut();
    EXPECT_TRUE(rests_on(hold, lease_evidence::assumed));
    EXPECT_EQ(containers, 1);
}

TEST_F(foreign_server, that_hangs_up_at_what_it_does_not_know_is_asked_once) {
    see_containers([](frame&) { return verdict::cut_connection; });
    const auto path = folder();
    const auto servers = connect(proxy.address(), silent_options());
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()}).value();
    EXPECT_TRUE(rests_on(hold, lease_evidence::assumed));
    EXPECT_EQ(containers, 1);
}

// The create of the folder ends the connection before the client knows anything of the server.
TEST_F(foreign_server, that_hangs_up_at_containers_has_persistent_folders) {
    see_containers([](frame&) { return verdict::cut_connection; });
    const auto servers = connect(proxy.address(), silent_options());
    mutex lock{*servers, lock_path()};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(rests_on(*hold, lease_evidence::assumed));
    EXPECT_TRUE(hold->release(limit()));
}

// A connection that breaks by itself says nothing of a server that is known.
TEST_F(foreign_server, that_is_zookeeper_keeps_its_containers_where_a_connection_breaks) {
    const auto servers = connect(proxy.address());
    ASSERT_TRUE(eventually([&] { return servers->session().role != server_role::unknown; }));
    std::atomic<bool> cut{false};
    see_containers(
        [&](frame&) { return cut.exchange(true) ? verdict::forward : verdict::cut_connection; });
    mutex lock{*servers, lock_path()};
    const auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_GE(containers, 2) << "the second on another connection";
}

// No right is needed below what is not there: a folder that is somebody else's is no obstacle.
TEST_F(foreign_server, is_known_to_a_client_without_permissions) {
    const auto all = zookeeper::make_coordinator(server().connect_string());
    contract::probe owner{*all, "owner:secret"};
    ASSERT_EQ(owner
                  .ask(core::create_op{
                      "/closed", {}, core::create_mode::persistent, core::acl_policy::creator_only})
                  .error,
              core::server_error::ok);
    const auto closed = zookeeper::make_coordinator(server().connect_string() + "/closed");
    contract::probe stranger{*closed};
    EXPECT_EQ(stranger.ask(core::create_op{"/x"}).error, core::server_error::no_auth);
    EXPECT_EQ(stranger.ask(core::create_op{"/none/x", {}, core::create_mode::container}).error,
              core::server_error::no_node);
}

// The kit's servers tell their role: there is nothing to find out.
TEST_F(foreign_server, that_says_that_it_is_zookeeper_is_not_examined) {
    see_containers([](frame&) { return verdict::forward; });
    const auto path = folder();
    const auto servers = connect(proxy.address());
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()}).value();
    EXPECT_TRUE(eventually([&] { return servers->session().role != server_role::unknown; }));
    EXPECT_TRUE(rests_on(hold, lease_evidence::direct));
    EXPECT_EQ(containers, 0);
}

}  // namespace
}  // namespace turnstile::tests
