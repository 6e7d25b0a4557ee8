// SPDX-License-Identifier: Apache-2.0
// Tests the deadlock detector over `local:`: exactly one waiter gives up in each cycle of threads. Locks that only
// change hands must never be reported.
#include "turnstile/deadlock_detector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include <boost/thread/thread.hpp>

#include "client/support.hpp"
#include "needs_interruption.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class deadlocks : public shell_test {
protected:
    static constexpr deadlock_options quick{.look_after = 5ms};

    std::unique_ptr<client> servers = connect();
    deadlock_detector detector{*servers, {"/locks/0", "/locks/1", "/locks/2"}, quick};

    static std::string path_of(std::size_t lock) { return "/locks/" + std::to_string(lock); }
    [[nodiscard]] std::size_t queue_length(std::size_t lock) const {
        return mutex{*servers, path_of(lock)}.queue().value().size();
    }
};

// Threads with one client each. Thread i takes lock i. When all threads have a lock, each takes the next lock.
class ring {
public:
    using second_acquire = std::function<result<guard>(std::size_t, mutex&)>;

    ring(const std::string& where, std::size_t size, second_acquire acquire)
        : arrived_{static_cast<std::ptrdiff_t>(size)} {
        for (std::size_t i = 0; i != size; ++i)
            outcomes_.push_back(std::async(std::launch::async, [this, where, i, size, acquire] {
                client own{where};
                mutex first{own, "/locks/" + std::to_string(i)};
                mutex second{own, "/locks/" + std::to_string((i + 1) % size)};
                auto hold = first.acquire({.timeout = limit(), .label = std::to_string(i)}).value();
                arrived_.arrive_and_wait();
                return outcome{acquire(i, second)};
            }));
    }
    // Waits for all threads. Returns for each thread "granted" or the error's name.
    std::vector<std::string> wait() {
        std::vector<std::string> names;
        for (auto& future : outcomes_) names.push_back(future.get().name);
        return names;
    }

private:
    struct outcome {
        explicit outcome(const result<guard>& hold)
            : name{hold ? "granted" : make_error_code(hold.error().code()).message()} {}
        std::string name;
    };

    std::barrier<> arrived_;
    std::vector<std::future<outcome>> outcomes_;
};

const std::string k_gave_up = make_error_code(errc::would_deadlock).message();

TEST_F(deadlocks, of_two_are_found_with_their_members) {
    std::stop_source stop;
    ring two{where, 2, [&](std::size_t, mutex& second) {
                 return second.acquire({.stop = stop.get_token(), .label = "second"});
             }};
    EXPECT_TRUE(eventually([&] { return !detector.find().value().empty(); }));
    const auto found = detector.find().value();
    ASSERT_EQ(found.size(), 1U);
    const auto& members = found.front().members;
    ASSERT_EQ(members.size(), 2U);
    for (std::size_t i = 0; i != 2; ++i) {
        const auto& own = members[i];
        EXPECT_EQ(own.awaits, members[1 - i].holds);
        EXPECT_EQ(own.holding.position, 0U);
        EXPECT_EQ(own.waiting.position, 1U);
        EXPECT_EQ(own.waiting.metadata.label, "second");
        EXPECT_EQ(own.holding.metadata.label, own.holds.substr(own.holds.rfind('/') + 1));
        EXPECT_EQ(own.waiting.metadata.pid, std::to_string(::getpid()));
        EXPECT_EQ(own.waiting.metadata.thread, own.holding.metadata.thread);
        EXPECT_EQ(own.owner, own.holding.metadata.owner);
    }
    EXPECT_LT(members[1].waiting.token, members[0].waiting.token);
    stop.request_stop();
    two.wait();
    EXPECT_TRUE(eventually([&] { return detector.find().value().empty(); }));
}

