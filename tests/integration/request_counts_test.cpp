// SPDX-License-Identifier: Apache-2.0
// Counts the requests and packets of an acquire and release, by a real server's counters and by a proxy. The tests
// check counts, and no times.
#include <array>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <stop_token>

#include "packet_counts.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

constexpr int k_cycles = 50;
// The number of requests that the client may send only to keep its session alive. The client sends more of these
// requests if the machine stops for seconds.
constexpr std::int64_t k_others = k_cycles / 5;

class requests : public ::testing::Test {
protected:
    ensemble servers{};
    const std::string path = lock_path();

    void SetUp() override { servers.wait_until_serving(); }

    [[nodiscard]] std::unique_ptr<client> session() const {
        return connect(servers.connect_string(), quick_options(10s));
    }
    template <class F>
    void expect_at_most(std::int64_t most_requests, std::int64_t most_events, F&& cycle) {
        cycle(0);  // creates everything that is created once, such as the folder
        const auto before = counted_packets(servers);
        for (int i = 1; i <= k_cycles; ++i) cycle(i);
        const auto after = counted_packets(servers);
        const auto received = after.received - before.received;
        const auto events = after.sent - before.sent - received;
        const auto least = most_requests == 0 ? 0 : 2 * k_cycles;
        EXPECT_GE(received, least) << "they are counted at all";
        EXPECT_LE(received, most_requests * k_cycles + k_others);
        EXPECT_LE(events, most_events * k_cycles + k_others);
    }
};

TEST_F(requests, of_an_uncontended_cycle_are_two_and_no_event) {
    const auto client = session();
    // The client omits requests only when it knows that the server is a ZooKeeper server.
    ASSERT_TRUE(eventually([&] { return client->session(0).role != server_role::unknown; }));
    mutex lock{*client, path};
    expect_at_most(2, 0, [&](int) {
        auto hold = lock.acquire({.timeout = limit()});
        ASSERT_TRUE(hold) << hold.error().message();
        ASSERT_TRUE(hold->release());
    });
}

// Two sessions take turns. Each session requests the lock while the other session holds it.
TEST_F(requests, of_a_contended_cycle_are_four_and_one_event) {
    const std::array clients{session(), session()};
    std::array locks{mutex{*clients[0], path}, mutex{*clients[1], path}};
    auto hold = locks[1].acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    expect_at_most(4, 1, [&](int i) {
        testing::event waits;
        testing::event granted;
        std::optional<result<guard>> next;
        acquire_options options{.timeout = limit()};
        options.on_queued = [&waits](std::size_t) { waits.set(); };
        locks.at(static_cast<std::size_t>(i % 2)).async_acquire(options, [&](result<guard> mine) {
            next.emplace(std::move(mine));
            granted.set();
        });
        ASSERT_TRUE(waits.wait());
        ASSERT_TRUE(hold->release());
        ASSERT_TRUE(granted.wait());
        ASSERT_TRUE(*next) << next->error().message();
        hold = std::move(*next);
    });
}

TEST_F(requests, of_taking_a_retained_lock_again_are_none) {
    const auto client = session();
    mutex lock{*client, path, {.retain_for = 1h}};
    expect_at_most(0, 0, [&](int) {
        auto hold = lock.acquire({.timeout = limit()});
        ASSERT_TRUE(hold) << hold.error().message();
        ASSERT_TRUE(hold->release());
    });
}

TEST_F(requests, of_a_hand_over_inside_the_process_are_none) {
    const auto client = session();
    mutex lock{*client, path, {.cohort = 1}};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    expect_at_most(0, 0, [&](int) {
        testing::event granted;
        std::optional<result<guard>> next;
        lock.async_acquire({.timeout = limit()}, [&](result<guard> mine) {
            next.emplace(std::move(mine));
            granted.set();
        });
        ASSERT_TRUE(hold->release());
        ASSERT_TRUE(granted.wait());
        ASSERT_TRUE(*next) << next->error().message();
        hold = std::move(*next);
    });
}

TEST_F(requests, of_locks_that_nobody_uses_are_none_and_they_have_no_threads) {
    constexpr int k_locks = 10'000;
    const auto client = session();
    std::vector<std::unique_ptr<mutex>> locks;
    const auto threads = [] {
        const std::filesystem::directory_iterator all{"/proc/self/task"};
        return std::distance(begin(all), end(all));
    };
    const auto before = threads();
    expect_at_most(0, 0, [&](int) {
        for (int i = 0; i != k_locks / k_cycles; ++i)
            locks.push_back(std::make_unique<mutex>(*client, path + std::to_string(locks.size())));
    });
    EXPECT_GE(locks.size(), std::size_t{k_locks});
    EXPECT_LE(threads(), before);
}

