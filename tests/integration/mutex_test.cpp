// SPDX-License-Identifier: Apache-2.0
// Tests the mutex on a real server without failures.
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <boost/thread/locks.hpp>
#include <boost/thread/thread.hpp>

#include "needs_interruption.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

// C++20 has no concept for this named requirement of the standard.
template <class L>
concept timed_lockable = requires(L& l, std::chrono::milliseconds d,
                                  std::chrono::steady_clock::time_point t) {
    {l.lock()};
    {l.unlock()};
    { l.try_lock() } -> std::convertible_to<bool>;
    { l.try_lock_for(d) } -> std::convertible_to<bool>;
    { l.try_lock_until(t) } -> std::convertible_to<bool>;
};
static_assert(timed_lockable<mutex>);
static_assert(!std::is_copy_constructible_v<guard> && std::is_nothrow_move_constructible_v<guard>);
static_assert(std::is_nothrow_destructible_v<guard>);  // failure F34

class mutex_on_a_server : public ::testing::Test {
protected:
    const std::string path = lock_path();
    std::unique_ptr<client> servers = connect(server().connect_string());
    std::unique_ptr<client> observer = connect(server().connect_string());
    mutex lock{*servers, path};

    // Waits until the watch on the hold's znode is the only watch. The client sets that watch with the first request
    // that extends the hold's lease, at any time after the grant.
    static bool only_the_hold_watches() {
        return eventually([] { return server().counters(0).at("watch_count") == 1; });
    }

    void TearDown() override { EXPECT_TRUE(becomes_empty(*observer, path)); }
};

TEST_F(mutex_on_a_server, a_free_lock_is_granted_with_a_token_and_a_lease) {
    const auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(hold->valid());
    EXPECT_GT(hold->remaining().count(), 0);
    EXPECT_GT(hold->fencing_token(), fencing_token{});
    EXPECT_FALSE(hold->lost().stop_requested());
    EXPECT_EQ(hold->path(), path);
    EXPECT_TRUE(lock.is_locked().value());
    EXPECT_EQ(lock.position(*hold).value(), 0U);
}

TEST_F(mutex_on_a_server, the_znode_says_who_holds) {
    const auto hold = lock.acquire({.timeout = limit(), .label = "two words %"});
    ASSERT_TRUE(hold);
    const auto holder = lock.holder().value().value();
    EXPECT_EQ(holder.token, hold->fencing_token());
    EXPECT_EQ(holder.session_id, servers->session().id);
    EXPECT_EQ(holder.metadata.resource, path);
    EXPECT_EQ(holder.metadata.pid, std::to_string(::getpid()));
    EXPECT_EQ(holder.metadata.label, "two words %");
    EXPECT_FALSE(holder.metadata.host.empty());
    EXPECT_FALSE(holder.metadata.since.empty());
}

// Two clients each retain the lock for up to an hour, and must still pass it to each other. The holder's client also
// has an acquire that times out.
TEST_F(mutex_on_a_server, a_retained_lock_gives_way_to_another_client) {
    constexpr int k_rounds = 20;
    const lock_options modes{.retain_for = std::chrono::hours{1}, .cohort = 1};
    std::array locks{mutex{*servers, path, modes}, mutex{*observer, path, modes}};
    fencing_token before;
    for (int i = 0; i != k_rounds; ++i) {
        auto& taker = locks.at(static_cast<std::size_t>(i % 2));
        auto hold = taker.acquire({.timeout = limit()});
        ASSERT_TRUE(hold) << hold.error().message();
        EXPECT_GT(hold->fencing_token(), before);
        before = hold->fencing_token();
        const auto late = taker.acquire({.timeout = 1ms});
        EXPECT_EQ(late.error(), errc::timeout);
        ASSERT_TRUE(hold->release());
    }
    // A client that retains the lock must also pass it to a client that does not retain locks.
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    ASSERT_TRUE(hold->release());
    EXPECT_FALSE(lock.is_locked().value());
}

