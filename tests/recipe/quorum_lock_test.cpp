// SPDX-License-Identifier: Apache-2.0
// Tests quorum_lock over trees in memory, which represent the ensembles.
#include <algorithm>
#include <array>
#include <thread>

#include <boost/thread/thread.hpp>

#include "client/support.hpp"
#include "needs_interruption.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

constexpr quorum_options k_quick{.attempt = 20ms, .retry_first = 1ms, .retry_longest = 20ms};

// A process: its clients of three ensembles, and its lock.
struct party {
    party(const std::array<std::string, 3>& trees, const client_options& options) {
        for (const auto& tree : trees)
            clients.push_back(std::make_unique<client>("local:" + tree, options));
        for (const auto& client : clients) client->wait_connected(limit()).value();
        lock = std::make_unique<quorum_lock>(
            std::vector<quorum_member>{
                {*clients[0], "east"}, {*clients[1], "north"}, {*clients[2], "west"}},
            "/lock", k_quick);
    }
    std::vector<std::unique_ptr<client>> clients;
    std::unique_ptr<quorum_lock> lock;
};

class quorum_locks : public ::testing::Test {
protected:
    const std::array<std::string, 3> trees{fresh_tree(), fresh_tree(), fresh_tree()};
    std::array<local::faults, 3> faults{local::faults{trees[0]}, local::faults{trees[1]},
                                        local::faults{trees[2]}};
    party ours{trees, {}};
    party theirs{trees, {}};
    quorum_lock& lock = *ours.lock;

    // Returns a plain mutex in one of the ensembles.
    [[nodiscard]] mutex single(std::size_t which) const {
        return mutex{*theirs.clients[which], "/lock"};
    }
    [[nodiscard]] bool is_free(std::size_t which) const {
        return eventually([&] { return !single(which).is_locked().value(); });
    }
    [[nodiscard]] bool nothing_is_left() const { return is_free(0) && is_free(1) && is_free(2); }
    [[nodiscard]] static bool has_parts(const guard& hold, std::size_t count) {
        return eventually([&] { return hold.fencing_tokens().size() == count; });
    }
    void lose_session(std::size_t which) {
        faults[which].expire(ours.clients[which]->session().id);
    }
    // Ends the client's session at one of the three ensembles, and prevents a new session.
    void lose_ensemble(std::size_t which) {
        faults[which].refuse_connections();
        lose_session(which);
    }
};

TEST_F(quorum_locks, a_majority_holds_and_excludes) {
    auto hold = lock.acquire();
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->status());
    EXPECT_EQ(hold->path(), "/lock");
    EXPECT_EQ(hold->znode(), "");
    EXPECT_EQ(hold->fencing_token(), fencing_token{});
    EXPECT_TRUE(has_parts(*hold, 3));
    EXPECT_EQ(theirs.lock->try_acquire().error(), errc::busy);
    const auto refused = theirs.lock->acquire({.timeout = 50ms});
    EXPECT_EQ(refused.error(), errc::timeout) << refused.error().message();
    EXPECT_NE(refused.error().message().find("north"), std::string::npos);
    EXPECT_TRUE(hold->release());
    EXPECT_TRUE(theirs.lock->try_acquire().has_value());
}

TEST_F(quorum_locks, a_minority_is_no_hold_and_is_given_back) {
    auto east = single(0);
    auto north = single(1);
    const auto first = east.acquire({.timeout = limit()}).value();
    const auto second = north.acquire({.timeout = limit()}).value();
    EXPECT_EQ(lock.try_acquire().error(), errc::busy);
    EXPECT_EQ(lock.acquire({.timeout = 50ms}).error(), errc::timeout);
    EXPECT_TRUE(is_free(2));
}

TEST_F(quorum_locks, one_ensemble_that_is_lost_is_not_waited_for) {
    theirs.clients[2]->close();
    lose_ensemble(2);
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_EQ(hold->fencing_tokens().size(), 2U);
    EXPECT_TRUE(hold->release());
}

