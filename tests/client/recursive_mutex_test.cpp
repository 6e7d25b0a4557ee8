// SPDX-License-Identifier: Apache-2.0
// Tests recursive_mutex: the owner of a hold, the number of entries, and a loss.
#include <future>
#include <thread>

#include <boost/thread/lock_types.hpp>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class recursive : public shell_test {
protected:
    std::unique_ptr<client> servers = connect({.close_timeout = 50ms});
    recursive_mutex lock{*servers, "/lock"};

    template <class F>
    [[nodiscard]] static errc refusal(F&& call) {
        try {
            call();
        } catch (const std::system_error& refused) {
            return static_cast<errc>(refused.code().value());
        }
        return errc{};
    }
    [[nodiscard]] std::size_t contenders() const { return lock.queue().value().size(); }
};

TEST_F(recursive, the_owner_enters_again_and_the_last_guard_releases) {
    auto outer = lock.acquire();
    auto inner = lock.acquire({.timeout = 0s});
    ASSERT_TRUE(outer && inner);
    EXPECT_EQ(contenders(), 1U);
    EXPECT_EQ(lock.count(), 2U);
    EXPECT_EQ(inner->fencing_token(), outer->fencing_token());
    EXPECT_EQ(inner->znode(), outer->znode());
    ASSERT_TRUE(outer->release());  // any order of releases is allowed
    EXPECT_TRUE(inner->valid());
    EXPECT_EQ(contenders(), 1U);
    ASSERT_TRUE(inner->release());
    EXPECT_EQ(contenders(), 0U);
    EXPECT_EQ(lock.count(), 0U);
}

TEST_F(recursive, another_thread_waits_for_all_guards) {
    auto outer = lock.acquire().value();
    auto inner = lock.acquire().value();
    std::thread{[&] {
        EXPECT_EQ(lock.try_acquire().error(), errc::busy);
        EXPECT_EQ(lock.count(), 0U);
    }}.join();
    auto next = std::async(std::launch::async, [&] { return lock.acquire().value().znode(); });
    ASSERT_TRUE(eventually([&] { return contenders() == 2; }));
    const auto mine = inner.znode();
    inner.unlock();
    EXPECT_TRUE(outer.valid());
    EXPECT_EQ(lock.holder().value()->name, mine.substr(mine.rfind('/') + 1));
    outer.unlock();
    EXPECT_NE(next.get(), mine);
}

TEST_F(recursive, a_token_of_an_owner_moves_between_threads) {
    const auto job = owner::make();
    auto outer = lock.acquire({}, job).value();
    // This thread is not the owner of the hold.
    EXPECT_EQ(lock.try_acquire().error(), errc::busy);
    std::thread{[&] {
        auto inner = lock.acquire({}, job);
        ASSERT_TRUE(inner);
        EXPECT_EQ(lock.count(job), 2U);
        EXPECT_TRUE(inner->release());
        EXPECT_TRUE(outer.release());
    }}.join();
    EXPECT_EQ(contenders(), 0U);
}

// Failure F16: Curator grants a re-entrant acquire from a table, even after the session has expired.
TEST_F(recursive, F16_a_lost_hold_is_not_entered_again) {
    auto outer = lock.acquire().value();
    faults.expire(servers->session().id);
    ASSERT_TRUE(eventually([&] { return !outer.valid(); }));
    const auto again = lock.acquire();
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error(), errc::session_lost);
    EXPECT_NE(again.error().message().find(outer.znode()), std::string::npos);
    EXPECT_EQ(lock.try_acquire().error(), errc::session_lost);
    EXPECT_EQ(refusal([&] { (void)lock.try_lock(); }), errc::session_lost);
    outer.unlock();
    auto fresh = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(fresh);
    EXPECT_TRUE(fresh->valid());
}

TEST_F(recursive, F16_a_hold_whose_lease_ran_out_is_not_entered_again) {
    const auto mine = connect({.session_timeout = 200ms, .close_timeout = 50ms});
    recursive_mutex short_lock{*mine, "/short"};
    auto outer = short_lock.acquire().value();
    faults.detach(mine->session().id);
    ASSERT_TRUE(eventually([&] { return !outer.valid(); }));
    EXPECT_EQ(short_lock.acquire({.timeout = 0s}).error(), errc::session_lost);
}

