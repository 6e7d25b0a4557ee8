// SPDX-License-Identifier: Apache-2.0
// Tests how a client recognizes a server that does not report its kind. A proxy removes ZooKeeper's features that other
// servers with this protocol lack.
#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <future>
#include <stop_token>
#include <string>

#include "contract/probe.hpp"
#include "support.hpp"
#include "turnstile/tools/path_trial.hpp"
#include "zookeeper/coordinator.hpp"
#include "zookeeper/server_knowledge.hpp"

namespace turnstile::tests {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Returns the options of a client that may not send `srvr`, as behind a load balancer.
client_options silent_options() {
    auto options = quick_options();
    options.roles = role_detection::off;
    return options;
}

class foreign_server : public ::testing::Test {
protected:
    tcp_proxy proxy{server().connect_string(0)};
    std::atomic<int> containers{0};
    std::atomic<int> multis{0};

    // Counts requests for containers, and calls `other` for each of them.
    void see_containers(std::function<verdict(frame&)> other) {
        proxy.filter(direction::to_server, [this, other = std::move(other)](frame& f) {
            if (f.is(frame_kind::request, opcode::multi)) ++multis;
            if (!f.is(frame_kind::request, opcode::create_container)) return verdict::forward;
            ++containers;
            return other(f);
        });
    }
    // Creates the lock's folder, so that the client does not have to create it as a container. Returns its path.
    std::string folder() const {
        const auto path = lock_path();
        const auto observer = connect(server().connect_string());
        mutex first{*observer, path};
        EXPECT_TRUE(first.acquire({.timeout = limit()})->release(limit()));
        return path;
    }
    // Commits until the hold's lease has this evidence. The evidence shows which kind of server the client has
    // recognized.
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
    ASSERT_TRUE(lock.acquire({.timeout = limit()}).has_value());
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
    // On the next connection the client must not examine the server's kind again.
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

// The client creates the folder before it knows the server's kind. The proxy then cuts the connection.
TEST_F(foreign_server, that_hangs_up_at_containers_has_persistent_folders) {
    see_containers([](frame&) { return verdict::cut_connection; });
    const auto servers = connect(proxy.address(), silent_options());
    mutex lock{*servers, lock_path()};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(rests_on(*hold, lease_evidence::assumed));
    EXPECT_TRUE(hold->release(limit()));
}

// If the client knows the server's kind, a broken connection must not make it doubt the kind.
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

// ---- servers without create2 ---------------------------------------------------------------

// The proxy makes the server look like a server that knows only the requests of ZooKeeper 3.4.
class older_server : public foreign_server {
protected:
    static bool came_later(const frame& f) {
        return f.kind() == frame_kind::request &&
               (f.op() == opcode::create2 || f.op() == opcode::create_container ||
                f.op() == opcode::remove_watches || f.op() == opcode::set_watches2);
    }
    void take_away(const std::function<verdict(frame&)>& judge) {
        proxy.filter(direction::to_server,
                     [judge](frame& f) { return came_later(f) ? judge(f) : verdict::forward; });
    }
    static verdict is_unimplemented(frame& f) {
        f.rewrite_opcode(opcode::unknown);
        return verdict::forward;
    }
    static verdict hangs_up(frame&) { return verdict::cut_connection; }

