// SPDX-License-Identifier: Apache-2.0
// Tests the threads for tasks that may block. The pool must start as many threads as its tasks need, at least one, and
// no more than its limit.
#include "client/worker_pool.hpp"

#include <fstream>
#include <list>
#include <mutex>
#include <set>

#include "support.hpp"

namespace turnstile::detail {
namespace {

using testing::event;
using testing::limit;

TEST(worker_pool, a_blocked_task_holds_up_nobody_else) {
    const auto pool = worker_pool::start({});
    event go;
    event done;
    for (int i = 0; i != 4; ++i)
        pool->post([&] {
            EXPECT_TRUE(go.wait());
            done.set();
        });
    pool->post([&] { go.set(); });
    EXPECT_TRUE(done.wait(4));
    pool->finish();
}

TEST(worker_pool, one_thread_does_everything_in_order) {
    const auto pool = worker_pool::start({.most = 1});
    std::vector<int> order;
    std::set<boost::thread::id> threads;
    for (int i = 0; i != 20; ++i)
        pool->post([&, i] {
            order.push_back(i);
            threads.insert(boost::this_thread::get_id());
        });
    pool->finish();
    ASSERT_EQ(order.size(), 20U);
    for (int i = 0; i != 20; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(threads.size(), 1U);
}

TEST(worker_pool, finish_waits_for_what_pool_post) {
    const auto pool = worker_pool::start({});
    std::atomic<int> done{0};
    for (int i = 0; i != 10; ++i)
        pool->post([&] {
            pool->post([&] { ++done; });
            ++done;
        });
    pool->finish();
    EXPECT_EQ(done, 20);
}

TEST(worker_pool, finish_from_a_task_does_what_is_queued_and_waits_for_all_but_itself) {
    for (const std::size_t most : {1U, 4U}) {
        const auto pool = worker_pool::start({.most = most});
        event go;
        event finished;
        std::atomic<int> done{0};
        pool->post([&] {
            EXPECT_TRUE(go.wait());
            EXPECT_TRUE(pool->on_this_thread());
            pool->finish();
            EXPECT_EQ(done, 5);
            finished.set();
        });
        for (int i = 0; i != 5; ++i) pool->post([&] { ++done; });
        EXPECT_FALSE(pool->on_this_thread());
        go.set();
        EXPECT_TRUE(finished.wait());
    }
}

TEST(worker_pool, threads_stay_for_the_next_pool) {
    const auto pool = worker_pool::start({.most = 4, .linger = 2 * limit()});
    std::set<boost::thread::id> threads;
    std::mutex mutex;
    for (int i = 0; i != 1000; ++i) {
        event done;
        for (int together = 0; together != 3; ++together)
            pool->post([&] {
                const std::lock_guard hold{mutex};
                threads.insert(boost::this_thread::get_id());
                done.set();
            });
        ASSERT_TRUE(done.wait(3));
        const std::lock_guard last{mutex};  // after this no thread is inside `done`
    }
    EXPECT_LE(threads.size(), 4U);
    pool->finish();
}

std::size_t mapped() {
    std::size_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages;
    return pages;
}

TEST(worker_pool, threads_that_have_ended_leave_no_stack) {
    constexpr int k_threads = 300;
    const auto pool = worker_pool::start({.linger = {}});
    std::list<event> events;  // these live until no thread uses them
    const auto before = mapped();
    for (int i = 0; i != k_threads; ++i) {
        auto& go = events.emplace_back();
        auto& done = events.emplace_back();
        pool->post([&] {
            EXPECT_TRUE(go.wait());
            done.set();
        });
        pool->post([&] {  // on a second thread, which is then idle
            go.set();
            done.set();
        });
        ASSERT_TRUE(done.wait(2));
    }
    constexpr std::size_t k_stack = (std::size_t{8} << 20U) / 4096;  // pages of each thread's stack
    // The limit leaves room for malloc, which may reserve an arena of 64 MiB of addresses for a thread. malloc makes at
    // most 8 arenas for each processor.
    EXPECT_LT(mapped(), before + k_threads * 2 / 3 * k_stack);
    pool->finish();
}

TEST(worker_pool, a_task_that_throws_stops_nothing) {
    const auto pool = worker_pool::start({.most = 1});
    event done;
    pool->post([] { throw std::runtime_error{"as expected"}; });
    pool->post([] { throw 1; });
    pool->post([&] { done.set(); });
    EXPECT_TRUE(done.wait());
    pool->finish();
}

TEST(worker_pool, nothing_is_done_after_the_end) {
    const auto pool = worker_pool::start({});
    pool->finish();
    const auto held = std::make_shared<int>(0);
    pool->post([held] { ADD_FAILURE(); });
    EXPECT_EQ(held.use_count(), 1) << "and nothing is kept";
}

}  // namespace
}  // namespace turnstile::detail
