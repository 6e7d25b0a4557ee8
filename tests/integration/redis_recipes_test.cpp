// SPDX-License-Identifier: Apache-2.0
// Tests the recipes on a Redis server that does not fail.
#include <atomic>
#include <future>
#include <thread>

#include "redis_support.hpp"
#include "turnstile/testing/process.hpp"
#include "wait_ring.hpp"

namespace turnstile::tests {
namespace {

using ::testing::ElementsAre;

class recipes_on_redis : public on_redis {
protected:
    std::unique_ptr<client> ours = connect(server.connect_string());
    std::unique_ptr<client> two = connect(server.connect_string());
};

TEST_F(recipes_on_redis, a_mutex_is_granted_in_the_order_of_arrival_with_growing_tokens) {
    mutex lock{*ours, path};
    mutex theirs{*two, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(hold->valid());
    EXPECT_EQ(hold->evidence(), lease_evidence::direct);
    auto before = hold->fencing_token();
    std::vector<std::future<result<guard>>> waiting;
    for (std::size_t i = 0; i != 6; ++i) {
        auto& next = i % 2 == 0 ? theirs : lock;
        waiting.push_back(
            std::async(std::launch::async, [&next] { return next.acquire({.timeout = limit()}); }));
        ASSERT_TRUE(becomes_size(*ours, path, i + 2));
    }
    for (auto& next : waiting) {
        hold->unlock();
        hold = next.get();
        ASSERT_TRUE(hold) << hold.error().message();
        EXPECT_GT(hold->fencing_token(), before);
        before = hold->fencing_token();
    }
    EXPECT_EQ(lock.try_acquire().error(), errc::busy);
    ASSERT_TRUE(hold->release(limit()));
    EXPECT_TRUE(becomes_size(*ours, path, 0));
}

TEST_F(recipes_on_redis, readers_share_and_a_writer_is_alone) {
    shared_mutex lock{*ours, path};
    shared_mutex theirs{*two, path};
    auto reader = lock.acquire_shared({.timeout = limit()});
    auto another = theirs.acquire_shared({.timeout = limit()});
    ASSERT_TRUE(reader && another);
    EXPECT_EQ(theirs.try_acquire().error(), errc::busy);
    auto writer =
        std::async(std::launch::async, [&] { return theirs.acquire({.timeout = limit()}); });
    ASSERT_TRUE(eventually([&] {
        const auto late = lock.try_acquire_shared();
        return !late && late.error() == errc::busy;
    })) << "readers queue behind the writer";
    const auto before = reader->fencing_token();
    reader->unlock();
    another->unlock();
    auto alone = writer.get();
    ASSERT_TRUE(alone) << alone.error().message();
    EXPECT_GT(alone->fencing_token(), before);
}

TEST_F(recipes_on_redis, a_semaphore_has_so_many_permits) {
    semaphore pool{*ours, path, 3};
    semaphore theirs{*two, path, 3};
    auto both = pool.acquire(2, {.timeout = limit()});
    auto last = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(both && last);
    EXPECT_EQ(theirs.try_acquire().error(), errc::busy);
    both->unlock();
    auto next = theirs.acquire(2, {.timeout = limit()});
    EXPECT_TRUE(next) << next.error().message();
}

TEST_F(recipes_on_redis, one_leads_and_the_next_follows) {
    std::atomic<int> leading{0};
    std::atomic<bool> two_at_once{false};
    const auto duty = [&](leader_term& term) {
        if (++leading != 1) two_at_once = true;
        testing::event stopped;
        const std::stop_callback on_stop{term.lost(), [&] { stopped.set(); }};
        EXPECT_TRUE(stopped.wait());
        --leading;
    };
    leader first{*ours, path, duty, {.id = "first", .data = "10.0.0.1:80"}};
    leader second{*two, path, duty, {.id = "second"}};
    testing::event saw_first;
    testing::event saw_second;
    const leader_watch watch{*two, path, [&](const std::optional<participant>& leads) {
                                 if (leads && leads->data == "10.0.0.1:80") saw_first.set();
                                 if (leads && leads->id == "second") saw_second.set();
                             }};
    first.start();
    ASSERT_TRUE(eventually([&] { return first.leads(); }));
    second.start();
    ASSERT_TRUE(eventually([&] { return second.participants().value().size() == 2; }));
    EXPECT_TRUE(saw_first.wait());
    first.close();
    ASSERT_TRUE(eventually([&] { return second.leads(); }));
    EXPECT_EQ(first.present_leader().value()->id, "second");
    EXPECT_TRUE(saw_second.wait());
    second.close();
    EXPECT_FALSE(two_at_once);
}

TEST_F(recipes_on_redis, several_locks_are_one) {
    mutex first{*ours, path + "/a"};
    mutex second{*ours, path + "/b"};
    multi_lock both{first, second};
    auto hold = both.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    mutex a{*two, path + "/a"};
    EXPECT_EQ(a.try_acquire().error(), errc::busy);
    hold->unlock();
    EXPECT_TRUE(a.acquire({.timeout = limit()}).has_value());
}

TEST_F(recipes_on_redis, a_commit_needs_the_hold) {
    mutex lock{*ours, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const auto stock = path + ".stock";
    const auto written = hold->commit(transaction{}.create(stock, "5"), {.timeout = limit()});
    ASSERT_TRUE(written) << written.error().message();
    const auto sold =
        hold->commit(transaction{}.check(stock, 0).set(stock, "4"), {.timeout = limit()});
    ASSERT_TRUE(sold) << sold.error().message();
    EXPECT_EQ(hold->commit(transaction{}.set(stock, "3", 0), {.timeout = limit()}).error(),
              errc::bad_version);
    ASSERT_TRUE(hold->release(limit()));
    EXPECT_EQ(hold->commit(transaction{}.set(stock, "2"), {.timeout = limit()}).error(),
              errc::not_held);
}

TEST_F(recipes_on_redis, a_deadlock_is_broken_by_one_of_those_that_wait) {
    expect_one_gives_up(path, 3, [this] { return connect(server.connect_string()); });
}

// In the critical section, each process creates a file with O_EXCL. So the file system detects an overlap.
TEST_F(recipes_on_redis, processes_exclude_each_other) {
    const testing::temporary_folder folder;
    constexpr int k_processes = 4;
    std::vector<std::unique_ptr<testing::process>> crew;
    for (int i = 0; i != k_processes; ++i) {
        crew.push_back(std::make_unique<testing::process>(
            testing::process_options{.command = {TURNSTILE_CONTENDER, server.connect_string(), path,
                                                 "4000", "sell", "50", folder.path().string()},
                                     .output = folder.path() / ("out" + std::to_string(i))}));
    }
    for (auto& member : crew) {
        ASSERT_TRUE(member->wait(limit()));
        EXPECT_EQ(member->exit_code(), 0) << member->output();
    }
    EXPECT_TRUE(becomes_size(*ours, path, 0));
}

TEST_F(recipes_on_redis, a_static_client_closes_its_session_at_the_end_of_the_process) {
    const testing::temporary_folder folder;
    testing::process leaving{
        {.command = {TURNSTILE_CONTENDER, server.connect_string(), path, "60000", "leave"},
         .output = folder.path() / "output"}};
    ASSERT_TRUE(leaving.wait(limit())) << leaving.output();
    EXPECT_EQ(leaving.exit_code(), 0) << leaving.output();
    EXPECT_EQ(queue_length(*ours, path), 0U);
}

TEST_F(recipes_on_redis, trees_and_databases_know_nothing_of_each_other) {
    const auto blue = connect(server.connect_string() + "?tree=blue");
    const auto second = connect(server.connect_string() + "?db=2");
    auto here = mutex{*ours, path}.acquire({.timeout = limit()});
    auto there = mutex{*blue, path}.try_acquire();
    auto elsewhere = mutex{*second, path}.try_acquire();
    EXPECT_TRUE(here && there && elsewhere);
    EXPECT_EQ((mutex{*two, path}.try_acquire().error()), errc::busy);
}

TEST_F(recipes_on_redis, keys_are_under_one_hash_tag_and_go_with_the_sessions) {
    auto hold = mutex{*ours, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    EXPECT_EQ(
        server.ask("EVAL \"local n = 0 for _, k in ipairs(redis.call('KEYS', '*')) do if "
                   "string.sub(k, 1, 11) ~= '{turnstile}' then n = n + 1 end end return n\" 0"),
        ":0");
    EXPECT_EQ(server.ask("ZCARD {turnstile}:d"), ":2");
    ours.reset();
    two.reset();
    EXPECT_EQ(server.ask("ZCARD {turnstile}:d"), ":0");
    EXPECT_EQ(server.ask("EVAL \"return #redis.call('KEYS', '{turnstile}:[evqs]*')\" 0"), ":0");
}

}  // namespace
}  // namespace turnstile::tests
