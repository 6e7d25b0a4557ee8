// SPDX-License-Identifier: Apache-2.0
// Tests the callback queue with each kind of executor. The queue must run each callback once, in order, and one at a
// time. When the queue ends, it must wait only for a callback that has begun.
#include "client/callback_queue.hpp"

#include <vector>

#include "support.hpp"

namespace turnstile::detail {
namespace {

using namespace turnstile::tests;

void post_numbers(callback_queue& queue, std::vector<int>& told, int from, int to) {
    for (int i = from; i != to; ++i) queue.post([&told, i] { told.push_back(i); });
    queue.pump();
}

std::vector<int> numbers(int count) {
    std::vector<int> numbers;
    for (int i = 0; i != count; ++i) numbers.push_back(i);
    return numbers;
}

TEST(callback_queue, runs_everything_in_order_whatever_the_executor_does) {
    loop_thread loop;
    for (const auto& run :
         {executor{}, inline_executor(), dropping_executor(), throwing_executor(), loop.run()}) {
        std::vector<int> told;
        const auto queue = callback_queue::start(run);
        post_numbers(*queue, told, 0, 10);
        post_numbers(*queue, told, 10, 20);
        queue->finish(in_time());
        EXPECT_EQ(told, numbers(20));
    }
}

TEST(callback_queue, an_executor_that_runs_its_task_in_the_call_runs_it_on_no_thread_that_pumps) {
    const auto queue = callback_queue::start(inline_executor());
    std::thread::id ran_on;
    queue->post([&] { ran_on = std::this_thread::get_id(); });
    queue->pump();
    queue->finish(in_time());
    EXPECT_NE(ran_on, std::thread::id{});
    EXPECT_NE(ran_on, std::this_thread::get_id());
}

// The executor may be a strand, on which no task may run beside a callback. So only the executor may run the queue's
// tasks.
TEST(callback_queue, at_its_end_a_loop_that_does_not_run_keeps_what_it_has) {
    idle_loop loop;
    const auto queue = callback_queue::start(loop.run());
    std::vector<int> told;
    post_numbers(*queue, told, 0, 3);
    ASSERT_TRUE(loop.wait());
    queue->finish(boottime_clock::now());
    EXPECT_EQ(told, numbers(0));
    std::vector<int> later;
    post_numbers(*queue, later, 0, 2);
    EXPECT_EQ(later, numbers(2)) << "of a closed client, in the call";
    EXPECT_EQ(told, numbers(0));
    // A thread that has run an executor's tasks does not wait for executors in finish(). So a thread other than the
    // test's runs the loop's tasks.
    std::thread{[&] { loop.run_all(); }}.join();
    EXPECT_EQ(told, numbers(3));
}

// The queue's end runs callbacks whose tasks the executor has dropped, and does not wait for the executor.
TEST(callback_queue, at_its_end_it_runs_what_the_executor_has_dropped) {
    constexpr int k_ends = 500;
    for (int i = 0; i != k_ends; ++i) {
        std::vector<int> told;
        const auto queue = callback_queue::start(dropping_executor());
        post_numbers(*queue, told, 0, 2);
        queue->finish(boottime_clock::now());
        ASSERT_EQ(told, numbers(2)) << i;
    }
}

TEST(callback_queue, at_its_end_it_waits_for_a_loop_that_is_busy) {
    loop_thread loop;
    const auto queue = callback_queue::start(loop.run());
    event go;
    event begun;
    loop.post([&] {  // a task of the program; the loop acts as a strand
        begun.set();
        EXPECT_TRUE(go.wait());
    });
    ASSERT_TRUE(begun.wait());
    std::vector<std::thread::id> ran_on;
    queue->post([&] { ran_on.push_back(std::this_thread::get_id()); });
    queue->pump();
    std::thread finisher{[&] { queue->finish(in_time()); }};
    go.set();
    finisher.join();
    EXPECT_EQ(ran_on, std::vector{loop.id()});
}

TEST(callback_queue, ended_on_the_loops_thread_it_does_not_wait_for_the_loop) {
    loop_thread loop;
    const auto queue = callback_queue::start(loop.run());
    event first;
    event ended;
    event last;
    queue->post([&] { first.set(); });
    queue->pump();
    ASSERT_TRUE(first.wait());
    loop.post([&] {
        queue->post([&] {
            EXPECT_TRUE(ended.is_set());
            last.set();
        });
        queue->pump();
        queue->finish(in_time());
        ended.set();
    });
    EXPECT_TRUE(last.wait());
}

TEST(callback_queue, what_a_loop_destroys_is_run_by_the_queues_thread) {
    idle_loop loop;
    const auto queue = callback_queue::start(loop.run());
    event ran;
    queue->post([&] { ran.set(); });
    queue->pump();
    ASSERT_TRUE(loop.wait());
    loop.destroy_all();
    EXPECT_TRUE(ran.wait());
    queue->finish(in_time());
}

TEST(callback_queue, what_a_loop_destroys_after_the_end_is_gone) {
    idle_loop loop;
    const auto queue = callback_queue::start(loop.run());
    const auto held = std::make_shared<int>(0);
    queue->post([held] { ADD_FAILURE(); });
    queue->pump();
    ASSERT_TRUE(loop.wait());
    queue->finish(boottime_clock::now());
    EXPECT_EQ(held.use_count(), 2);
    loop.destroy_all();
    EXPECT_EQ(held.use_count(), 1) << "nothing is kept";
}

TEST(callback_queue, its_end_waits_for_what_the_loop_has_begun) {
    loop_thread loop;
    const auto queue = callback_queue::start(loop.run());
    event begun;
    event go;
    std::atomic<bool> ended{false};
    queue->post([&] {
        begun.set();
        EXPECT_TRUE(go.wait());
        ended = true;
    });
    queue->pump();
    ASSERT_TRUE(begun.wait());
    std::thread finisher{[&] {
        queue->finish(in_time());
        EXPECT_TRUE(ended);
    }};
    go.set();
    finisher.join();
}

TEST(callback_queue, after_its_end_whoever_pumps_runs_what_it_posts) {
    for (const auto& run : {executor{}, dropping_executor()}) {
        const auto queue = callback_queue::start(run);
        queue->finish(in_time());
        std::vector<int> told;
        post_numbers(*queue, told, 0, 3);
        EXPECT_EQ(told, numbers(3));
    }
}

TEST(callback_queue, ended_from_a_callback_it_runs_the_rest_afterwards) {
    loop_thread loop;
    for (const auto& run : {executor{}, inline_executor(), throwing_executor(), loop.run()}) {
        auto queue = callback_queue::start(run);
        event done;
        std::vector<int> told;
        queue->post([&] {
            queue->finish(in_time());
            queue->post([&] {
                told.push_back(2);
                done.set();
            });
            queue->pump();
            told.push_back(0);
        });
        queue->post([&] { told.push_back(1); });
        queue->pump();
        ASSERT_TRUE(done.wait());
        EXPECT_EQ(told, numbers(3));
    }
}

TEST(callback_queue, a_callback_that_throws_stops_nothing) {
    const auto queue = callback_queue::start({});
    event done;
    queue->post([] { throw std::runtime_error{"as expected"}; });
    queue->post([] { throw 1; });
    queue->post([&] { done.set(); });
    queue->pump();
    EXPECT_TRUE(done.wait());
    queue->finish(in_time());
}

TEST(callback_queue, what_a_callback_holds_is_destroyed_under_no_lock) {
    const auto queue = callback_queue::start({});
    event done;
    // This object's destructor takes the queue's lock.
    std::shared_ptr<void> asks{nullptr, [&](void*) {
                                   EXPECT_TRUE(queue->on_this_thread());
                                   done.set();
                               }};
    queue->post([held = std::move(asks)] {});
    queue->pump();
    EXPECT_TRUE(done.wait());
    queue->finish(in_time());
}

}  // namespace
}  // namespace turnstile::detail
