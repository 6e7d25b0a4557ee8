// SPDX-License-Identifier: Apache-2.0
// Tests the functions by which threads of a run wait. All of them wait in virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "turnstile/testing/deterministic_run.hpp"

namespace turnstile {
namespace {

using namespace std::chrono_literals;
using testing::require;
using testing::run_deterministically;
using testing::simulated_world;

testing::run_report play(const std::function<void(simulated_world&)>& test) {
    return run_deterministically({}, test, {.patience = 20s});
}

TEST(deterministic_waits, all_that_a_service_waits_with_takes_virtual_time) {
    const auto report = play([](simulated_world& world) {
        std::mutex own;
        std::condition_variable changed;
        std::shared_mutex several;
        std::once_flag once;
        std::atomic<int> word{0};
        int times = 0;
        bool ready = false;
        std::promise<int> promise;
        std::thread other{[&] {
            ::sleep(2);
            ::usleep(1'000);
            std::this_thread::sleep_until(std::chrono::steady_clock::now() + 2s);
            std::call_once(once, [&] { ++times; });
            {
                const std::lock_guard lock{own};
                ready = true;
            }
            changed.notify_one();
            word = 1;
            word.notify_all();
            promise.set_value(3);
            const std::unique_lock lock{several};
        }};
        std::unique_lock lock{own};
        const bool early = changed.wait_for(lock, 1s, [&] { return ready; });
        require(!early, "early");
        changed.wait(lock, [&] { return ready; });
        word.wait(0);
        require(promise.get_future().get() == 3, "another value");
        {
            const std::shared_lock first{several};
            const std::shared_lock second{several};
            require(!several.try_lock(), "read and written");
        }
        std::call_once(once, [&] { ++times; });
        require(times == 1, "not once");
        other.join();
        require(world.now() > 4s && world.now() < 5s, "another time");
    });
    EXPECT_TRUE(report.passed) << report.text();
}

TEST(deterministic_waits, mutexes_of_each_kind_are_what_they_are) {
    const auto report = play([](simulated_world& world) {
        std::recursive_mutex again;
        const std::lock_guard once_more{again};
        {
            const std::lock_guard twice{again};
            std::thread{[&] { require(!again.try_lock(), "taken by two"); }}.join();
        }
        std::thread{[&] { require(!again.try_lock(), "given up too early"); }}.join();
        std::timed_mutex timed;
        const std::lock_guard held{timed};
        std::shared_timed_mutex shared;
        const std::shared_lock reading{shared};
        std::thread{[&] {
            require(!timed.try_lock_for(2s), "taken by two");
            require(world.now() > 2s, "early");
            require(!shared.try_lock_for(2s), "written while it is read");
            require(shared.try_lock_shared_for(2s), "not read by two");
            shared.unlock_shared();
            require(world.now() > 4s && world.now() < 5s, "another time");
        }}.join();
    });
    EXPECT_TRUE(report.passed) << report.text();
}

TEST(deterministic_waits, waits_for_descriptors_take_virtual_time) {
    const auto report = play([](simulated_world& world) {
        const int timer = ::timerfd_create(CLOCK_MONOTONIC, 0);
        const int epoll = ::epoll_create1(0);
        epoll_event wanted{EPOLLIN, {.fd = timer}};
        require(::epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &wanted) == 0, "no epoll");
        require(::epoll_wait(epoll, &wanted, 1, 3'000) == 0, "a timer that is not set");
        require(world.now() > 3s, "no time has gone by");
        const itimerspec every_other{{2, 0}, {2, 0}};
        require(::timerfd_settime(timer, 0, &every_other, nullptr) == 0, "no timer");
        for (int i = 0; i != 3; ++i) {
            std::uint64_t count = 0;
            require(::epoll_wait(epoll, &wanted, 1, -1) == 1, "not told");
            require(::read(timer, &count, sizeof count) == sizeof count && count == 1, "not once");
        }
        std::uint64_t count = 0;
        require(::read(timer, &count, sizeof count) == sizeof count, "not read");
        require(world.now() > 11s && world.now() < 12s, "another time");
        timeval second{1, 0};
        require(::select(0, nullptr, nullptr, nullptr, &second) == 0, "nothing to be told");
        require(world.now() > 12s && world.now() < 13s, "another time");
        const auto end = std::chrono::steady_clock::now() + 1s;
        while (std::chrono::steady_clock::now() < end) {
        }
        sem_t permits;
        ::sem_init(&permits, 0, 0);
        std::thread giving{[&] {
            std::this_thread::sleep_for(1s);
            ::sem_post(&permits);
        }};
        require(::sem_wait(&permits) == 0, "no permit");
        giving.join();
        require(world.now() > 14s && world.now() < 15s, "another time");
    });
    EXPECT_TRUE(report.passed) << report.text();
}

// Thread-local objects are destroyed while the thread still belongs to the run, so their destructors may wait.
TEST(deterministic_waits, the_end_of_a_thread_is_in_the_run) {
    const auto report = play([](simulated_world&) {
        static std::mutex own;
        static int inside = 0;
        struct merging {
            ~merging() {
                const std::lock_guard lock{own};
                require(++inside == 1, "two inside one mutex");
                std::this_thread::sleep_for(1s);
                --inside;
            }
        };
        std::vector<std::thread> all;
        for (int i = 0; i != 3; ++i)
            all.emplace_back([] {
                static thread_local merging mine;
                (void)&mine;
            });
        for (auto& each : all) each.join();
        std::promise<int> late;
        std::thread telling{[&] { late.set_value_at_thread_exit(1); }};
        require(late.get_future().get() == 1, "not told");
        telling.join();
    });
    EXPECT_TRUE(report.passed) << report.text();
}

TEST(deterministic_waits, each_process_has_a_clock_of_its_own) {
    const auto report = run_deterministically({.clock_drift = 0.05}, [](simulated_world& world) {
        std::set<std::int64_t> lengths;
        for (const auto* name : {"ann", "bob", "cyd"})
            world.await(world.start(name, [&] {
                const auto began = world.now();
                const auto own = std::chrono::system_clock::now();
                std::this_thread::sleep_for(100s);
                const auto shown = std::chrono::system_clock::now() - own;
                require(shown >= 100s && shown < 101s, "not by its own clock");
                lengths.insert((world.now() - began) / 100ms);
            }));
        require(lengths.size() == 3, "equal clocks");
    });
    EXPECT_TRUE(report.passed) << report.text();
}

}  // namespace
}  // namespace turnstile
