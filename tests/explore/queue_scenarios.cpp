// SPDX-License-Identifier: Apache-2.0
// Scenarios for callback_queue and worker_pool, whose tasks run on a crew: threads that several queues and pools share.
// Each task must run once, and queues, pools and crews must end.
#include <atomic>
#include <deque>
#include <stdexcept>

#include "client/callback_queue.hpp"
#include "client/worker_pool.hpp"
#include "explore/scenarios.hpp"
#include "explore/support.hpp"

namespace turnstile::explore {

namespace {

using detail::callback_queue;
using detail::worker_pool;

// Returns a deadline that no scenario reaches. With it, finish() of a queue waits until the executor has run all
// callbacks.
boottime_clock::time_point at_leisure() {
    return boottime_clock::now() + std::chrono::hours{1};
}

// Makes callbacks, counts them, and checks that they run one at a time.
class callbacks {
public:
    std::function<void()> next(std::function<void()> work = {}) {
        ++posted_;
        return [this, work = std::move(work)] {
            require(!busy_.exchange(true), "two callbacks run at the same time");
            if (work) work();
            busy_ = false;
            ++ran_;
        };
    }
    void require_all() const {
        require(ran_ >= posted_, "a callback that was posted never ran");
        require(ran_ <= posted_, "a callback ran twice");
    }

private:
    std::atomic<int> posted_{0};
    std::atomic<int> ran_{0};
    std::atomic<bool> busy_{false};
};

void post_beside_finish() {
    callbacks all;
    const auto queue = callback_queue::start({});
    queue->post(all.next());
    queue->pump();
    actor other{[&] {
        for (int i = 0; i != 2; ++i) {
            queue->post(all.next());
            queue->pump();
        }
    }};
    queue->finish(at_leisure());
    other.join();
    all.require_all();
}

void executor_that_throws() {
    callbacks all;
    int calls = 0;
    const auto queue = callback_queue::start([&calls](const std::function<void()>& task) {
        if (++calls % 2 == 1) throw std::runtime_error{"no"};
        task();
    });
    actor other{[&] {
        queue->post(all.next());
        queue->pump();
    }};
    queue->post(all.next());
    queue->pump();
    other.join();
    queue->finish(at_leisure());
    all.require_all();
}

// The queue's end must not wait for an executor that drops its tasks. The queue's thread, or the thread that ends the
// queue, must run the dropped tasks.
void executor_that_drops() {
    callbacks all;
    const auto queue = callback_queue::start([](const std::function<void()>&) {});
    for (int i = 0; i != 2; ++i) {
        queue->post(all.next());
        queue->pump();
    }
    queue->finish(boottime_clock::now());
    all.require_all();
}

// The executor is an event loop with one thread. finish() must wait for the loop, and the loop must run all tasks.
void executor_of_one_thread() {
    callbacks all;
    base::mutex mutex;
    base::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    bool over = false;
    actor loop{[&] {
        base::unique_lock lock{mutex};
        for (;;) {
            while (tasks.empty() && !over) changed.wait(lock);
            if (tasks.empty()) return;
            const auto next = std::move(tasks.front());
            tasks.pop_front();
            lock.unlock();
            next();
            lock.lock();
        }
    }};
    const auto queue = callback_queue::start([&](std::function<void()> task) {
        const base::lock_guard lock{mutex};
        tasks.push_back(std::move(task));
        changed.notify_all();
    });
    for (int i = 0; i != 2; ++i) {
        queue->post(all.next());
        queue->pump();
    }
    queue->finish(at_leisure());
    all.require_all();
    const base::lock_guard lock{mutex};
    over = true;
    changed.notify_all();
}

void finish_in_a_callback_beside_finish() {
    callbacks all;
    const auto queue = callback_queue::start({});
    queue->post(all.next([&] { queue->finish(at_leisure()); }));
    queue->post(all.next());
    queue->pump();
    queue->finish(at_leisure());
    all.require_all();
}

void tasks_beside_finish() {
    std::atomic<int> taken{0};
    std::atomic<int> done{0};
    const auto pool = worker_pool::start({.most = 2});
    const auto post = [&](auto&& again) -> void {
        if (pool->post([&, again] {
                ++done;
                if (done == 1) again(again);
            }))
            ++taken;
    };
    actor other{[&] { post(post); }};
    post(post);
    pool->finish();
    other.join();
    require(done == taken, "a task that was taken was not done");
}

// The queues of two clients share one thread (a crew). One queue ends while other threads post to both queues.
void end_of_one_of_two_queues() {
    callbacks ones;
    callbacks others;
    const auto crew = detail::thread_crew::start({.start = {.name = "crew"}, .most = 1});
    const auto queue = callback_queue::share({}, crew);
    const auto other = callback_queue::share({}, crew);
    queue->post(ones.next());
    queue->pump();
    actor beside{[&] {
        other->post(others.next());
        other->pump();
        queue->post(ones.next());
        queue->pump();
    }};
    queue->finish(at_leisure());
    other->finish(at_leisure());
    beside.join();
    crew->finish();
    ones.require_all();
    others.require_all();
}

// A crew (threads that queues share) has one thread. A callback on this thread ends another queue, a worker pool, its
// own queue and the crew. Meanwhile the other queue's callback has no thread to run on.
void end_of_all_in_a_callback() {
    // This object is static, because a thread may use it after this function has returned.
    static callbacks ones;
    callbacks others;
    const auto crew = detail::thread_crew::start({.start = {.name = "crew"}, .most = 1});
    const auto queue = callback_queue::share({}, crew);
    const auto other = callback_queue::share({}, crew);
    const auto pool = worker_pool::share(crew);
    std::atomic<int> done{0};
    const bool taken = pool->post([&] { ++done; });
    static base::mutex mutex;
    static base::condition_variable changed;
    static bool over = false;
    queue->post(ones.next([&] {
        other->finish(at_leisure());
        pool->finish();
        queue->finish(at_leisure());
        crew->finish();
        const base::lock_guard lock{mutex};
        over = true;
        changed.notify_all();
    }));
    queue->pump();
    actor beside{[&] {
        other->post(others.next());
        other->pump();
    }};
    beside.join();
    {
        base::unique_lock lock{mutex};
        while (!over) changed.wait(lock);
    }
    require(done == (taken ? 1 : 0), "a task that was taken was not done");
    others.require_all();
}

// A crew (the threads that queues and pools share) lets one queue or pool run at a time. When a callback blocks, the
// crew must notice that and let another queue or pool run.
void turns_while_one_blocks() {
    callbacks others;
    const auto timers = std::make_shared<detail::timer_thread>(
        detail::thread_start{.duty = thread_duty::timers, .name = "timers"});
    const auto crew =
        detail::thread_crew::start({.start = {.name = "crew"}, .most = 1, .timers = timers});
    const auto queue = callback_queue::share({}, crew);
    const auto other = callback_queue::share({}, crew);
    base::mutex mutex;
    base::condition_variable changed;
    bool told = false;
    callbacks ones;
    queue->post(ones.next([&] {
        base::unique_lock lock{mutex};
        while (!told) changed.wait(lock);
    }));
    queue->pump();
    other->post(others.next([&] {
        const base::lock_guard lock{mutex};
        told = true;
        changed.notify_all();
    }));
    other->pump();
    queue->finish(at_leisure());
    other->finish(at_leisure());
    crew->finish();
    ones.require_all();
    others.require_all();
}

}  // namespace

std::vector<scenario> queue_scenarios() {
    return {
        {"queue_post_finish", "callback_queue: post() and pump() beside finish()",
         post_beside_finish},
        {"queue_throwing_executor", "callback_queue: an executor that throws every other time",
         executor_that_throws},
        {"queue_loop_executor",
         "callback_queue: an executor with a thread of its own, and finish()",
         executor_of_one_thread},
        {"queue_dropping_executor",
         "callback_queue: an executor that drops tasks, and a finish() that does not wait for it",
         executor_that_drops},
        {"queue_finish_inside", "callback_queue: finish() in a callback beside finish()",
         finish_in_a_callback_beside_finish},
        {"worker_pool_post_finish", "worker_pool: post() beside finish(), a task that posts",
         tasks_beside_finish},
        {"crew_end_of_one", "thread_crew: two queues, and finish() of one beside posts to both",
         end_of_one_of_two_queues},
        {"crew_end_inside", "thread_crew: a callback ends all that share its thread, and the crew",
         end_of_all_in_a_callback},
        {"crew_blocked", "thread_crew: a callback waits for one that waits for its thread",
         turns_while_one_blocks},
    };
}

}  // namespace turnstile::explore