// A hand-over must not cost more in a longer queue. The list of the folder's children grows with the queue, so no
// waiter may request this list.
TEST_F(requests, of_a_long_queue_are_no_lists) {
    constexpr std::size_t k_waiters = 200;
    // Contenders that entered while the queue was short (core::k_long_queue is 32) list the folder at the hand-over.
    constexpr std::size_t k_short = 40;
    std::atomic<std::size_t> lists{0};
    std::atomic<std::size_t> sent_requests{0};
    tcp_proxy proxy{servers.connect_string(0)};
    proxy.filter(direction::to_server, [&](frame& frame) {
        if (frame.is(frame_kind::request, opcode::get_children2)) ++lists;
        // A confirmation (a request that only extends the lease) is a multi request. Time determines the number of
        // confirmations, so the test does not count them.
        if (frame.kind() == frame_kind::request && !frame.is(frame_kind::request, opcode::multi))
            ++sent_requests;
        return verdict::forward;
    });
    const auto all = connect(proxy.address(), quick_options(10s));
    mutex lock{*all, path};
    auto first = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(first) << first.error().message();
    testing::event waits;
    testing::event done;
    std::atomic<std::size_t> granted{0};
    acquire_options options{.timeout = limit()};
    options.on_queued = [&waits](std::size_t) { waits.set(); };
    for (std::size_t i = 0; i != k_waiters; ++i)
        lock.async_acquire(options, [&](const result<guard>& mine) {
            if (mine) ++granted;
            done.set();  // the guard's destructor releases the lock
        });
    ASSERT_TRUE(waits.wait(k_waiters));
    lists = 0;
    sent_requests = 0;
    ASSERT_TRUE(first->release());
    ASSERT_TRUE(done.wait(k_waiters));
    EXPECT_EQ(granted, k_waiters);
    EXPECT_LE(lists, k_short);
    // Each waiter reads the low-water mark (every contender up to this number is gone) and its own znode, and removes
    // its znode. In a short queue it also sets a watch.
    EXPECT_LE(sent_requests, 4 * k_waiters + k_short);
    EXPECT_TRUE(becomes_empty(*all, path));
}

// A single stop token ends all acquires. The client removes their znodes in batches, and need not remove the watch on a
// removed znode.
TEST_F(requests, of_a_thousand_waits_that_end_at_once_are_few) {
    constexpr std::size_t k_waiters = 1'000;
    constexpr std::int64_t k_together = 64;  // largest batch
    const std::string crowded = "/crowd";    // short, so that all contenders fit in one session
    const auto watches = [this] { return servers.four_letter_word(0, "wchp"); };
    const auto other = session();
    mutex theirs{*other, crowded};
    auto hold = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();

    const auto all = session();
    mutex lock{*all, crowded};
    testing::event waits;
    testing::event over;
    std::atomic<std::size_t> cancelled{0};
    std::stop_source stop;
    acquire_options options{.timeout = limit()};
    options.stop = stop.get_token();
    options.on_queued = [&waits](std::size_t) { waits.set(); };
    for (std::size_t i = 0; i != k_waiters; ++i)
        lock.async_acquire(options, [&](const result<guard>& mine) {
            if (!mine && mine.error().code() == errc::cancelled) ++cancelled;
            over.set();
        });
    ASSERT_TRUE(waits.wait(k_waiters));
    ASSERT_EQ(all->session_count(), 1U);
    EXPECT_NE(watches().find("_c_"), std::string::npos) << "they are counted at all";

    const auto before = counted_packets(servers);
    stop.request_stop();
    ASSERT_TRUE(over.wait(k_waiters));
    EXPECT_EQ(cancelled, k_waiters);
    ASSERT_TRUE(eventually([&] { return all->session().owned_bytes == 0; }));
    const auto received = counted_packets(servers).received - before.received;
    EXPECT_GE(received, std::int64_t{k_waiters} / k_together);
    // Without batches, the client sends two requests for each waiter: one removes the waiter's znode, and one removes
    // its watch. Batches are smaller on a busy machine, because the server may answer before the stop token has called
    // many callbacks.
    EXPECT_LT(received, std::int64_t{k_waiters} * 3 / 2);

    const auto left = queue_names(*other, crowded);
    ASSERT_EQ(left.size(), 1U) << "the holder";
    ASSERT_TRUE(hold->release());  // also removes the watch on the hold's znode
    EXPECT_TRUE(eventually([&] { return watches().find("_c_") == std::string::npos; }));
}

}  // namespace
}  // namespace turnstile::tests
