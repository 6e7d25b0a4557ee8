// SPDX-License-Identifier: Apache-2.0
// Tests callback queues and worker pools that share one crew (a set of threads), as several clients of a runtime do.
// Queues and pools must not wait for each other, and each must end separately.
#include "client/callback_queue.hpp"
#include "client/worker_pool.hpp"
#include "crew_support.hpp"
#include "support.hpp"

namespace turnstile::detail {
namespace {

using namespace turnstile::tests;

// A queue whose callback blocks until the test releases it.
class blocked_queue {
public:
    explicit blocked_queue(const std::shared_ptr<thread_crew>& crew)
        : queue_{callback_queue::share({}, crew)} {
        queue_->post([this] {
            begun_.set();
            EXPECT_TRUE(go_.wait());
        });
        queue_->pump();
        EXPECT_TRUE(begun_.wait());
    }
    ~blocked_queue() {
        go_.set();
        queue_->finish(in_time());
    }
    blocked_queue(const blocked_queue&) = delete;
    blocked_queue& operator=(const blocked_queue&) = delete;

private:
    event begun_;
    event go_;
    const std::shared_ptr<callback_queue> queue_;
};

class shared_crew : public ::testing::Test {
protected:
    std::shared_ptr<thread_crew> crew =
        thread_crew::start({.start = k_start, .most = 1, .timers = new_timers()});