TEST_F(mutex_on_a_server, waiters_are_granted_in_the_order_of_arrival) {
    constexpr std::size_t k_waiters = 8;
    auto first = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(first);
    std::mutex order_lock;
    std::vector<std::size_t> order;
    std::vector<fencing_token> tokens{first->fencing_token()};
    testing::event done;
    for (std::size_t i = 0; i != k_waiters; ++i) {
        lock.async_acquire({}, [&, i](result<guard> hold) {
            {
                const std::lock_guard held{order_lock};
                order.push_back(i);
                if (hold) tokens.push_back(hold->fencing_token());
            }
            done.set();
        });
        ASSERT_TRUE(becomes_size(*observer, path, i + 2));
    }
    ASSERT_TRUE(first->release(limit()));
    ASSERT_TRUE(done.wait(k_waiters));
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    ASSERT_EQ(tokens.size(), k_waiters + 1);
    for (std::size_t i = 1; i != tokens.size(); ++i) EXPECT_LT(tokens[i - 1], tokens[i]);
}

TEST_F(mutex_on_a_server, a_waiter_is_told_its_position) {
    auto first = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(first);
    std::promise<std::size_t> ahead;
    auto waiting = std::async(std::launch::async, [&] {
        return lock.acquire(
            {.timeout = limit(), .on_queued = [&](std::size_t n) { ahead.set_value(n); }});
    });
    EXPECT_EQ(ahead.get_future().get(), 1U);
    first->unlock();
    EXPECT_TRUE(waiting.get().has_value());
}

// Failures F33 and F17: Curator's acquire(0) leaves a watch behind, and kazoo's non-blocking acquire leaves a znode.
TEST_F(mutex_on_a_server, F17_F33_a_failed_try_leaves_neither_znode_nor_watch) {
    auto first = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(first);
    ASSERT_TRUE(only_the_hold_watches());
    const auto second = lock.try_acquire();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error(), errc::busy);
    EXPECT_TRUE(becomes_size(*observer, path, 1));
    EXPECT_TRUE(only_the_hold_watches());
}

// Failures F29, F6, F24 and F13: however a wait ends, the client must remove the waiter's znode and watch.
TEST_F(mutex_on_a_server, F29_a_timeout_leaves_neither_znode_nor_watch) {
    auto first = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(first);
    ASSERT_TRUE(only_the_hold_watches());
    const auto second = lock.acquire({.timeout = 50ms});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error(), errc::timeout);
    EXPECT_TRUE(becomes_size(*observer, path, 1));
    EXPECT_TRUE(only_the_hold_watches());
}

TEST_F(mutex_on_a_server, F13_a_cancelled_wait_leaves_neither_znode_nor_watch) {
    auto first = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(first);
    ASSERT_TRUE(only_the_hold_watches());
    std::stop_source stop;
    auto waiting =
        std::async(std::launch::async, [&] { return lock.acquire({.stop = stop.get_token()}); });
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    stop.request_stop();
    const auto second = waiting.get();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error(), errc::cancelled);
    EXPECT_TRUE(becomes_size(*observer, path, 1));
    EXPECT_TRUE(only_the_hold_watches());
}

TEST_F(mutex_on_a_server, F6_an_interrupted_wait_leaves_no_znode) {
    TURNSTILE_NEEDS_INTERRUPTION();
    auto first = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(first);
    std::optional<errc> outcome;
    boost::thread waiting{[&] {
        const auto second = lock.acquire();
        if (!second) outcome = second.error().code();
    }};
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    waiting.interrupt();
    waiting.join();
    EXPECT_EQ(outcome, errc::interrupted);
    EXPECT_TRUE(becomes_size(*observer, path, 1));
}

TEST_F(mutex_on_a_server, F6_lock_throws_what_boost_expects_when_interrupted) {
    TURNSTILE_NEEDS_INTERRUPTION();
    auto first = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(first);
    bool thrown = false;
    boost::thread waiting{[&] {
        try {
            lock.lock();
        } catch (const boost::thread_interrupted&) {
            thrown = true;
        }
    }};
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    waiting.interrupt();
    waiting.join();
    EXPECT_TRUE(thrown);
    EXPECT_TRUE(becomes_size(*observer, path, 1));
}

// Failure F21: kazoo's acquire hangs on a closed client.
TEST_F(mutex_on_a_server, F21_close_ends_every_wait_and_removes_every_znode) {
    auto doomed = connect(server().connect_string());
    mutex theirs{*doomed, path};
    auto held = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(held);
    testing::event told;
    held->on_lost([&](const error& why) {
        if (why == errc::closed) told.set();
    });
    auto waiting = std::async(std::launch::async, [&] { return theirs.acquire(); });
    ASSERT_TRUE(becomes_size(*observer, path, 2));
    doomed->close();
    const auto second = waiting.get();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error(), errc::closed);
    EXPECT_TRUE(told.wait());
    EXPECT_FALSE(held->valid());
    EXPECT_TRUE(queue_names(*observer, path).empty());
    const auto late = theirs.acquire();
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error(), errc::closed);
    EXPECT_EQ(theirs.try_acquire().error(), errc::closed);
    EXPECT_EQ(theirs.is_locked().error(), errc::closed);
}

