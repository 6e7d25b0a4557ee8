// SPDX-License-Identifier: Apache-2.0
// Tests multi_lock over locks of one client. A call first tries all locks at once. While it waits for one lock, it
// holds no other lock.
#include <algorithm>
#include <stop_token>
#include <thread>

#include <boost/thread/thread.hpp>

#include "client/support.hpp"
#include "needs_interruption.hpp"
#include "recipe/composite/multi_parts.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class multi_lock_trials : public shell_test {
protected:
    std::unique_ptr<client> servers = connect({.close_timeout = 50ms});
    std::unique_ptr<client> strangers = connect();
    mutex a{*servers, "/a"};
    shared_mutex b{*servers, "/b"};
    shared_mutex c{*servers, "/c"};
    mutex d{*servers, "/d"};
    mutex their_a{*strangers, "/a"};
    shared_mutex their_b{*strangers, "/b"};
    shared_mutex their_c{*strangers, "/c"};
    mutex their_d{*strangers, "/d"};
    const shared_mutex_view writers_of_c = c.writers();
    const shared_mutex_view readers_of_c = c.readers();
    multi_lock all{d, writers_of_c, b, a};
    event came;
    std::optional<result<guard>> answer;

    void keep(result<guard>&& hold) {
        answer.emplace(std::move(hold));
        came.set();
    }
    void ask(multi_lock& locks, acquire_options options = {}) {
        locks.async_acquire(std::move(options),
                            [this](result<guard> hold) { keep(std::move(hold)); });
    }
    // Returns the number of contenders in the tree, even if the client does not know them yet.
    [[nodiscard]] std::size_t contenders(const std::string& path) {
        std::size_t count = 0;
        faults.inspect([&](local::tree& t) {
            if (const auto* node = t.nodes().find(path)) count = node->children.size();
        });
        return count;
    }
    [[nodiscard]] bool becomes(std::vector<std::size_t> counts) {
        return eventually([&] {
            return contenders("/a") == counts[0] && contenders("/b") == counts[1] &&
                   contenders("/c") == counts[2] && contenders("/d") == counts[3];
        });
    }
    // Creates the parent znodes, so that the contender for each lock needs only one create.
    void make_parents() { all.acquire().value().release().value(); }
    // From now on the servers execute requests, and their answers are lost.
    void silence() {
        faults.set_traffic(servers->session().id, local::traffic::stalls_after_server);
    }
    void end_silence() {
        faults.detach(servers->session().id);
        faults.attach(servers->session().id);
    }
};

TEST_F(multi_lock_trials, all_parts_are_asked_before_the_first_has_answered) {
    make_parents();
    silence();
    ask(all);
    ASSERT_TRUE(becomes({1, 1, 1, 1}));
    EXPECT_FALSE(came.is_set());
    end_silence();
    ASSERT_TRUE(came.wait());
    ASSERT_TRUE(*answer) << answer->error().message();
    EXPECT_TRUE((*answer)->valid());
    EXPECT_EQ((*answer)->fencing_tokens().size(), 4U);
}

TEST_F(multi_lock_trials, the_same_by_a_thread_that_waits) {
    make_parents();
    silence();
    std::thread waiting{[&] { keep(all.acquire()); }};
    EXPECT_TRUE(becomes({1, 1, 1, 1}));
    end_silence();
    waiting.join();
    ASSERT_TRUE(*answer) << answer->error().message();
}

TEST_F(multi_lock_trials, a_lock_that_does_not_exclude_all_others_is_taken_in_its_turn) {
    make_parents();
    multi_lock with_reader{d, readers_of_c, b, a};
    mutex retained{*servers, "/b2", {.retain_for = 1h}};
    silence();
    ask(with_reader);
    ASSERT_TRUE(becomes({1, 0, 0, 0}));
    end_silence();
    ASSERT_TRUE(came.wait());
    ASSERT_TRUE(*answer);
    ASSERT_TRUE((*answer)->release());
    multi_lock with_retained{d, retained, a};
    silence();
    event told;
    with_retained.async_acquire({}, [&](const result<guard>& hold) {
        EXPECT_TRUE(hold);
        told.set();
    });
    ASSERT_TRUE(becomes({1, 0, 0, 0}));
    end_silence();
    EXPECT_TRUE(told.wait());
}

TEST_F(multi_lock_trials, a_try_asks_one_after_the_other) {
    make_parents();
    silence();
    std::thread waiting{[&] { keep(all.try_acquire()); }};
    EXPECT_TRUE(becomes({1, 0, 0, 0}));
    end_silence();
    waiting.join();
    EXPECT_TRUE(*answer) << answer->error().message();
}

TEST_F(multi_lock_trials, F31_nothing_is_kept_behind_a_part_that_is_waited_for) {
    auto theirs = their_b.acquire().value();
    ask(all);
    ASSERT_TRUE(becomes({1, 2, 0, 0}));
    EXPECT_TRUE(their_d.try_acquire().has_value());
    EXPECT_EQ(their_a.try_acquire().error(), errc::busy);
    theirs.unlock();
    ASSERT_TRUE(came.wait());
    ASSERT_TRUE(*answer) << answer->error().message();
    EXPECT_TRUE(becomes({1, 1, 1, 1}));
}

