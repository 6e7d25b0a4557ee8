// SPDX-License-Identifier: Apache-2.0
// Tests the threads that clients share (a crew). A thread serves each client's work even while other clients' work
// blocks. When the crew ends, it waits until the work that runs has returned.
#include "client/thread_crew.hpp"

#include <array>
#include <vector>

#include <pthread.h>

#include "crew_support.hpp"
#include "support.hpp"

namespace turnstile::detail {
namespace {

using namespace turnstile::tests;

std::string own_name() {
    std::array<char, 16> name{};
    ::pthread_getname_np(::pthread_self(), name.data(), name.size());
    return name.data();
}

TEST(thread_crew, its_threads_have_its_name) {
    const auto crew = thread_crew::start({.start = k_start});
    std::string name;
    event done;
    crew->post(working([&] {
        name = own_name();
        done.set();
    }));
    ASSERT_TRUE(done.wait());
    crew->finish();
    EXPECT_EQ(name, "test-work");
}

TEST(thread_crew, those_with_more_to_do_take_turns) {
    const auto crew = thread_crew::start({.start = k_start, .most = 1});
    std::string order;
    event both;
    event begun;
    event done;
    crew->post(working([&] {
        begun.set();
        EXPECT_TRUE(both.wait());
    }));
    ASSERT_TRUE(begun.wait());
    for (const char name : {'a', 'b'}) {
        crew->post(working(
            [&, name] {
                order += name;
                done.set();
            },
            3));
    }
    both.set();
    ASSERT_TRUE(done.wait(6));
    crew->finish();
    EXPECT_EQ(order, "ababab");
}

// The crew (threads that clients share) may have one thread, but blocked threads do not count.
TEST(thread_crew, a_member_gets_its_turn_while_others_block) {
    const auto crew = thread_crew::start({.start = k_start, .most = 1, .timers = new_timers()});
    event go;
    event done;
    for (int i = 0; i != 5; ++i) {
        crew->post(working([&] {
            EXPECT_TRUE(go.wait());
            done.set();
        }));
    }
    crew->post(working([&] { go.set(); }));
    EXPECT_TRUE(done.wait(5));
    crew->finish();
}

TEST(thread_crew, its_end_waits_for_turns_but_not_for_one_that_has_let_go) {
    const auto crew = thread_crew::start({.start = k_start});
    event begun;
    event go;
    event last;
    std::atomic<bool> ended{false};
    crew->post(working([&] {
        crew->let_go(boost::this_thread::get_id());
        begun.set();
        EXPECT_TRUE(go.wait());
        last.set();
    }));
    crew->post(working([&] {
        begun.set();
        EXPECT_TRUE(begun.wait(2));
        ended = true;
    }));
    ASSERT_TRUE(begun.wait(2));
    crew->finish();
    EXPECT_TRUE(ended);
    EXPECT_FALSE(last.is_set());
    go.set();
    EXPECT_TRUE(last.wait());
}

// A crew without timers belongs to one client. It never has more than `most` threads, even if its work blocks a thread
// for a long time.
TEST(thread_crew, without_timers_it_has_no_more_threads_than_it_may) {
    std::atomic<int> threads{0};
    auto start = k_start;
    start.around = [&](const runtime_thread&, const std::function<void()>& work) {
        ++threads;
        work();
    };
    const auto crew = thread_crew::start({.start = start, .most = 1});
    event long_ago;
    event done;
    alarm later{[&] { long_ago.set(); }};
    client_timers timers{new_timers()};
    crew->post(working([&] {
        timers.arm(later, boottime_clock::now() + 2 * thread_crew::k_blocked_after);
        EXPECT_TRUE(long_ago.wait());
        crew->post(working([&] { done.set(); }));
    }));
    EXPECT_TRUE(done.wait());
    crew->finish();
    EXPECT_EQ(threads, 1);
}

TEST(thread_crew, ends_in_a_turn) {
    auto crew = thread_crew::start({.start = k_start});
    event done;
    crew->post(working([&] {
        crew->finish();
        crew = nullptr;
        done.set();
    }));
    EXPECT_TRUE(done.wait());
}

// ---- hooks around a thread --------------------------------------------------------------------

using work_of_a_thread = const std::function<void()>&;

std::size_t turns_with(const thread_start::hook& around) {
    auto start = k_start;
    start.around = around;
    const auto crew = thread_crew::start({.start = start, .most = 1});
    event done;
    crew->post(working([&] { done.set(); }));
    EXPECT_TRUE(done.wait());
    crew->finish();
    return done.count();
}

TEST(thread_crew, a_thread_begins_and_ends_in_the_users_function) {
    std::vector<std::string> told;
    EXPECT_EQ(turns_with([&](const runtime_thread& thread, work_of_a_thread work) {
                  EXPECT_EQ(thread.duty, thread_duty::work);
                  told.emplace_back(thread.name);
                  work();
                  told.emplace_back("ended");
              }),
              1U);
    EXPECT_EQ(told, (std::vector<std::string>{"test-work", "ended"}));
}

TEST(thread_crew, a_threads_work_is_done_once_whatever_the_users_function_does) {
    const std::vector<thread_start::hook> all{
        [](const runtime_thread&, work_of_a_thread) {},
        [](const runtime_thread&, work_of_a_thread) { throw std::runtime_error{"as expected"}; },
        [](const runtime_thread&, work_of_a_thread work) {
            work();
            throw 1;
        },
        [](const runtime_thread&, work_of_a_thread work) {
            work();
            work();
        }};
    for (const auto& around : all) EXPECT_EQ(turns_with(around), 1U);
}

}  // namespace
}  // namespace turnstile::detail