TEST_F(mutex_on_a_server, an_exception_releases) {
    const auto throws = [] { throw std::runtime_error{"as expected"}; };
    EXPECT_THROW(static_cast<void>(with_lock(lock, throws)), std::runtime_error);
    EXPECT_TRUE(becomes_empty(*observer, path));
    EXPECT_EQ(with_lock(lock, [](guard& hold) { return hold.valid(); }).value(), true);
}

TEST_F(mutex_on_a_server, the_standard_and_boost_forms_work) {
    mutex other{*servers, path + "-other"};
    {
        const std::scoped_lock both{lock, other};
        ASSERT_NE(lock.current(), nullptr);
        EXPECT_TRUE(lock.current()->valid());
        EXPECT_FALSE(lock.try_lock());
    }
    {
        const boost::unique_lock<mutex> held{lock};
        EXPECT_TRUE(held.owns_lock());
    }
    {
        boost::unique_lock<mutex> held{lock, boost::defer_lock};
        EXPECT_TRUE(held.try_lock_for(boost::chrono::seconds{20}));
    }
    std::unique_lock held{lock, std::chrono::steady_clock::now() + 20s};
    EXPECT_TRUE(held.owns_lock());
    std::thread{[&] { EXPECT_FALSE(lock.try_lock_for(20ms)); }}.join();
    EXPECT_EQ(lock.current()->path(), path);
}

TEST_F(mutex_on_a_server, F35_only_the_owner_unlocks) {
    lock.lock();
    std::thread{[&] {
        try {
            lock.unlock();
            ADD_FAILURE() << "somebody else's lock was released";
        } catch (const std::system_error& refused) {
            EXPECT_EQ(refused.code(), errc::not_owner);
        }
    }}.join();
    EXPECT_TRUE(lock.current()->valid());
    EXPECT_THROW(lock.lock(), std::system_error);  // would_deadlock
    lock.unlock();
    EXPECT_THROW(lock.unlock(), std::system_error);
}

// Failure F34: a move-assignment must release the lock that the guard held before.
TEST_F(mutex_on_a_server, F34_a_move_assignment_releases_what_was_held) {
    mutex other{*servers, path + "-other"};
    auto hold = lock.acquire({.timeout = limit()}).value();
    hold = other.acquire({.timeout = limit()}).value();
    EXPECT_EQ(hold.path(), path + "-other");
    EXPECT_TRUE(becomes_empty(*observer, path));
    hold = guard{};
    EXPECT_TRUE(becomes_empty(*observer, path + "-other"));
    EXPECT_FALSE(hold.valid());
    EXPECT_EQ(hold.release().error(), errc::not_held);
}

// Failure F14: in Curator and in a Go library, a foreign child blocks all contenders.
TEST_F(mutex_on_a_server, F14_foreign_children_are_ignored) {
    mutex inside{*servers, path + "/not-a-contender"};
    const auto foreign = inside.acquire({.timeout = limit()});
    ASSERT_TRUE(foreign);
    const auto hold = lock.acquire({.timeout = limit()});
    EXPECT_TRUE(hold) << hold.error().message();
    EXPECT_EQ(lock.queue().value().size(), 1U);
}

TEST_F(mutex_on_a_server, F23_two_mutexes_on_one_path_exclude_each_other) {
    mutex twin{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    EXPECT_EQ(twin.try_acquire().error(), errc::busy);
    hold->unlock();
    const auto next = twin.acquire({.timeout = limit()});
    EXPECT_TRUE(next);
}

TEST_F(mutex_on_a_server, F5_a_missing_parent_is_made_again) {
    mutex deep{*servers, path + "/a/b/c/d"};
    ASSERT_TRUE(deep.acquire({.timeout = limit()})->release(limit()));
    EXPECT_TRUE(deep.acquire({.timeout = limit()}).has_value());
}

}  // namespace
}  // namespace turnstile::tests