// A deadlock's text goes into logs, and contains labels that other clients choose.
TEST_F(deadlocks, have_a_text_without_control_characters) {
    std::stop_source stop;
    ring two{where, 2, [&](std::size_t, mutex& second) {
                 return second.acquire({.stop = stop.get_token(), .label = "x\n\x1b[2J"});
             }};
    EXPECT_TRUE(eventually([&] { return !detector.find().value().empty(); }));
    const auto text = detector.find().value().front().to_string();
    EXPECT_NE(text.find("(x\\x0a\\x1b[2J)"), std::string::npos) << text;
    stop.request_stop();
    two.wait();
}

TEST_F(deadlocks, are_found_in_a_folder) {
    std::stop_source stop;
    ring three{where, 3, [&](std::size_t, mutex& second) {
                   return second.acquire({.stop = stop.get_token()});
               }};
    const auto below = deadlock_detector::below(*servers, "/locks");
    const auto everywhere = deadlock_detector::below(*servers, "/");
    const auto elsewhere = deadlock_detector::below(*servers, "/other");
    const deadlock_detector two_of_three{*servers, {"/locks/0", "/locks/1"}};
    EXPECT_TRUE(eventually([&] { return below.find().value().size() == 1; }));
    EXPECT_EQ(below.find().value().front().members.size(), 3U);
    EXPECT_EQ(everywhere.find().value().size(), 1U);
    EXPECT_TRUE(elsewhere.find().value().empty());
    EXPECT_TRUE(two_of_three.find().value().empty());
    stop.request_stop();
}

// A deadlock_detector for "/" does not examine the folder of the servers' own znodes, which a client may be forbidden
// to read.
TEST_F(deadlocks, are_not_sought_in_the_folder_of_the_servers) {
    mutex lock{*servers, "/zookeeper/own"};
    std::stop_source stop;
    const auto hold = lock.acquire({.timeout = limit(), .owner = "one"}).value();
    const auto second = std::async(std::launch::async, [&] {
        const acquire_options patient{.timeout = limit(), .stop = stop.get_token(), .owner = "one"};
        return lock.acquire(patient).has_value();
    });
    const deadlock_detector named{*servers, {"/zookeeper/own"}};
    EXPECT_TRUE(eventually([&] { return named.find().value().size() == 1; }));
    EXPECT_TRUE(deadlock_detector::below(*servers, "/").find().value().empty());
    stop.request_stop();
}

TEST_F(deadlocks, are_broken_by_exactly_one) {
    for (const std::size_t size : {2U, 3U, 2U, 3U, 2U, 3U}) {
        ring some{where, size, [&](std::size_t, mutex& second) {
                      return detector.acquire(second, {.timeout = limit()});
                  }};
        const auto outcomes = some.wait();
        EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), k_gave_up), 1);
        EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), "granted"),
                  static_cast<std::ptrdiff_t>(size) - 1);
    }
}

TEST_F(deadlocks, with_oneself_are_seen) {
    mutex lock{*servers, path_of(0)};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    const auto again = detector.acquire(lock, {.timeout = limit()});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error(), errc::would_deadlock);
    EXPECT_NE(again.error().message().find("holds /locks/0 and waits for /locks/0"),
              std::string::npos)
        << again.error().message();
    EXPECT_TRUE(eventually([&] { return queue_length(0) == 1; }));
}

// The newest wait of the cycle gives up, whichever thread finds the cycle.
TEST_F(deadlocks, are_left_to_the_newest) {
    mutex a{*servers, path_of(0)};
    mutex b{*servers, path_of(1)};
    const auto hold_a = a.acquire({.timeout = limit(), .owner = "x"}).value();
    auto hold_b = b.acquire({.timeout = limit(), .owner = "y"}).value();
    auto older = std::async(std::launch::async, [&] {
        return detector.acquire(b, {.timeout = limit(), .owner = "x"});
    });
    ASSERT_TRUE(eventually([&] { return queue_length(1) == 2; }));
    auto newer = detector.acquire(a, {.timeout = limit(), .owner = "y"});
    ASSERT_FALSE(newer);
    EXPECT_EQ(newer.error(), errc::would_deadlock);
    // Owner y's wait has failed, so y releases its lock.
    hold_b.unlock();
    EXPECT_TRUE(older.get().has_value());
}

