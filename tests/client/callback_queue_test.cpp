// The callback queue with executors of every kind: nothing is lost, reordered, run twice or beside
// something else, and its end waits only for what has begun.
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
    std::vector<int> made;
    for (int i = 0; i != count; ++i) made.push_back(i);
    return made;
}

TEST(callback_queue, runs_everything_in_order_whatever_the_executor_does) {
    loop_thread loop;
    idle_loop idle;
    for (const auto& run : {executor{}, inline_executor(), dropping_executor(), throwing_executor(),
                            loop.run(), idle.run()}) {
        std::vector<int> told;
        const auto queue = callback_queue::start(run);
        post_numbers(*queue, told, 0, 10);
        post_numbers(*queue, told, 10, 20);
        queue->finish();
        EXPECT_EQ(told, numbers(20));
    }
}

TEST(callback_queue, an_executor_that_runs_its_task_in_the_call_runs_it_on_no_thread_that_pumps) {
    const auto queue = callback_queue::start(inline_executor());
    std::thread::id ran_on;
    queue->post([&] { ran_on = std::this_thread::get_id(); });
    queue->pump();
    queue->finish();
    EXPECT_NE(ran_on, std::thread::id{});
    EXPECT_NE(ran_on, std::this_thread::get_id());
}

TEST(callback_queue, its_end_does_not_wait_for_a_loop_that_does_not_run) {
    idle_loop loop;
    const auto queue = callback_queue::start(loop.run());
    std::vector<int> told;
    post_numbers(*queue, told, 0, 3);
    ASSERT_TRUE(loop.wait());
    queue->finish();
    EXPECT_EQ(told, numbers(3));
    loop.run_all();
    EXPECT_EQ(told, numbers(3)) << "what the loop runs late does nothing";
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
        queue->finish();
        EXPECT_TRUE(ended);
    }};
    go.set();
    finisher.join();
}

TEST(callback_queue, after_its_end_whoever_pumps_runs_what_it_posts) {
    for (const auto& run : {executor{}, dropping_executor()}) {
        const auto queue = callback_queue::start(run);
        queue->finish();
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
            queue->finish();
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
    queue->finish();
}

TEST(callback_queue, what_a_callback_holds_is_destroyed_under_no_lock) {
    const auto queue = callback_queue::start({});
    event done;
    // Takes the queue's lock when it goes.
    std::shared_ptr<void> asks{nullptr, [&](void*) {
                                   EXPECT_TRUE(queue->on_this_thread());
                                   done.set();
                               }};
    queue->post([held = std::move(asks)] {});
    queue->pump();
    EXPECT_TRUE(done.wait());
    queue->finish();
}

}  // namespace
}  // namespace turnstile::detail