TEST_F(quorum_locks, outlives_the_loss_of_an_ensemble_and_takes_it_back) {
    event told;
    auto hold = lock.acquire({.on_lost = [&](const error&) { told.set(); }}).value();
    ASSERT_TRUE(has_parts(hold, 3));
    const auto before = hold.fencing_tokens();
    lose_ensemble(1);
    ASSERT_TRUE(has_parts(hold, 2));
    EXPECT_TRUE(hold.valid());
    EXPECT_EQ(hold.fencing_tokens().find("north"), nullptr);
    faults[1].allow_connections();
    ASSERT_TRUE(has_parts(hold, 3));
    EXPECT_GT(*hold.fencing_tokens().find("north"), *before.find("north"));
    EXPECT_TRUE(before.is_behind(hold.fencing_tokens()));
    // The hold lost the first ensemble's lock and has taken it again, so that lock counts again.
    lose_ensemble(0);
    ASSERT_TRUE(has_parts(hold, 2));
    EXPECT_TRUE(hold.valid());
    EXPECT_FALSE(hold.lost().stop_requested());
    faults[0].allow_connections();
    EXPECT_TRUE(hold.release());
    EXPECT_FALSE(told.is_set());
}

TEST_F(quorum_locks, the_end_of_the_majority_is_told_and_the_rest_given_back) {
    auto hold = lock.acquire().value();
    ASSERT_TRUE(has_parts(hold, 3));
    event stopped;
    event told;
    std::string reason;
    const std::stop_callback on_stop{hold.lost(), [&] {
                                         EXPECT_FALSE(hold.valid());
                                         stopped.set();
                                     }};
    hold.on_lost([&](const error& why) {
        reason = why.message();
        told.set();
    });
    faults[0].refuse_connections();
    faults[1].refuse_connections();
    lose_session(0);
    lose_session(1);
    ASSERT_TRUE(stopped.wait());
    ASSERT_TRUE(told.wait());
    EXPECT_NE(reason.find("north"), std::string::npos) << reason;
    EXPECT_EQ(hold.status().error(), errc::session_lost);
    EXPECT_TRUE(is_free(2));
    faults[0].allow_connections();
    faults[1].allow_connections();
    EXPECT_TRUE(nothing_is_left());
    EXPECT_FALSE(hold.valid()) << "for good";
    EXPECT_EQ(hold.release().error(), errc::session_lost);
}