// The wait of a handler or of a coroutine has no thread as its owner. It has an owner only if the caller names one.
TEST_F(deadlocks, need_names_where_no_thread_waits) {
    mutex a{*servers, path_of(0)};
    mutex b{*servers, path_of(1)};
    std::vector<guard> holds;
    event granted;
    const auto keep = [&](result<guard> hold) {
        if (hold) holds.push_back(std::move(*hold));
        granted.set();
    };
    const auto take = [&](mutex& lock, const std::string& owner) {
        lock.async_acquire({.timeout = limit(), .owner = owner}, keep);
    };
    take(a, "");
    take(b, "");
    ASSERT_TRUE(granted.wait(2));
    take(b, "");
    take(a, "");
    ASSERT_TRUE(eventually([&] { return queue_length(0) == 2 && queue_length(1) == 2; }));
    EXPECT_TRUE(detector.find().value().empty());
    servers->close();
    ASSERT_TRUE(granted.wait(4));
}

TEST_F(deadlocks, know_the_names_that_owners_have) {
    mutex a{*servers, path_of(0)};
    mutex b{*servers, path_of(1)};
    const auto named = [](std::string owner) {
        return acquire_options{.timeout = limit(), .owner = std::move(owner)};
    };
    const auto hold_a = a.acquire(named("task 1")).value();
    const auto hold_b = b.acquire(named("task 2")).value();
    event done;
    const auto count = [&](const result<guard>&) { done.set(); };
    b.async_acquire(named("task 1"), count);
    a.async_acquire(named("task 2"), count);
    ASSERT_TRUE(eventually([&] { return queue_length(0) == 2 && queue_length(1) == 2; }));
    const auto found = detector.find().value();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().members.front().owner, "task 2");
    EXPECT_EQ(found.front().members.back().owner, "task 1");
    servers->close();
    ASSERT_TRUE(done.wait(2));
}

// ---- acquire() --------------------------------------------------------------------------------

