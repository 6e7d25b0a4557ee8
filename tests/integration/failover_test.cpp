// SPDX-License-Identifier: Apache-2.0
// Tests servers that restart or die while clients hold locks and wait for locks.
#include <atomic>
#include <future>
#include <thread>

#include "support.hpp"

namespace turnstile::tests {
namespace {

TEST(failover, a_holder_keeps_its_hold_and_session_over_a_server_restart) {
    ensemble servers;
    servers.wait_until_serving();
    const auto holder = connect(servers.connect_string(), quick_options(30s));
    mutex lock{*holder, "/locks/a"};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const auto session = holder->session();
    servers.restart(0);
    ASSERT_TRUE(eventually([&] { return holder->state() == session_state::connected; }));
    EXPECT_EQ(holder->session().id, session.id);
    EXPECT_EQ(holder->session().epoch, session.epoch);
    EXPECT_TRUE(hold->valid());
    EXPECT_EQ(lock.holder().value()->token, hold->fencing_token());
    EXPECT_TRUE(hold->release(limit()));
    EXPECT_TRUE(lock.queue().value().empty());
}

TEST(failover, an_ensemble_that_loses_its_leader_under_load_keeps_exclusion_and_order) {
    ensemble servers{{.count = 3}};
    servers.wait_until_serving();
    constexpr int k_clients = 6;
    constexpr int k_grants_after = 60;
    const std::string path = "/locks/load";
    std::atomic<int> inside{0};
    std::atomic<int> grants{0};
    std::atomic<bool> violated{false};
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> last_token{0};
    std::vector<std::thread> workers;
    for (int i = 0; i != k_clients; ++i) {
        workers.emplace_back([&] {
            const auto mine = connect(servers.connect_string(), quick_options(10s));
            mutex lock{*mine, path};
            while (!stop) {
                auto hold = lock.acquire({.timeout = limit()});
                if (!hold) continue;
                if (inside.fetch_add(1) != 0 && hold->valid()) violated = true;
                if (last_token.exchange(hold->fencing_token().zxid()) >=
                    hold->fencing_token().zxid())
                    violated = true;
                inside.fetch_sub(1);
                grants.fetch_add(1);
                hold->unlock();
            }
        });
    }
    const auto more = [&](int n) {
        const int from = grants;
        return eventually([&, from] { return grants >= from + n; });
    };
    EXPECT_TRUE(more(k_grants_after));
    for (int round = 0; round != 2; ++round) {
        const auto leader = servers.leader();
        ASSERT_TRUE(leader);
        servers.kill(*leader);
        EXPECT_TRUE(more(k_grants_after));
        servers.start(*leader);
        servers.wait_until_serving();
        EXPECT_TRUE(more(k_grants_after));
    }
    stop = true;
    for (auto& worker : workers) worker.join();
    EXPECT_FALSE(violated);
    const auto observer = connect(servers.connect_string());
    EXPECT_TRUE(becomes_empty(*observer, path));
}

}  // namespace
}  // namespace turnstile::tests