// Each of three contenders is first in one queue. The unit test of core::quorum has this case without threads.
TEST_F(quorum_locks, F31_three_that_hold_one_ensemble_each_do_not_deadlock) {
    party third{trees, {}};
    const std::array<party*, 3> all{&ours, &theirs, &third};
    const client spare_east{"local:" + trees[0]};
    const client spare_north{"local:" + trees[1]};
    const client spare_west{"local:" + trees[2]};
    std::vector<std::unique_ptr<mutex>> blocked;
    std::vector<guard> blockers;
    for (const auto* client : {&spare_east, &spare_north, &spare_west}) {
        blocked.push_back(std::make_unique<mutex>(*client, "/lock"));
        blockers.push_back(blocked.back()->acquire({.timeout = limit()}).value());
    }
    // Each contender reaches only one ensemble, and queues there.
    std::array<std::array<std::int64_t, 3>, 3> sessions{};
    event granted;
    std::atomic<int> inside{0};
    for (std::size_t i = 0; i != 3; ++i) {
        for (std::size_t j = 0; j != 3; ++j) {
            sessions[i][j] = all[i]->clients[j]->session().id;
            if (j == i) continue;
            faults[j].detach(sessions[i][j]);
            ASSERT_TRUE(eventually(
                [&] { return all[i]->clients[j]->state() == session_state::suspended; }));
        }
        all[i]->lock->async_acquire({}, [&](const result<guard>& hold) {
            EXPECT_TRUE(hold);
            EXPECT_EQ(++inside, 1);
            --inside;
            granted.set();
        });
        ASSERT_TRUE(eventually([&] { return blocked[i]->queue().value().size() == 2; }));
    }
    for (std::size_t i = 0; i != 3; ++i)
        for (std::size_t j = 0; j != 3; ++j)
            if (j != i) faults[j].attach(sessions[i][j]);
    for (const auto& blocked_lock : blocked)
        ASSERT_TRUE(eventually([&] { return blocked_lock->queue().value().size() == 4; }));
    blockers.clear();
    EXPECT_TRUE(granted.wait(3));
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(quorum_locks, contenders_in_threads_take_turns) {
    std::atomic<int> inside{0};
    const auto work = [&](quorum_lock& mine) {
        for (int i = 0; i != 20; ++i) {
            const auto hold = mine.acquire({.timeout = limit()});
            ASSERT_TRUE(hold) << hold.error().message();
            EXPECT_EQ(++inside, 1);
            --inside;
        }
    };
    std::thread other{[&] { work(*theirs.lock); }};
    std::thread same{[&] { work(lock); }};
    work(lock);
    other.join();
    same.join();
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(quorum_locks, later_tokens_are_never_behind) {
    fencing_vector seen;
    std::optional<fencing_vector> last;
    for (std::size_t i = 0; i != 6; ++i) {
        auto& mine = i % 2 == 0 ? lock : *theirs.lock;
        const auto hold = mine.acquire({.timeout = limit()}).value();
        const auto tokens = hold.fencing_tokens();
        EXPECT_GE(tokens.size(), 2U);
        EXPECT_FALSE(tokens.is_behind(seen));
        seen.raise(tokens);
        EXPECT_TRUE(!last || last->is_behind(seen));
        last = tokens;
    }
}

TEST_F(quorum_locks, a_wait_ends_by_stop_request_interruption_and_close) {
    TURNSTILE_NEEDS_INTERRUPTION();
    const auto hold = theirs.lock->acquire().value();
    ASSERT_TRUE(has_parts(hold, 3));
    std::stop_source stop;
    event cancelled;
    lock.async_acquire({.stop = stop.get_token()}, [&](const result<guard>& refused) {
        EXPECT_EQ(refused.error(), errc::cancelled);
        cancelled.set();
    });
    stop.request_stop();
    ASSERT_TRUE(cancelled.wait());
    EXPECT_EQ(lock.acquire({.stop = stop.get_token()}).error(), errc::cancelled);
    const auto queued = [&](std::size_t size) {
        return eventually([&] { return single(0).queue().value().size() == size; });
    };
    ASSERT_TRUE(queued(1));
    std::optional<result<guard>> outcome;
    boost::thread waiter{[&] { outcome = lock.acquire(); }};
    ASSERT_TRUE(queued(2));
    waiter.interrupt();
    waiter.join();
    EXPECT_EQ(outcome->error(), errc::interrupted);
    EXPECT_TRUE(queued(1));
    boost::thread closed{[&] { outcome = lock.acquire(); }};
    ASSERT_TRUE(queued(2));
    ours.clients[1]->close();
    EXPECT_TRUE(queued(2)) << "two of three are left";
    ours.clients[2]->close();
    closed.join();
    EXPECT_EQ(outcome->error(), errc::closed);
    EXPECT_NE(outcome->error().message().find("west"), std::string::npos);
    EXPECT_EQ(lock.acquire().error(), errc::closed);
    event refused;
    lock.async_acquire({}, [&](const result<guard>&) { refused.set(); });
    EXPECT_TRUE(refused.wait());
}

// Between two attempts the call has no contender, and must still continue.
TEST_F(quorum_locks, an_asynchronous_wait_outlives_its_lock_and_its_sessions) {
    auto hold = theirs.lock->acquire().value();
    ASSERT_TRUE(has_parts(hold, 3));
    party brittle{trees, {.waiters = session_loss_policy::fail}};
    event granted;
    brittle.lock->async_acquire({}, [&](const result<guard>& mine) {
        EXPECT_TRUE(mine);
        granted.set();
    });
    for (std::size_t i = 0; i != 3; ++i) {
        ASSERT_TRUE(eventually([&] { return single(i).queue().value().size() == 2; }));
        faults[i].refuse_connections();
    }
    brittle.lock.reset();
    for (std::size_t i = 0; i != 3; ++i) faults[i].expire(brittle.clients[i]->session().id);
    for (std::size_t i = 0; i != 3; ++i) {
        ASSERT_TRUE(eventually([&] { return brittle.clients[i]->session().epoch >= 2; }));
        faults[i].allow_connections();
    }
    hold.unlock();
    EXPECT_TRUE(granted.wait());
}

TEST_F(quorum_locks, a_closed_client_is_a_lost_vote_and_no_more) {
    auto hold = lock.acquire().value();
    ASSERT_TRUE(has_parts(hold, 3));
    ours.clients[0]->close();
    ASSERT_TRUE(has_parts(hold, 2));
    EXPECT_TRUE(hold.valid());
    EXPECT_TRUE(hold.release());
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
}

TEST_F(quorum_locks, without_a_majority_it_is_not_connected) {
    const party short_lived{trees, {.session_timeout = 50ms}};
    for (const std::size_t i : {0U, 1U}) {
        faults[i].refuse_connections();
        faults[i].expire(short_lived.clients[i]->session().id);
        ASSERT_TRUE(eventually(
            [&] { return short_lived.clients[i]->state() != session_state::connected; }));
    }
    EXPECT_EQ(short_lived.lock->acquire({.timeout = 20ms}).error(), errc::not_connected);
    for (auto& fault : faults) fault.allow_connections();
    EXPECT_TRUE(is_free(2));
}

// The user's executor runs no tasks. A blocking call must not need it.
TEST_F(quorum_locks, needs_no_executor_to_block) {
    idle_loop loop;
    client_options options;
    options.callbacks = loop.run();
    options.close_timeout = 1ms;  // the client's end would wait for the loop
    const party patient{trees, options};
    const auto hold = patient.lock->acquire({.timeout = limit()});
    EXPECT_TRUE(hold);
}

TEST_F(quorum_locks, the_standard_forms_are_the_threads_own) {
    {
        const std::unique_lock held{lock, limit()};
        ASSERT_TRUE(held);
        EXPECT_TRUE(lock.current()->valid());
        EXPECT_THROW(lock.lock(), std::system_error);
        EXPECT_FALSE(theirs.lock->try_lock());
        EXPECT_FALSE(theirs.lock->try_lock_for(5ms));
        EXPECT_THROW(theirs.lock->unlock(), std::system_error);
    }
    EXPECT_TRUE(theirs.lock->try_lock_for(limit()));
    theirs.lock->unlock();
}

TEST_F(quorum_locks, tells_the_head_of_each_queue) {
    const auto hold = lock.acquire({.label = "me"}).value();
    ASSERT_TRUE(has_parts(hold, 3));
    const auto heads = theirs.lock->heads();
    ASSERT_EQ(heads.size(), 3U);
    for (const auto& head : heads) EXPECT_EQ(head.value()->metadata.label, "me");
}

TEST_F(quorum_locks, is_a_part_of_a_multi_lock) {
    mutex other{*ours.clients[0], "/other"};
    multi_lock both{lock, other};
    const auto hold = both.acquire({.timeout = limit()}).value();
    EXPECT_GE(hold.fencing_tokens().size(), 3U);
    EXPECT_EQ(hold.path(), "/lock, /other");
}

TEST_F(quorum_locks, sets_that_make_no_sense_are_refused_by_name) {
    const auto refusal = [](std::vector<quorum_member> members, quorum_options options = {}) {
        try {
            const quorum_lock locks{std::move(members), "/lock", options};
        } catch (const std::system_error& refused) {
            EXPECT_EQ(refused.code(), errc::bad_option);
            return std::string{refused.what()};
        }
        return std::string{"accepted"};
    };
    auto& a = *ours.clients[0];
    auto& b = *ours.clients[1];
    auto& c = *ours.clients[2];
    EXPECT_NE(refusal({a, b}).find("2 ensembles"), std::string::npos);
    EXPECT_NE(refusal({a, b, *theirs.clients[0]}).find("local:" + trees[0]), std::string::npos);
    EXPECT_NE(refusal({{a, "x"}, {b, "x"}, c}).find("\"x\""), std::string::npos);
    EXPECT_NE(refusal({a, b, c}, {.attempt = 0ms}).find("attempt is 0 s"), std::string::npos);
    EXPECT_EQ(refusal({a, b, c}), "accepted");
    EXPECT_THROW((quorum_lock{{a, b, c}, "no path"}), std::system_error);
}

// Many threads grant, lose and release, so that the sanitizers find races.
TEST_F(quorum_locks, many_threads_and_sessions_that_end) {
    constexpr int k_rounds = 15;
    std::atomic<int> rounds{0};
    std::vector<std::thread> threads;
    for (auto* mine : {&ours, &theirs, &ours}) {
        threads.emplace_back([&, mine] {
            for (int round = 0; round != k_rounds; ++round, ++rounds) {
                auto hold = mine->lock->acquire({.timeout = limit()});
                EXPECT_TRUE(hold || hold.error() == errc::session_lost);
                if (hold) hold->on_lost([](const error&) {});
            }
        });
    }
    for (std::size_t i = 0; i != 9; ++i) {
        const auto before = rounds.load();
        lose_session(i % 3);
        EXPECT_TRUE(eventually([&] { return rounds > before || rounds == 3 * k_rounds; }));
    }
    for (auto& thread : threads) thread.join();
    EXPECT_TRUE(nothing_is_left());
}

}  // namespace
}  // namespace turnstile::tests