// Failure F35: in another library, an unlock removes another client's lock.
TEST_F(recursive, F35_only_the_owner_gives_it_up) {
    auto outer = lock.acquire().value();
    lock.lock();
    std::thread{[&] {
        EXPECT_EQ(refusal([&] { lock.unlock(); }), errc::not_owner);
        EXPECT_EQ(outer.release().error(), errc::not_owner);
        EXPECT_EQ(outer.release(1s).error(), errc::not_owner);
    }}.join();
    EXPECT_TRUE(outer.valid());
    EXPECT_EQ(lock.count(), 2U);
    lock.unlock();
    EXPECT_EQ(refusal([&] { lock.unlock(); }), errc::not_owner);
    EXPECT_TRUE(outer.release());
}

TEST_F(recursive, all_guards_are_told_of_a_loss_and_released_ones_are_not) {
    testing::event by_option;
    testing::event by_guard;
    std::atomic<int> wrong{0};
    auto outer = lock.acquire({.on_lost = [&](const error&) { by_option.set(); }}).value();
    auto inner = lock.acquire().value();
    inner.on_lost([&](const error&) { by_guard.set(); });
    auto given_up = lock.acquire({.on_lost = [&](const error&) { ++wrong; }}).value();
    given_up.unlock();
    faults.expire(servers->session().id);
    EXPECT_TRUE(by_option.wait());
    EXPECT_TRUE(by_guard.wait());
    EXPECT_TRUE(eventually([&] { return inner.lost().stop_requested(); }));
    EXPECT_EQ(outer.status().error(), errc::session_lost);
    servers->close();
    EXPECT_EQ(wrong, 0);
}

TEST_F(recursive, asynchronous_holds_belong_to_an_explicit_owner) {
    const auto job = owner::make();
    std::promise<guard> first;
    std::promise<guard> second;
    lock.async_acquire({}, job, [&](result<guard> r) { first.set_value(std::move(r).value()); });
    auto outer = first.get_future().get();
    lock.async_acquire({}, job, [&](result<guard> r) { second.set_value(std::move(r).value()); });
    auto inner = second.get_future().get();
    EXPECT_EQ(lock.count(job), 2U);
    EXPECT_TRUE(inner.release());
    EXPECT_TRUE(outer.release());
    EXPECT_EQ(refusal([&] {
                  lock.async_acquire({}, owner::calling_thread(), [](const result<guard>&) {});
              }),
              errc::bad_option);
    EXPECT_EQ(refusal([&] { lock.async_acquire({}, job, nullptr); }), errc::bad_option);
}

TEST_F(recursive, an_owner_that_waits_already_is_refused) {
    auto held = lock.acquire().value();
    const auto job = owner::make();
    testing::event queued;
    std::stop_source stop;
    auto waiting = std::async(std::launch::async, [&] {
        return lock.acquire(
            {.stop = stop.get_token(), .on_queued = [&](std::size_t) { queued.set(); }}, job);
    });
    ASSERT_TRUE(queued.wait());
    EXPECT_EQ(lock.acquire({}, job).error(), errc::would_deadlock);
    stop.request_stop();
    EXPECT_EQ(waiting.get().error(), errc::cancelled);
    held.unlock();
    EXPECT_TRUE(lock.acquire({}, job).has_value());  // the failed call left no state behind
}

TEST_F(recursive, the_standard_forms_count) {
    const std::unique_lock first{lock};
    {
        const std::scoped_lock two{lock};
        boost::unique_lock<recursive_mutex> three{lock, boost::try_to_lock};
        EXPECT_TRUE(three.owns_lock());
        EXPECT_EQ(lock.count(), 3U);
        std::thread{[&] {
            EXPECT_FALSE(lock.try_lock());
            EXPECT_FALSE(lock.try_lock_for(1ms));
        }}.join();
    }
    EXPECT_EQ(lock.count(), 1U);
    ASSERT_NE(lock.current(), nullptr);
    EXPECT_TRUE(lock.current()->valid());
    EXPECT_EQ(contenders(), 1U);
}

TEST_F(recursive, guards_outlive_the_mutex_and_the_client) {
    auto gone = std::make_unique<recursive_mutex>(*servers, "/gone");
    auto outer = gone->acquire().value();
    auto inner = gone->acquire().value();
    gone.reset();
    inner.unlock();
    EXPECT_TRUE(outer.valid());
    servers.reset();
    EXPECT_EQ(outer.status().error(), errc::closed);
    EXPECT_FALSE(inner);
}

}  // namespace
}  // namespace turnstile::tests
