// SPDX-License-Identifier: Apache-2.0
// Tests locks that a process's threads share: the process retains a lock, passes it between its threads, and releases
// it when other clients queue.
#include <atomic>
#include <chrono>
#include <vector>

#include "sharing_fixture.hpp"

namespace turnstile::tests {
namespace {

// ---- locks that a process retains after a release ---------------------------------------------

TEST_F(sharing, a_retained_lock_is_granted_again_under_the_same_znode) {
    mutex lock{*here, path, k_retained};
    auto first = lock.acquire({.timeout = limit()}).value();
    const auto znode = first.znode();
    const auto token = first.fencing_token();
    ASSERT_TRUE(first.release());
    for (std::uint32_t i = 1; i != 100; ++i) {
        auto again = lock.acquire({.timeout = limit()}).value();
        EXPECT_EQ(again.znode(), znode);
        EXPECT_EQ(again.fencing_token(), (fencing_token{token.zxid(), token.counter() + i}));
        EXPECT_TRUE(again.valid());
        again.unlock();
        EXPECT_FALSE(again.valid());
    }
    EXPECT_TRUE(lock.is_locked().value()) << "it stands at the servers while it is retained";
}

TEST_F(sharing, a_retained_lock_gives_way_when_somebody_else_comes) {
    mutex lock{*here, path, k_retained};
    ASSERT_TRUE(lock.acquire({.timeout = limit()}).value().release());
    mutex other{*there, path};
    auto theirs = other.acquire({.timeout = limit()});
    ASSERT_TRUE(theirs) << theirs.error().message();
    const auto token = theirs->fencing_token();
    EXPECT_EQ(lock.try_acquire().error(), errc::busy);
    ASSERT_TRUE(theirs->release());
    EXPECT_GT(lock.acquire({.timeout = limit()}).value().fencing_token(), token);
}

TEST_F(sharing, a_retained_lock_in_use_gives_way_at_its_release) {
    mutex lock{*here, path, k_retained};
    auto mine = lock.acquire({.timeout = limit()}).value();
    mutex other{*there, path};
    outcome theirs;
    event queued;
    other.async_acquire({.on_queued = [&](std::size_t) { queued.set(); }}, theirs.handler());
    ASSERT_TRUE(queued.wait());
    EXPECT_TRUE(mine.valid());
    mine.unlock();
    EXPECT_TRUE(theirs.is_granted());
}

TEST_F(sharing, it_is_given_up_with_the_last_object_of_its_path) {
    mutex other{*there, path};
    {
        mutex lock{*here, path, k_retained};
        auto first = lock.acquire({.timeout = limit()}).value();
        const auto znode = first.znode();
        ASSERT_TRUE(first.release());
        mutex same{*here, path, k_retained};
        EXPECT_EQ(same.try_acquire().value().znode(), znode) << "they share";
        EXPECT_TRUE(other.is_locked().value());
    }
    EXPECT_TRUE(eventually([&] { return !other.is_locked().value(); }));
}

TEST_F(sharing, an_idle_lock_goes_after_its_time) {
    mutex lock{*here, path, {.retain_for = 1ms}};
    ASSERT_TRUE(lock.acquire({.timeout = limit()}).value().release());
    mutex other{*there, path};
    EXPECT_TRUE(eventually([&] { return !other.is_locked().value(); }));
}

TEST_F(sharing, a_recursive_mutex_is_retained_too) {
    recursive_mutex lock{*here, path, k_retained};
    auto outer = lock.acquire({.timeout = limit()}).value();
    const auto znode = outer.znode();
    auto inner = lock.acquire().value();
    outer.unlock();
    EXPECT_TRUE(inner.valid());
    inner.unlock();
    EXPECT_EQ(lock.acquire({.timeout = limit()}).value().znode(), znode);
}

TEST_F(sharing, it_is_given_back_when_an_operator_asks) {
    mutex lock{*here, path, k_retained};
    auto mine = lock.acquire({.timeout = limit()}).value();
    event request_seen;
    ASSERT_TRUE(mine.release());
    mine = lock.acquire({.timeout = limit(),
                         .on_asked_to_release =
                             [&](const release_request& request) {
                                 EXPECT_EQ(request.who, "ops");
                                 request_seen.set();
                             }})
               .value();
    revocation power{*there, path};
    ASSERT_TRUE(power.ask(*lock.holder().value(), {.who = "ops", .why = "test"}));
    ASSERT_TRUE(request_seen.wait());
    mine.unlock();
    mutex other{*there, path};
    EXPECT_TRUE(eventually([&] { return !other.is_locked().value(); }));
}

TEST_F(sharing, who_is_granted_learns_what_was_asked_of_it_while_it_waited) {
    mutex other{*there, path};
    auto first = other.acquire({.timeout = limit()}).value();
    const auto eager = connect(
        {.callbacks = inline_executor()});  // so that its callbacks run before background tasks
    mutex lock{*eager, path, k_retained};
    event request;
    outcome waiting;
    lock.async_acquire(
        {.timeout = limit(), .on_asked_to_release = [&](const release_request&) { request.set(); }},
        waiting.handler());
    ASSERT_TRUE(eventually([&] { return other.queue().value().size() == 2; }));
    revocation power{*there, path};
    ASSERT_TRUE(power.ask(other.queue().value().back(), {.who = "ops", .why = "test"}));
    first.unlock();
    ASSERT_TRUE(waiting.is_granted());
    EXPECT_TRUE(request.wait());
}

// ---- locks with the option `cohort` ---------------------------------------------------------

TEST_F(sharing, threads_of_one_process_hand_it_over_in_the_order_of_arrival) {
    mutex lock{*here, path, k_cohort};
    auto first = lock.acquire({.timeout = limit()}).value();
    const auto znode = first.znode();
    std::vector<int> order;  // handlers run one at a time, so this needs no lock
    event done;
    for (int i = 0; i != 8; ++i) {
        lock.async_acquire({}, [&, i](result<guard> got) {
            EXPECT_EQ(got.value().znode(), znode);
            order.push_back(i);
            got.value().unlock();
            done.set();
        });
    }
    first.unlock();
    ASSERT_TRUE(done.wait(8));
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_TRUE(eventually([&] { return !lock.is_locked().value(); })) << "nobody wants it";
}

TEST_F(sharing, others_come_although_the_threads_of_the_process_never_stop_wanting_it) {
    mutex lock{*here, path, {.retain_for = 1h, .cohort = 3}};
    std::atomic<bool> stop{false};
    event running;
    std::vector<std::thread> threads;
    for (int i = 0; i != 2; ++i) {
        threads.emplace_back([&] {
            while (!stop) {
                auto hold = lock.acquire({.timeout = limit()});
                ASSERT_TRUE(hold) << hold.error().message();
                running.set();
            }
        });
    }
    EXPECT_TRUE(running.wait(2));
    mutex other{*there, path};
    for (int i = 0; i != 5; ++i) {
        auto theirs = other.acquire({.timeout = limit()});
        EXPECT_TRUE(theirs) << theirs.error().message();
    }
    stop = true;
    for (auto& thread : threads) thread.join();
}

TEST_F(sharing, exclusion_holds_between_processes_and_threads) {
    constexpr int k_grants = 200;
    std::atomic<int> inside{0};
    std::atomic<std::uint64_t> tokens{0};
    const auto work = [&](mutex& lock) {
        for (int i = 0; i != k_grants; ++i) {
            auto hold = lock.acquire({.timeout = limit()});
            ASSERT_TRUE(hold) << hold.error().message();
            EXPECT_EQ(inside.fetch_add(1), 0);
            EXPECT_LE(tokens.exchange(hold->fencing_token().zxid()), hold->fencing_token().zxid());
            inside.fetch_sub(1);
        }
    };
    mutex ours{*here, path, {.retain_for = 1h, .cohort = 3}};
    mutex retained{*there, path, k_retained};
    mutex strict{*there, path};
    std::vector<std::thread> threads;
    for (auto* lock : {&ours, &ours, &ours, &retained, &retained, &strict})
        threads.emplace_back([&work, lock] { work(*lock); });
    for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace turnstile::tests
