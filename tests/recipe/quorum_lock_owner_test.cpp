// SPDX-License-Identifier: Apache-2.0
// Tests the names of owners that a quorum_lock writes into its contenders' data. By these names the deadlock detector
// knows which thread waits. Also tests when a quorum_lock counts as granted.
#include <array>
#include <thread>

#include "client/support.hpp"

namespace turnstile::tests {
namespace {

class quorum_owners : public ::testing::Test {
protected:
    // A process: its clients of three ensembles, its quorum_lock, and a mutex in the first ensemble.
    struct party {
        explicit party(const std::array<std::string, 3>& trees) {
            for (const auto& tree : trees) {
                clients.push_back(std::make_unique<client>("local:" + tree));
                clients.back()->wait_connected(limit()).value();
            }
            whole = std::make_unique<quorum_lock>(
                std::vector<quorum_member>{*clients[0], *clients[1], *clients[2]}, "/whole");
            single = std::make_unique<mutex>(*clients[0], "/single");
        }
        std::vector<std::unique_ptr<client>> clients;
        std::unique_ptr<quorum_lock> whole;
        std::unique_ptr<mutex> single;
    };
    [[nodiscard]] static std::string owner_of_first(const quorum_lock& lock) {
        return lock.heads().front().value()->metadata.owner;
    }
    [[nodiscard]] static bool has_all_parts(const guard& hold) {
        return eventually([&] { return hold.fencing_tokens().size() == 3; });
    }

    const std::array<std::string, 3> trees{fresh_tree(), fresh_tree(), fresh_tree()};
    party ours{trees};
    party theirs{trees};
};

TEST_F(quorum_owners, are_the_threads_that_call) {
    {
        const auto hold = ours.whole->acquire({.timeout = limit()}).value();
        ASSERT_TRUE(has_all_parts(hold));
        EXPECT_EQ(owner_of_first(*ours.whole), thread_owner());
    }
    {
        const auto hold = ours.whole->acquire({.timeout = limit(), .owner = "me"}).value();
        ASSERT_TRUE(has_all_parts(hold));
        EXPECT_EQ(owner_of_first(*ours.whole), "me");
    }
    result<guard> hold = error{errc::busy};
    ASSERT_TRUE(eventually([&] { return (hold = ours.whole->try_acquire()).has_value(); }));
    ASSERT_TRUE(has_all_parts(*hold));
    EXPECT_EQ(owner_of_first(*ours.whole), thread_owner());
}

TEST_F(quorum_owners, the_time_of_the_grant_is_that_of_the_majority) {
    mutex in_first{*theirs.clients[0], "/whole"};
    mutex in_second{*theirs.clients[1], "/whole"};
    const mutex in_third{*theirs.clients[2], "/whole"};
    const auto first = in_first.acquire({.timeout = limit()}).value();
    auto second = in_second.acquire({.timeout = limit()}).value();
    std::vector<boottime_clock::time_point> told;
    event answered;
    ours.whole->async_acquire(
        {.on_granted_at =
             [&](boottime_clock::time_point granted_at) { told.push_back(granted_at); }},
        [&](const result<guard>& outcome) {
            EXPECT_TRUE(outcome) << outcome.error().message();
            EXPECT_EQ(told.size(), 1U) << "before the handler";
            answered.set();
        });
    ASSERT_TRUE(eventually([&] { return in_third.is_locked().value(); }));
    const auto before_the_majority = boottime_clock::now();
    second.unlock();
    ASSERT_TRUE(answered.wait());
    ASSERT_EQ(told.size(), 1U) << "of the whole, and of no part";
    EXPECT_LE(before_the_majority, told.front());
}

TEST_F(quorum_owners, asynchronous_calls_are_nobodys) {
    event granted;
    ours.whole->async_acquire({}, [&](const result<guard>& hold) {
        EXPECT_TRUE(hold && has_all_parts(*hold));
        EXPECT_EQ(owner_of_first(*ours.whole), "");
        granted.set();
    });
    EXPECT_TRUE(granted.wait());
}

// Each thread holds the lock that the other thread waits for.
TEST_F(quorum_owners, their_deadlocks_are_found) {
    const client observer{"local:" + trees[0]};
    const deadlock_detector detector{observer, {"/whole", "/single"}};
    std::stop_source stop;
    const acquire_options stoppable{.stop = stop.get_token()};
    event have_one;
    std::thread thread{[&] {
        const auto hold = ours.whole->acquire().value();
        EXPECT_TRUE(has_all_parts(hold));
        have_one.set();
        EXPECT_TRUE(have_one.wait(2));
        EXPECT_EQ(ours.single->acquire(stoppable).error(), errc::cancelled);
    }};
    std::thread other{[&] {
        const auto hold = theirs.single->acquire().value();
        have_one.set();
        EXPECT_TRUE(have_one.wait(2));
        EXPECT_EQ(theirs.whole->acquire(stoppable).error(), errc::cancelled);
    }};
    EXPECT_TRUE(eventually([&] { return detector.find().value().size() == 1; }));
    stop.request_stop();
    thread.join();
    other.join();
}

}  // namespace
}  // namespace turnstile::tests
