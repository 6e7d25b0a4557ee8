// SPDX-License-Identifier: Apache-2.0
// Tests server names that cannot be resolved yet. Also tests that resolving does not reseed the program's random(), as
// the C client alone would.
#include <netdb.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>

#include "real_resolver.hpp"
#include "support.hpp"
#include "turnstile/testing/event.hpp"
#include "turnstile/testing/tcp_proxy.hpp"
#include "zookeeper/addresses.hpp"

namespace {

using turnstile::testing::event;

// These variables control the test's resolver and record its calls.
std::atomic<int> failures{0};
std::atomic<std::thread::id> resolves_not_in{};
event failed;

}  // namespace

// Replaces the C library's resolver by a resolver that fails on demand.
extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char* node,
                                                                  const char* service,
                                                                  const addrinfo* hints,
                                                                  addrinfo** out) {
    EXPECT_NE(resolves_not_in.load(), std::this_thread::get_id());
    if (failures > 0) {
        --failures;
        failed.set();
        return EAI_AGAIN;
    }
    return turnstile::tests::resolve_really(node, service, hints, out);
}

namespace turnstile::tests {
namespace {

class names : public ::testing::Test {
protected:
    ~names() override {
        failures = 0;
        resolves_not_in = std::thread::id{};
    }
};

TEST_F(names, that_are_late_are_resolved_again_and_not_in_the_constructors_thread) {
    const auto where = server().connect_string();
    resolves_not_in = std::this_thread::get_id();
    failures = 4;
    client servers{where, quick_options()};
    EXPECT_TRUE(servers.wait_connected(limit()));
    EXPECT_GE(failed.count(), 4U);
}

TEST_F(names, that_have_no_address_are_named_at_the_deadline) {
    client servers{"no-such-host.invalid:2181", quick_options()};
    // The first attempt may still be running when the wait ends.
    EXPECT_TRUE(eventually([&] {
        const auto connected = servers.wait_connected(std::chrono::milliseconds{10});
        return connected.error() == errc::unresolvable &&
               connected.error().message().find("no-such-host.invalid") != std::string::npos;
    }));
    mutex lock{servers, "/lock"};
    const auto hold = lock.acquire({.timeout = std::chrono::milliseconds{10}});
    ASSERT_FALSE(hold);
    EXPECT_EQ(hold.error(), errc::unresolvable);
    EXPECT_NE(hold.error().message().find("no-such-host.invalid"), std::string::npos);
}

TEST_F(names, resolving_them_leaves_the_programs_random_numbers_alone) {
    tcp_proxy proxy{server().connect_string()};
    ::srandom(42);
    const auto expected = ::random();
    ::srandom(42);
    client servers{proxy.address(), quick_options()};
    ASSERT_TRUE(servers.wait_connected(limit()));
    event attached;
    const auto handle = servers.on_change([&](const session_change& step) {
        if (step.to == session_state::connected) attached.set();
    });
    proxy.cut();
    ASSERT_TRUE(attached.wait());
    EXPECT_EQ(::random(), expected);
}

TEST_F(names, of_servers_are_tried_in_an_order_by_chance) {
    std::set<std::string> orders;
    const zookeeper::ensemble_address three{{{"127.0.0.1", 1}, {"127.0.0.1", 2}, {"127.0.0.1", 3}},
                                            {}};
    base::random chance{7};
    zookeeper::unresolved_hosts missing;
    for (int i = 0; i != 100; ++i)
        orders.insert(zookeeper::shuffled_servers(three, chance, missing).text);
    EXPECT_EQ(orders.size(), 6U);
}

TEST_F(names, of_an_even_number_of_servers_one_comes_twice) {
    const zookeeper::ensemble_address two{{{"127.0.0.1", 1}, {"127.0.0.1", 2}}, {}};
    base::random chance{7};
    zookeeper::unresolved_hosts missing;
    const auto text = zookeeper::shuffled_servers(two, chance, missing).text;
    EXPECT_EQ(std::count(text.begin(), text.end(), ','), 2) << text;
}

// The client tries each server that a name resolves to.
TEST_F(names, that_stand_for_several_servers_are_replaced_by_them) {
    base::random chance{7};
    const zookeeper::ensemble_address parsed{{{"localhost", 2181}}, {}};
    const auto all = zookeeper::resolve(parsed.servers.front());
    zookeeper::unresolved_hosts missing;
    const auto text = zookeeper::shuffled_servers(parsed, chance, missing).text;
    if (all.size() < 2) {
        EXPECT_EQ(text, "localhost:2181");
    } else {
        EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1,
                  all.size());
    }
}

}  // namespace
}  // namespace turnstile::tests
