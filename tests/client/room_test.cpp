// SPDX-License-Identifier: Apache-2.0
// Tests how many contenders one session may have, also if all contenders come at once or before a session exists.
#include <algorithm>
#include <thread>
#include <vector>

#include "support.hpp"

namespace turnstile::tests {
namespace {

constexpr std::size_t k_safe = 128 * 1024;

class room_test : public shell_test {
protected:
    // Returns a path that is so long that the znodes of exactly `count` contenders use up the space of one session.
    static std::string path(std::size_t count, int number) {
        const auto name = std::to_string(number);
        return '/' + name + std::string(k_safe / count - 60 - 1 - name.size(), 'x');
    }
    static void take(client& servers, const std::string& where_to, std::vector<errc>& refusals) {
        mutex{servers, where_to}.async_acquire({}, [&refusals](const result<guard>& outcome) {
            if (!outcome) refusals.push_back(outcome.error().code());
        });
    }
};

TEST_F(room_test, contenders_that_come_before_the_session_are_spread_over_several) {
    faults.refuse_connections();
    std::vector<errc> refusals;
    client servers{where, {.max_sessions = 3}};
    for (int i = 0; i != 12; ++i) take(servers, path(4, i), refusals);
    EXPECT_EQ(servers.session_count(), 3U);
    take(servers, path(4, 12), refusals);
    servers.close();
    ASSERT_EQ(refusals.size(), 13U);
    EXPECT_EQ(std::count(refusals.begin(), refusals.end(), errc::too_many), 1);
}

TEST_F(room_test, contenders_that_come_at_once_do_not_share_the_same_room) {
    constexpr int k_threads = 8;
    for (int round = 0; round != 20; ++round) {
        const auto servers = connect({.max_sessions = 1});
        std::atomic<int> granted{0};
        event ready;
        event answered;
        std::vector<std::jthread> threads;
        for (int i = 0; i != k_threads; ++i)
            threads.emplace_back([&, i] {
                mutex lock{*servers, path(4, i)};
                ready.set();
                EXPECT_TRUE(ready.wait(k_threads));
                const auto hold = lock.acquire({.timeout = limit()});
                if (hold) {
                    ++granted;
                } else {
                    EXPECT_EQ(hold.error(), errc::too_many);
                }
                answered.set();
                EXPECT_TRUE(answered.wait(k_threads)) << "all hold at the same time";
            });
        threads.clear();
        EXPECT_EQ(granted, 4);
    }
}

TEST_F(room_test, what_has_gone_gives_its_room_back) {
    const auto servers = connect({.max_sessions = 1});
    for (int i = 0; i != 12; ++i) {
        auto hold = mutex{*servers, path(4, i)}.acquire({.timeout = limit()});
        ASSERT_TRUE(hold) << hold.error().message();
        ASSERT_TRUE(hold->release(limit()));
    }
}

}  // namespace
}  // namespace turnstile::tests
