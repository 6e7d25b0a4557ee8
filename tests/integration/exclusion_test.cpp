// SPDX-License-Identifier: Apache-2.0
// Tests that real processes exclude each other at one path.
#include <fstream>
#include <sstream>
#include <vector>

#include "core/queue/contender_name.hpp"
#include "support.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

struct grant {
    fencing_token token;
    std::int32_t sequence = 0;
};

std::vector<grant> grants_in(const std::string& output) {
    std::vector<grant> found;
    std::istringstream lines{output};
    for (std::string word, token, znode; lines >> word >> token >> znode;)
        found.push_back(
            {fencing_token::parse(token).value(), core::contender_sequence(znode).value()});
    return found;
}

TEST(exclusion, eight_processes_take_turns_in_the_order_of_their_znodes) {
    constexpr int k_processes = 8;
    constexpr int k_grants = 200;
    const testing::temporary_folder folder;
    const auto path = lock_path();
    // All processes append to one file, so its lines are in the order of the grants.
    const auto output = folder.path() / "grants";
    const auto before = server().counters(0);
    std::vector<testing::process> processes;
    for (int i = 0; i != k_processes; ++i) {
        processes.emplace_back(
            testing::process_options{{TURNSTILE_CONTENDER, server().connect_string(), path, "10000",
                                      "sell", std::to_string(k_grants), folder.path()},
                                     {},
                                     output,
                                     {}});
    }
    for (auto& process : processes) {
        ASSERT_TRUE(process.wait(limit() * 4)) << process.output();
        EXPECT_EQ(process.exit_code(), 0) << process.output();
    }
    const auto grants = grants_in(processes.front().output());
    ASSERT_EQ(grants.size(), std::size_t{k_processes} * k_grants);
    for (std::size_t i = 1; i != grants.size(); ++i) {
        EXPECT_LT(grants[i - 1].token, grants[i].token) << "grant " << i;
        EXPECT_LT(grants[i - 1].sequence, grants[i].sequence) << "grant " << i;
    }
    // Promise G3 (a release wakes only the next waiter): by the server's counters, a release causes at most one event
    // for the successor and one for the releaser.
    const auto after = server().counters(0);
    for (const auto* counter : {"node_deleted_watch_count", "cnt_node_deleted_watch_count"}) {
        if (!after.contains("sum_" + std::string{counter})) continue;
        const auto name = "sum_" + std::string{counter};
        const auto events = after.at(name) - before.at(name);
        RecordProperty("watch_events", static_cast<int>(events));
        EXPECT_LE(events, 2 * k_processes * k_grants);
    }
    const auto observer = connect(server().connect_string());
    EXPECT_TRUE(queue_names(*observer, path).empty());
}

// Promise G3 (a release wakes only the next waiter): counts the events on each waiter's connection while a long queue
// is released.
TEST(exclusion, G3_a_release_wakes_one_waiter_however_long_the_queue_is) {
    constexpr std::size_t k_waiters = 20;
    const auto path = lock_path();
    const auto observer = connect(server().connect_string());
    mutex first{*observer, path};
    auto hold = first.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    std::vector<std::unique_ptr<tcp_proxy>> proxies;
    std::vector<std::unique_ptr<client>> clients;
    std::vector<std::unique_ptr<mutex>> locks;
    std::vector<guard> holds(k_waiters);
    testing::event granted;
    for (std::size_t i = 0; i != k_waiters; ++i) {
        proxies.push_back(std::make_unique<tcp_proxy>(server().connect_string(0)));
        clients.push_back(connect(proxies.back()->address()));
        locks.push_back(std::make_unique<mutex>(*clients.back(), path));
        locks.back()->async_acquire({}, [&, i](result<guard> mine) {
            if (mine) holds[i] = std::move(*mine);
            granted.set();
        });
        ASSERT_TRUE(becomes_size(*observer, path, i + 2));
    }
    const auto events = [&] {
        std::vector<std::uint64_t> all;
        for (const auto& proxy : proxies) all.push_back(proxy->watch_events());
        return all;
    };
    ASSERT_TRUE(hold->release(limit()));
    for (std::size_t i = 0; i != k_waiters; ++i) {
        ASSERT_TRUE(granted.wait(i + 1));
        const auto before = events();
        ASSERT_TRUE(holds[i].release(limit()));
        if (i + 1 == k_waiters) break;
        ASSERT_TRUE(granted.wait(i + 2));
        const auto after = events();
        for (std::size_t k = 0; k != k_waiters; ++k) {
            // Only the releaser and the successor may get an event.
            const auto most = k == i || k == i + 1 ? 1U : 0U;
            EXPECT_LE(after[k] - before[k], most) << "release " << i << ", waiter " << k;
        }
    }
    EXPECT_TRUE(queue_names(*observer, path).empty());
}

// Failure F38: closing a session with too many znodes makes an ensemble unable to start.
TEST(exclusion, F38_what_one_session_owns_is_bounded) {
    const auto path = lock_path();
    // The requests that keep the holder's lease wait behind the waiters' many requests, so the session timeout is long.
    const auto servers = connect(server().connect_string(), quick_options(30s));
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    constexpr std::size_t k_waiters = 1500;
    std::stop_source stop;
    testing::event ended;
    for (std::size_t i = 0; i != k_waiters; ++i)
        lock.async_acquire({.stop = stop.get_token()}, [&](const result<guard>&) { ended.set(); });
    ASSERT_TRUE(becomes_size(*servers, path, k_waiters + 1))
        << queue_names(*servers, path).size() << " in the queue, " << servers->session_count()
        << " sessions, " << ended.count() << " waits ended";
    EXPECT_GT(servers->session_count(), 1U);
    for (std::size_t i = 0; i != servers->session_count(); ++i)
        EXPECT_LE(servers->session(i).owned_bytes, 256U * 1024U);
    stop.request_stop();
    EXPECT_TRUE(ended.wait(k_waiters));
    EXPECT_TRUE(becomes_size(*servers, path, 1));
    ASSERT_TRUE(hold->release(limit()));
    EXPECT_TRUE(eventually([&] { return server().counters(0).at("watch_count") == 0; }));
}

}  // namespace
}  // namespace turnstile::tests