    std::uint64_t of_later_versions() const {
        return proxy.requests(opcode::create2) + proxy.requests(opcode::create_container) +
               proxy.requests(opcode::remove_watches);
    }
    // Queues behind a holder, and then gives up.
    static void wait_in_vain(mutex& lock) {
        std::atomic<bool> queued{false};
        std::stop_source gives_up;
        acquire_options impatient;
        impatient.stop = gives_up.get_token();
        impatient.on_queued = [&](std::size_t) { queued = true; };
        auto waiting = std::async(std::launch::async, [&] { return lock.acquire(impatient); });
        ASSERT_TRUE(eventually([&] { return queued.load(); }));
        gives_up.request_stop();
        EXPECT_EQ(waiting.get().error(), errc::cancelled);
    }
    // Makes three clients wait, one of which gives up. The others must be granted in order of arrival, with growing
    // tokens.
    void hands_locks_on() {
        const auto path = lock_path();
        const auto ann = connect(proxy.address(), silent_options());
        const auto bob = connect(proxy.address(), silent_options());
        mutex at_ann{*ann, path};
        mutex at_bob{*bob, path};
        auto first = at_ann.acquire({.timeout = limit()});
        ASSERT_TRUE(first) << first.error().message();
        wait_in_vain(at_bob);
        // No client repeats a request that these servers refused as unknown.
        EXPECT_TRUE(at_bob.try_acquire().error() == errc::busy);
        const auto sent = of_later_versions();
        auto third = std::async(std::launch::async, [&] { return at_bob.acquire(); });
        const auto token = first->fencing_token();
        ASSERT_TRUE(first->release(limit()));
        auto granted = third.get();
        ASSERT_TRUE(granted) << granted.error().message();
        EXPECT_GT(granted->fencing_token(), token);
        EXPECT_TRUE(rests_on(*granted, lease_evidence::assumed));
        EXPECT_TRUE(granted->release(limit()));
        EXPECT_EQ(of_later_versions(), sent);
        EXPECT_TRUE(eventually([&] { return at_ann.queue().value().empty(); }));
    }
};

TEST_F(older_server, that_refuses_create2_is_asked_in_two_requests) {
    take_away(is_unimplemented);
    hands_locks_on();
}

TEST_F(older_server, that_hangs_up_at_create2_is_asked_in_two_requests) {
    take_away(hangs_up);
    hands_locks_on();
}

TEST_F(older_server, that_hangs_up_at_removals_of_watches_keeps_them) {
    proxy.filter(direction::to_server, [](frame& f) {
        if (f.is(frame_kind::request, opcode::create_container)) return is_unimplemented(f);
        return f.is(frame_kind::request, opcode::remove_watches) ? verdict::cut_connection
                                                                 : verdict::forward;
    });
    const auto path = folder();
    const auto other = connect(server().connect_string());
    mutex theirs{*other, path};
    auto hold = theirs.acquire({.timeout = limit()}).value();
    const auto servers = connect(proxy.address(), silent_options());
    mutex lock{*servers, path};
    wait_in_vain(lock);
    EXPECT_TRUE(eventually([&] {
        return proxy.requests(opcode::remove_watches) == zookeeper::request_knowledge::k_ends;
    }));
    ASSERT_TRUE(hold.release(limit()));
    const auto again = lock.acquire({.timeout = limit()});
    EXPECT_TRUE(again) << again.error().message();
    EXPECT_EQ(proxy.requests(opcode::remove_watches), zookeeper::request_knowledge::k_ends);
}

TEST_F(older_server, that_hangs_up_at_containers_can_be_tried) {
    take_away(hangs_up);
    const auto servers = connect(proxy.address(), silent_options());
    const auto trial = try_path(*servers, lock_path(), {.timeout = limit()});
    ASSERT_TRUE(trial) << trial.error().message();
    EXPECT_FALSE(trial->containers);
    EXPECT_TRUE(trial->refused.empty());
    EXPECT_TRUE(trial->clock);
}

// On a server without create2, the client creates a znode with two requests: `create` and `exists`. The connection
// breaks before the second answer. So the znode exists, and the client does not know its Stat.
TEST_F(older_server, whose_answer_to_the_second_request_is_lost_is_asked_what_became_of_the_first) {
    take_away(is_unimplemented);
    const auto path = folder();
    const auto servers = connect(proxy.address(), silent_options());
    mutex lock{*servers, path};
    ASSERT_TRUE(lock.acquire({.timeout = limit()})->release(limit()));
    std::atomic<bool> lost{false};
    std::atomic<bool> created{false};
    proxy.filter(direction::to_client, [&](frame& f) {
        if (f.is(frame_kind::reply, opcode::create)) created = true;
        const bool second = created && f.is(frame_kind::reply, opcode::exists);
        return second && !lost.exchange(true) ? verdict::cut_connection : verdict::forward;
    });
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(lost);
    const auto zookeeper = zookeeper::make_coordinator(server().connect_string());
    contract::probe look{*zookeeper};
    EXPECT_THAT(look.ask(core::children_op{path}).children, SizeIs(1));
    EXPECT_TRUE(hold->release(limit()));
}

// Once the client knows that the server is ZooKeeper, broken connections must not change that.
TEST_F(older_server, that_is_zookeeper_is_asked_with_create2_where_connections_break) {
    const auto path = folder();
    const auto servers = connect(proxy.address());
    ASSERT_TRUE(eventually([&] { return servers->session().role != server_role::unknown; }));
    const auto before = proxy.requests(opcode::create);  // requests to create the session's mark
    std::atomic<int> left{2 * zookeeper::request_knowledge::k_ends};
    take_away([&](frame&) { return left-- > 0 ? verdict::cut_connection : verdict::forward; });
    mutex lock{*servers, path};
    const auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_LT(left, 0);
    EXPECT_EQ(proxy.requests(opcode::create), before);
}

// The client's chroot is a folder that it may not access. To recognize the server's software, the client sends requests
// for a path below a znode that does not exist. Such requests need no permission.
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

// The servers report their kind, so the client must not examine them.
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