TEST_F(deadlocks, acquire_is_as_the_locks) {
    mutex lock{*servers, path_of(0)};
    std::size_t ahead = 7;
    auto hold = detector.acquire(lock, {.timeout = limit()}).value();
    EXPECT_TRUE(hold.valid());
    EXPECT_EQ(lock.holder().value()->metadata.owner, thread_owner());

    const auto elsewhere = [&](acquire_options options) {
        return std::async(std::launch::async,
                          [&, options] { return detector.acquire(lock, options); })
            .get();
    };
    const auto late =
        elsewhere({.timeout = 30ms, .on_queued = [&](std::size_t place) { ahead = place; }});
    EXPECT_EQ(late.error(), errc::timeout);
    EXPECT_EQ(ahead, 1U);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(elsewhere({.stop = stop.get_token()}).error(), errc::cancelled);
    EXPECT_EQ(elsewhere({.label = std::string(2'000, 'x')}).error(), errc::bad_option);
    EXPECT_EQ(elsewhere({.owner = std::string(257, 'x')}).error(), errc::bad_option);
    EXPECT_TRUE(eventually([&] { return queue_length(0) == 1; }));
}

TEST_F(deadlocks, acquire_waits_as_long_as_the_holder_works) {
    mutex lock{*servers, path_of(0)};
    auto hold = lock.acquire({.timeout = limit(), .owner = "somebody"}).value();
    auto waiting =
        std::async(std::launch::async, [&] { return detector.acquire(lock).has_value(); });
    ASSERT_TRUE(eventually([&] { return queue_length(0) == 2; }));
    for (int i = 0; i != 20; ++i) EXPECT_TRUE(detector.find().value().empty());
    hold.unlock();
    EXPECT_TRUE(waiting.get());
}

TEST_F(deadlocks, acquire_can_be_interrupted) {
    TURNSTILE_NEEDS_INTERRUPTION();
    mutex lock{*servers, path_of(0)};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    std::optional<error> why;
    boost::thread waiting{[&] { why = detector.acquire(lock).error(); }};
    ASSERT_TRUE(eventually([&] { return queue_length(0) == 2; }));
    waiting.interrupt();
    waiting.join();
    EXPECT_EQ(why.value(), errc::interrupted);
    EXPECT_TRUE(eventually([&] { return queue_length(0) == 1; }));
}

TEST_F(deadlocks, acquire_ends_with_the_client) {
    mutex lock{*servers, path_of(0)};
    const auto hold = lock.acquire({.timeout = limit(), .owner = "somebody"}).value();
    auto waiting =
        std::async(std::launch::async, [&] { return detector.acquire(lock).error().code(); });
    ASSERT_TRUE(eventually([&] { return queue_length(0) == 2; }));
    servers->close();
    EXPECT_EQ(waiting.get(), errc::closed);
    EXPECT_EQ(detector.acquire(lock).error(), errc::closed);
    EXPECT_EQ(detector.find().error(), errc::closed);
}

TEST_F(deadlocks, acquire_refuses_what_it_cannot_do) {
    mutex other{*servers, "/other"};
    const auto refused = detector.acquire(other);
    EXPECT_EQ(refused.error(), errc::bad_option);
    EXPECT_NE(refused.error().message().find("/other"), std::string::npos);
    const auto below = deadlock_detector::below(*servers, "/locks");
    mutex beside{*servers, "/locks-too"};
    EXPECT_EQ(below.acquire(beside).error(), errc::bad_option);
    mutex inside{*servers, "/locks/deep/er"};
    EXPECT_TRUE(below.acquire(inside, {.timeout = limit()}).has_value());

    event done;
    mutex lock{*servers, path_of(0)};
    lock.async_acquire({.timeout = limit()}, [&](const result<guard>&) {
        // The acquire would wait for a result that only another callback can deliver, after this callback has ended.
        EXPECT_EQ(detector.acquire(lock).error(), errc::bad_option);
        done.set();
    });
    EXPECT_TRUE(done.wait());
}

TEST_F(deadlocks, detectors_are_made_of_paths) {
    EXPECT_THROW((deadlock_detector{*servers, {}}), std::system_error);
    EXPECT_THROW((deadlock_detector{*servers, {"no/slash"}}), std::system_error);
    EXPECT_THROW((deadlock_detector{*servers, {"/a"}, {.look_after = 0ms}}), std::system_error);
    EXPECT_THROW((void)deadlock_detector::below(*servers, "/a/"), std::system_error);
    client gone = std::move(*servers);
    EXPECT_THROW((deadlock_detector{*servers, {"/a"}}), std::system_error);
    *servers = std::move(gone);
}

// ---- no false alarms --------------------------------------------------------------------------

// All threads take and release the locks in one order, so there is no cycle. But the locks change hands so fast that
// several reads together often look like a cycle.
TEST_F(deadlocks, are_not_seen_where_locks_change_hands) {
    std::atomic<bool> over{false};
    std::atomic<int> rounds{0};
    std::vector<std::future<void>> threads;
    for (int i = 0; i != 4; ++i)
        threads.push_back(std::async(std::launch::async, [&] {
            client own{where};
            mutex a{own, path_of(0)};
            mutex b{own, path_of(1)};
            while (!over) {
                auto first = a.acquire({.timeout = limit()}).value();
                auto second = b.acquire({.timeout = limit()}).value();
                first.unlock();
                ++rounds;
            }
        }));
    int looks = 0;
    for (; looks < 300 || rounds < 300; ++looks) {
        const auto found = detector.find().value();
        EXPECT_TRUE(found.empty()) << found.front().to_string();
        if (HasFailure()) break;
    }
    over = true;
    for (auto& thread : threads) thread.get();
    RecordProperty("looks", looks);
    RecordProperty("rounds", rounds);
}

}  // namespace
}  // namespace turnstile::tests