    void TearDown() override { crew->finish(); }
};

TEST_F(shared_crew, a_queue_ends_beside_one_that_blocks) {
    const blocked_queue other{crew};
    const auto queue = callback_queue::share({}, crew);
    int ran = 0;
    queue->post([&] { ++ran; });
    queue->pump();
    queue->finish(in_time());
    EXPECT_EQ(ran, 1);
}

TEST_F(shared_crew, a_pool_ends_beside_one_that_blocks) {
    const auto other = worker_pool::share(crew);
    const auto pool = worker_pool::share(crew);
    event begun;
    event go;
    other->post([&] {
        EXPECT_FALSE(pool->on_this_thread());
        begun.set();
        EXPECT_TRUE(go.wait());
    });
    ASSERT_TRUE(begun.wait());
    int ran = 0;
    pool->post([&] { ++ran; });
    pool->finish();
    EXPECT_EQ(ran, 1);
    EXPECT_FALSE(pool->post([] {}));
    go.set();
    other->finish();
}

// Two callback queues share the same threads. One queue has many callbacks, and the callback of the other queue must
// run between them.
TEST_F(shared_crew, queues_take_turns) {
    const auto busy = callback_queue::share({}, crew);
    const auto other = callback_queue::share({}, crew);
    event go;
    event done;
    std::atomic<int> ran{0};
    int ran_before = 0;
    constexpr int k_many = 10'000;
    busy->post([&] { EXPECT_TRUE(go.wait()); });
    for (int i = 0; i != k_many; ++i) busy->post([&] { ++ran; });
    busy->pump();
    other->post([&] {
        ran_before = ran;
        done.set();
    });
    other->pump();
    go.set();
    ASSERT_TRUE(done.wait());
    EXPECT_LT(ran_before, k_many / 2);
    busy->finish(in_time());
    other->finish(in_time());
    EXPECT_EQ(ran, k_many);
}

// A callback on the crew's only thread ends another callback queue and a worker pool. Their remaining tasks must then
// run on that same thread.
TEST(thread_crew_of_one, a_callback_ends_others_that_wait_for_its_thread) {
    const auto crew = thread_crew::start({.start = k_start, .most = 1});
    const auto queue = callback_queue::share({}, crew);
    const auto other = callback_queue::share({}, crew);
    const auto pool = worker_pool::share(crew);
    event posted;
    event done;
    int ran = 0;
    queue->post([&] {
        EXPECT_TRUE(posted.wait());
        other->finish(in_time());
        pool->finish();
        EXPECT_EQ(ran, 2);
        done.set();
    });
    queue->pump();
    other->post([&] { ++ran; });
    other->pump();
    pool->post([&] { ++ran; });
    posted.set();
    EXPECT_TRUE(done.wait());
    queue->finish(in_time());
    crew->finish();
}

// A task of each pool ends the other pool, and both tasks run on the crew's only thread. No task may wait for its own
// end.
TEST(thread_crew_of_one, pools_that_end_each_other_come_back) {
    const auto crew = thread_crew::start({.start = k_start, .most = 1});
    const auto first = worker_pool::share(crew);
    const auto second = worker_pool::share(crew);
    event posted;
    event done;
    first->post([&] {
        EXPECT_TRUE(posted.wait());
        second->finish();
        done.set();
    });
    second->post([&] {
        EXPECT_TRUE(first->on_this_thread());
        first->finish();
    });
    posted.set();
    EXPECT_TRUE(done.wait());
    crew->finish();
}

// While one thread of the crew is inside the queue's executor, another callback arrives for the queue. The crew's
// second thread is free, and runs other work meanwhile. Still, this second thread must not call the executor.
TEST(thread_crew_of_two, an_executor_is_called_by_one_thread_at_a_time) {
    const auto crew = thread_crew::start({.start = k_start, .most = 2});
    std::atomic<int> inside{0};
    event ran;
    std::shared_ptr<callback_queue> queue;
    queue = callback_queue::share(
        [&](const std::function<void()>& task) {
            EXPECT_EQ(++inside, 1);
            task();
            if (ran.count() == 1) {
                queue->post([&] { ran.set(); });
                queue->pump();
                event free;
                crew->post(working([&] { free.set(); }));
                EXPECT_TRUE(free.wait());
                EXPECT_EQ(ran.count(), 1U);
            }
            --inside;
        },
        crew);
    queue->post([&] { ran.set(); });
    queue->pump();
    EXPECT_TRUE(ran.wait(2));
    queue->finish(in_time());
    crew->finish();
}

// The crew's only thread has run a task for an inline executor. Now this thread ends another queue, whose executor is
// an event loop. The end of that queue must wait until the loop has run the queue's task.
TEST(thread_crew_of_one, a_thread_that_an_executor_ran_tasks_on_waits_for_another_executor) {
    const auto crew = thread_crew::start({.start = k_start, .most = 1});
    event ran;
    const auto queue = callback_queue::share(inline_executor(), crew);
    queue->post([&] { ran.set(); });
    queue->pump();
    ASSERT_TRUE(ran.wait());

    idle_loop loop;
    const auto other = callback_queue::share(loop.run(), crew);
    other->post([&] { ran.set(); });
    other->pump();
    ASSERT_TRUE(loop.wait());
    event done;
    alarm loop_goes_on{[&] { loop.run_all(); }};
    client_timers timers{new_timers()};
    crew->post(working([&] {
        timers.arm(loop_goes_on, boottime_clock::now() + std::chrono::milliseconds{20});
        other->finish(in_time());
        EXPECT_EQ(ran.count(), 2U);
        done.set();
    }));
    EXPECT_TRUE(done.wait());
    queue->finish(in_time());
    crew->finish();
}

TEST(thread_crew, its_end_does_not_wait_for_an_executors_call_that_ended_its_queue) {
    auto crew = thread_crew::start({.start = k_start});
    event ended;
    event go;
    event last;
    std::shared_ptr<callback_queue> queue;
    queue = callback_queue::share(
        [&](const std::function<void()>&) {
            queue->finish(boottime_clock::now());
            ended.set();
            EXPECT_TRUE(go.wait());
            last.set();
        },
        crew);
    queue->post([] {});
    queue->pump();
    ASSERT_TRUE(ended.wait());
    crew->finish();
    EXPECT_FALSE(last.is_set());
    go.set();
    EXPECT_TRUE(last.wait());
    const std::weak_ptr<thread_crew> watched = crew;
    queue = nullptr;
    crew = nullptr;
    EXPECT_TRUE(eventually([&] { return watched.expired(); })) << "its thread keeps it";
}

}  // namespace
}  // namespace turnstile::detail