TEST_F(multi_lock_trials, the_first_of_several_contested_parts_is_waited_for_first) {
    auto first = their_a.acquire().value();
    auto second = their_c.acquire_shared().value();
    std::thread waiting{[&] { keep(all.acquire()); }};
    EXPECT_TRUE(becomes({2, 0, 1, 0}));
    first.unlock();
    EXPECT_TRUE(becomes({1, 1, 2, 0}));
    second.unlock();
    waiting.join();
    ASSERT_TRUE(*answer) << answer->error().message();
}

TEST_F(multi_lock_trials, F15_a_timeout_names_the_lock_that_was_waited_for_and_leaves_nothing) {
    const auto theirs = their_b.acquire().value();
    const auto refused = all.acquire({.timeout = 20ms});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::timeout);
    EXPECT_NE(refused.error().message().find(b.writers().path()), std::string::npos)
        << refused.error().message();
    EXPECT_TRUE(becomes({0, 1, 0, 0}));
}

TEST_F(multi_lock_trials, a_caller_that_goes_while_all_are_tried_leaves_nothing) {
    TURNSTILE_NEEDS_INTERRUPTION();
    make_parents();
    std::stop_source stop;
    silence();
    ask(all, {.stop = stop.get_token()});
    ASSERT_TRUE(becomes({1, 1, 1, 1}));
    stop.request_stop();
    ASSERT_TRUE(came.wait());
    EXPECT_EQ(answer->error(), errc::cancelled);
    end_silence();
    EXPECT_TRUE(becomes({0, 0, 0, 0}));

    std::optional<result<guard>> interrupted;
    silence();
    boost::thread waiting{[&] { interrupted.emplace(all.acquire()); }};
    EXPECT_TRUE(becomes({1, 1, 1, 1}));
    waiting.interrupt();
    waiting.join();
    EXPECT_EQ(interrupted->error(), errc::interrupted);
    end_silence();
    EXPECT_TRUE(becomes({0, 0, 0, 0}));
}

TEST_F(multi_lock_trials, a_session_that_ends_while_all_are_tried_is_no_end) {
    make_parents();
    silence();
    ask(all);
    ASSERT_TRUE(becomes({1, 1, 1, 1}));
    faults.expire(servers->session().id);
    ASSERT_TRUE(came.wait());
    ASSERT_TRUE(*answer) << answer->error().message();
    EXPECT_TRUE(becomes({1, 1, 1, 1}));
}

TEST_F(multi_lock_trials, a_client_that_closes_while_all_are_tried_ends_it) {
    make_parents();
    silence();
    std::thread waiting{[&] { keep(all.acquire()); }};
    EXPECT_TRUE(becomes({1, 1, 1, 1}));
    servers->close();
    waiting.join();
    EXPECT_EQ(answer->error(), errc::closed);
    EXPECT_TRUE(becomes({0, 0, 0, 0}));
    event told;
    all.async_acquire({}, [&](const result<guard>& hold) {
        EXPECT_EQ(hold.error(), errc::closed);
        told.set();
    });
    EXPECT_TRUE(told.wait());
}

TEST_F(multi_lock_trials, tokens_of_equal_sets_grow) {
    fencing_token last;
    for (int round = 0; round != 3; ++round) {
        const auto hold = all.acquire().value();
        EXPECT_GT(hold.fencing_token(), last);
        last = hold.fencing_token();
    }
}

// Two multi_locks with common locks, as in two processes. Each multi_lock is granted, fails to get all locks at once,
// or waits.
TEST_F(multi_lock_trials, F31_sets_that_overlap_do_not_wait_in_a_cycle) {
    multi_lock theirs{their_d, their_b, their_a};
    multi_lock others{d, c, b};
    std::atomic<int> inside{0};  // number of holders of b, which both sets contain
    const auto work = [&](multi_lock& mine) {
        for (int i = 0; i != 30; ++i) {
            const auto hold = mine.acquire({.timeout = limit()});
            ASSERT_TRUE(hold) << hold.error().message();
            EXPECT_EQ(++inside, 1);
            --inside;
        }
    };
    std::vector<std::thread> threads;
    for (auto* const mine : {&all, &theirs, &others})
        threads.emplace_back([&work, mine] { work(*mine); });
    for (auto& thread : threads) thread.join();
    EXPECT_TRUE(becomes({0, 0, 0, 0}));
}

TEST(trial_pace, a_trial_in_vain_is_not_repeated_at_once) {
    using course = core::all_of::course;
    detail::trial_pace pace;
    const auto calls_that_wait = [&] {
        int count = 0;
        while (pace.next() == course::rest_at_once) ++count;
        return count;
    };
    EXPECT_EQ(calls_that_wait(), 0);
    for (const int expected : {1, 3, 7, 15, 31, 63, 63}) {
        pace.on_trial(false);
        EXPECT_EQ(calls_that_wait(), expected);
    }
    pace.on_trial(true);
    EXPECT_EQ(calls_that_wait(), 0);
    pace.on_trial(false);
    EXPECT_EQ(calls_that_wait(), 1);
}

}  // namespace
}  // namespace turnstile::tests
