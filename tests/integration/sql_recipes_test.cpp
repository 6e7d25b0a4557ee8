// SPDX-License-Identifier: Apache-2.0
// Tests each recipe on a database with two clients, without failures.
#include <future>

#include "sql_backend.hpp"
#include "wait_ring.hpp"

namespace turnstile::tests {
namespace {

class sql_recipes : public ::testing::Test {
protected:
    const std::string path = lock_path();
    std::unique_ptr<client> client_a = connect_to_database();
    std::unique_ptr<client> client_b = connect_to_database();

    // Checks that `second` waits while the hold `first` exists, and gets the lock after the release of `first`.
    template <class Acquire>
    void hands_over(guard first, Acquire second, std::size_t waiting = 2) {
        auto next = std::async(std::launch::async, std::move(second));
        ASSERT_TRUE(becomes_size(*client_a, path, waiting));
        EXPECT_EQ(next.wait_for(0s), std::future_status::timeout);
        const auto token = first.fencing_token();
        ASSERT_TRUE(first.release());
        const auto hold = next.get();
        ASSERT_TRUE(hold) << hold.error().message();
        EXPECT_TRUE(hold->valid());
        EXPECT_GT(hold->fencing_token(), token);
    }
};

TEST_F(sql_recipes, a_mutex_is_handed_over) {
    mutex mine{*client_a, path};
    mutex other{*client_b, path};
    auto hold = mine.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_EQ(hold->evidence(), lease_evidence::direct);
    EXPECT_EQ(other.try_acquire().error(), errc::busy);
    hands_over(std::move(*hold), [&] { return other.acquire({.timeout = limit()}); });
    EXPECT_TRUE(becomes_empty(*client_a, path));
}

TEST_F(sql_recipes, readers_share_and_a_writer_waits_for_them) {
    shared_mutex mine{*client_a, path};
    shared_mutex other{*client_b, path};
    auto reader = mine.acquire_shared({.timeout = limit()});
    ASSERT_TRUE(reader) << reader.error().message();
    ASSERT_TRUE(other.acquire_shared({.timeout = limit()}).has_value());
    EXPECT_EQ(other.try_acquire().error(), errc::busy);
    auto writer =
        std::async(std::launch::async, [&] { return other.acquire({.timeout = limit()}); });
    ASSERT_TRUE(eventually([&] {
        const auto late = mine.try_acquire_shared();
        return !late && late.error() == errc::busy;
    })) << "readers behind a writer wait";
    ASSERT_TRUE(reader->release());
    EXPECT_TRUE(writer.get().has_value());
}

TEST_F(sql_recipes, a_semaphore_has_so_many_permits) {
    semaphore mine{*client_a, path, 2};
    semaphore other{*client_b, path, 2};
    auto first = mine.acquire({.timeout = limit()});
    ASSERT_TRUE(first) << first.error().message();
    auto second = other.acquire({.timeout = limit()});
    ASSERT_TRUE(second) << second.error().message();
    EXPECT_EQ(other.try_acquire().error(), errc::busy);
    auto third =
        std::async(std::launch::async, [&] { return other.acquire({.timeout = limit()}); });
    ASSERT_TRUE(first->release());
    EXPECT_TRUE(third.get().has_value());
}

TEST_F(sql_recipes, leaders_take_turns) {
    testing::event led_one;
    testing::event led_two;
    leader first{
        *client_a, path, [&](leader_term&) { led_one.set(); }, {.id = "one", .pause = 10ms}};
    leader second{
        *client_b, path, [&](leader_term&) { led_two.set(); }, {.id = "two", .pause = 10ms}};
    first.start();
    second.start();
    EXPECT_TRUE(led_one.wait(3));
    EXPECT_TRUE(led_two.wait(3));
    first.close();
    second.close();
}

TEST_F(sql_recipes, an_observer_sees_each_leader) {
    leader first{*client_a, path, {.id = "one", .data = "10.0.0.1:80"}};
    leader second{*client_b, path, {.id = "two"}};
    testing::event saw_first;
    testing::event saw_second;
    const leader_watch watch{*client_b, path, [&](const std::optional<participant>& leads) {
                                 if (leads && leads->data == "10.0.0.1:80") saw_first.set();
                                 if (leads && leads->id == "two") saw_second.set();
                             }};
    first.start();
    EXPECT_TRUE(saw_first.wait());
    second.start();
    ASSERT_TRUE(eventually([&] { return second.participants().value().size() == 2; }));
    first.close();
    EXPECT_TRUE(saw_second.wait());
}

TEST_F(sql_recipes, several_locks_are_taken_at_once) {
    mutex a{*client_a, path + ".a"};
    mutex b{*client_a, path + ".b"};
    mutex other_a{*client_b, path + ".a"};
    mutex other_b{*client_b, path + ".b"};
    multi_lock mine{a, b};
    multi_lock other{other_b, other_a};
    auto hold = mine.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_EQ(other.try_acquire().error(), errc::busy);
    ASSERT_TRUE(hold->release());
    const auto taken = other.acquire({.timeout = limit()});
    ASSERT_TRUE(taken) << taken.error().message();
    EXPECT_EQ(taken->fencing_tokens().size(), 2U);
}

TEST_F(sql_recipes, a_commit_writes_under_the_hold_alone) {
    mutex lock{*client_a, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const std::string stock = path + ".stock";
    const auto created = hold->commit(transaction{}.create(stock, "1"), {.timeout = limit()});
    ASSERT_TRUE(created) << created.error().message();
    ASSERT_TRUE(
        hold->commit(transaction{}.set(stock, "0", created->versions[0]), {.timeout = limit()}));
    EXPECT_EQ(hold->commit(transaction{}.set(stock, "x", 0), {.timeout = limit()}).error(),
              errc::bad_version);
    mutex breaker{*client_b, path};
    const auto queue = queue_names(*client_b, path);
    ASSERT_EQ(queue.size(), 1U);
}

TEST_F(sql_recipes, a_deadlock_is_broken_by_one_of_those_that_wait) {
    expect_one_gives_up(path, 3, [] { return connect_to_database(); });
}

TEST_F(sql_recipes, a_queue_is_served_in_the_order_of_arrival) {
    constexpr std::size_t k_waiters = 10;
    mutex mine{*client_a, path};
    mutex other{*client_b, path};
    auto hold = mine.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    std::mutex mutex_of_order;
    std::vector<std::size_t> order;
    testing::event granted;
    for (std::size_t i = 0; i != k_waiters; ++i) {
        (i % 2 == 0 ? mine : other).async_acquire({}, [&, i](result<guard> next) {
            const std::lock_guard lock{mutex_of_order};
            if (next) order.push_back(i);
            granted.set();
        });
        ASSERT_TRUE(becomes_size(*client_a, path, i + 2));
    }
    ASSERT_TRUE(hold->release());
    ASSERT_TRUE(granted.wait(k_waiters));
    const std::lock_guard lock{mutex_of_order};
    ASSERT_EQ(order.size(), k_waiters);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(sql_recipes, a_waiter_is_told_though_its_own_session_is_long) {
    const auto patient = connect_to_database(k_for_ever);
    mutex mine{*client_a, path};
    mutex other{*patient, path};
    auto hold = mine.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    hands_over(std::move(*hold), [&] { return other.acquire({.timeout = limit()}); });
}

}  // namespace
}  // namespace turnstile::tests
