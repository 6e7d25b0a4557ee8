// SPDX-License-Identifier: Apache-2.0
// Tests a lock that a process's threads share: losses, timeouts, commits in progress, and the close of the client.
#include <atomic>
#include <deque>
#include <string>

#include "client/worker_pool.hpp"
#include "local/tree.hpp"
#include "needs_interruption.hpp"
#include "sharing_fixture.hpp"

namespace turnstile::tests {
namespace {

TEST_F(sharing, a_loss_is_told_to_the_holder_and_the_next_one_gets_a_new_contender) {
    mutex lock{*here, path, k_retained};
    event told;
    auto mine = lock.acquire({.timeout = limit(),
                              .on_lost =
                                  [&](const error& why) {
                                      EXPECT_EQ(why, errc::removed);
                                      told.set();
                                  }})
                    .value();
    event told_late;
    mine.on_lost([&](const error&) { told_late.set(); });
    const auto stop = mine.lost();
    const auto znode = mine.znode();
    const auto token = mine.fencing_token();
    outcome next;
    lock.async_acquire({}, next.handler());
    revocation power{*there, path};
    ASSERT_TRUE(power.take_now(*lock.holder().value(), {.who = "ops", .why = "test"}));
    ASSERT_TRUE(told.wait());
    ASSERT_TRUE(told_late.wait());
    // Another thread reports the loss.
    EXPECT_TRUE(eventually([&] { return stop.stop_requested(); }));
    EXPECT_FALSE(mine.valid());
    EXPECT_EQ(mine.status().error(), errc::removed);
    EXPECT_EQ(mine.release().error(), errc::removed);
    ASSERT_TRUE(next.is_granted());
    EXPECT_NE((*next.answer)->znode(), znode);
    EXPECT_GT((*next.answer)->fencing_token(), token);
}

TEST_F(sharing, a_hold_that_was_released_is_not_told_of_a_later_loss) {
    mutex lock{*here, path, k_retained};
    auto mine = lock.acquire({.timeout = limit()}).value();
    const auto stop = mine.lost();
    ASSERT_TRUE(mine.release());
    auto next = lock.acquire({.timeout = limit()}).value();
    revocation power{*there, path};
    ASSERT_TRUE(power.take_now(*lock.holder().value(), {.who = "ops", .why = "test"}));
    EXPECT_TRUE(eventually([&] { return next.lost().stop_requested(); }));
    EXPECT_FALSE(stop.stop_requested());
}

TEST_F(sharing, each_wait_has_its_own_deadline_stop_token_and_interruption) {
    TURNSTILE_NEEDS_INTERRUPTION();
    mutex lock{*here, path, k_cohort};
    auto mine = lock.acquire({.timeout = limit()}).value();
    EXPECT_EQ(lock.acquire({.timeout = 1ms}).error(), errc::timeout);
    EXPECT_EQ(lock.try_acquire().error(), errc::busy);
    std::stop_source stop;
    outcome cancelled;
    lock.async_acquire({.stop = stop.get_token()}, cancelled.handler());
    stop.request_stop();
    ASSERT_TRUE(cancelled.came.wait());
    EXPECT_EQ(cancelled.answer->error(), errc::cancelled);
    event waits;
    boost::thread interrupted{[&] {
        waits.set();
        EXPECT_EQ(lock.acquire().error(), errc::interrupted);
    }};
    ASSERT_TRUE(waits.wait());
    interrupted.interrupt();
    interrupted.join();
    mine.unlock();
    EXPECT_TRUE(eventually([&] { return !lock.is_locked().value(); })) << "nobody waits any more";
}

TEST_F(sharing, whoever_waits_for_the_servers_may_give_up_as_well) {
    mutex other{*there, path};
    auto theirs = other.acquire({.timeout = limit()}).value();
    mutex lock{*here, path, k_cohort};
    EXPECT_EQ(lock.acquire({.timeout = 1ms}).error(), errc::timeout);
    EXPECT_EQ(lock.try_acquire().error(), errc::busy);
    EXPECT_TRUE(eventually([&] { return other.queue().value().size() == 1; }));
}

TEST_F(sharing, a_hold_that_lasts_too_long_is_lost_and_its_znode_given_back) {
    mutex lock{*here, path, k_cohort};
    event lost;
    auto mine = hold_shortly(lock, {.timeout = limit(),
                                    .on_lost =
                                        [&](const error& why) {
                                            EXPECT_EQ(why, errc::held_too_long);
                                            lost.set();
                                        },
                                    .max_hold = 20ms});
    const auto znode = mine.znode();
    auto next = lock.acquire({.timeout = limit()}).value();
    EXPECT_NE(next.znode(), znode) << "what is written under it no longer counts";
    EXPECT_TRUE(lost.wait());
    EXPECT_FALSE(mine.valid());
    mine.unlock();
    EXPECT_TRUE(next.valid()) << "the late release is not the next one's";
}

TEST_F(sharing, what_commits_are_under_way_for_is_not_passed_on) {
    mutex lock{*here, path, k_cohort};
    auto mine = lock.acquire({.timeout = limit()}).value();
    const auto znode = mine.znode();
    faults.set_traffic(here->session().id, local::traffic::stalls_after_server);
    event written;
    mine.async_commit(transaction{}.create("/data", "1"), {}, [&](result<commit_result> committed) {
        EXPECT_TRUE(committed) << committed.error().message();
        written.set();
    });
    outcome next;
    lock.async_acquire({}, next.handler());
    mine.unlock();
    reconnect();
    ASSERT_TRUE(next.is_granted());
    EXPECT_NE((*next.answer)->znode(), znode);
    EXPECT_TRUE(written.wait());
}

TEST_F(sharing, what_a_commit_of_unknown_outcome_may_write_is_not_the_next_one_s) {
    mutex lock{*here, path, k_cohort};
    auto mine = lock.acquire({.timeout = limit()}).value();
    const auto znode = mine.znode();
    faults.set_traffic(here->session().id, local::traffic::stalls_after_server);
    EXPECT_EQ(mine.commit(transaction{}.create("/data", "1"), {.timeout = 1ms}).error(),
              errc::outcome_unknown);
    mine.unlock();
    outcome next;
    lock.async_acquire({}, next.handler());
    reconnect();
    ASSERT_TRUE(next.is_granted());
    EXPECT_NE((*next.answer)->znode(), znode);
}

TEST_F(sharing, without_a_server_the_wait_ends_with_that) {
    mutex lock{*here, path, k_cohort};
    faults.refuse_connections();
    faults.detach(here->session().id);
    ASSERT_TRUE(eventually([&] { return here->state() == session_state::suspended; }));
    const auto late = lock.acquire({.timeout = 1ms}).error();
    EXPECT_EQ(late, errc::not_connected);
    EXPECT_TRUE(late.detail().starts_with(path + ", at ")) << late.message();
    faults.allow_connections();
}

TEST_F(sharing, whoever_is_told_of_a_loss_may_wait_for_the_lock_there) {
    mutex lock{*here, path, k_cohort};
    auto mine = hold_shortly(lock, {.timeout = limit(), .max_hold = 20ms});
    event again;
    const std::stop_callback told{mine.lost(), [&] {
                                      EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
                                      again.set();
                                  }};
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    EXPECT_TRUE(again.wait());
}

TEST_F(sharing, more_of_them_may_wait_there_than_there_are_threads) {
    constexpr std::size_t k_all = detail::worker_pool::k_most_threads + 8;
    std::deque<mutex> locks;
    std::deque<guard> holds;
    std::deque<std::stop_callback<std::function<void()>>> callbacks;
    std::atomic<std::size_t> granted{0};
    for (std::size_t i = 0; i != k_all; ++i) {
        auto& lock = locks.emplace_back(*here, "/many/" + std::to_string(i), k_cohort);
        holds.push_back(lock.acquire({.timeout = limit()}).value());
        callbacks.emplace_back(holds.back().lost(), [&] {
            const auto again = lock.acquire({.timeout = limit()});
            EXPECT_TRUE(again) << again.error().message();
            ++granted;
        });
    }
    faults.expire(here->session().id);
    EXPECT_TRUE(eventually([&] { return granted == k_all; }));
}

TEST_F(sharing, closing_the_client_ends_holds_and_waits) {
    mutex lock{*here, path, k_retained};
    auto mine = lock.acquire({.timeout = limit()}).value();
    outcome waiting;
    lock.async_acquire({}, waiting.handler());
    here->close();
    ASSERT_TRUE(waiting.came.wait());
    EXPECT_EQ(waiting.answer->error(), errc::closed);
    EXPECT_FALSE(mine.valid());
    EXPECT_EQ(lock.acquire().error(), errc::closed);
    EXPECT_EQ(mine.release().error(), errc::closed);
}

TEST_F(sharing, what_cannot_be_kept_is_refused) {
    mutex lock{*here, path, k_cohort};
    EXPECT_EQ(lock.acquire({.label = std::string(1025, 'x')}).error(), errc::bad_option);
    EXPECT_EQ(lock.acquire({.max_hold = -1s}).error(), errc::bad_option);
    const auto with = [&](lock_options modes) { mutex retained{*here, path, modes}; };
    EXPECT_THROW(with({.retain_for = -1s}), std::system_error);
    EXPECT_THROW(with({.retain_for = 1s, .lock_delay = 1s}), std::system_error);
    EXPECT_THROW(with({.cohort = 1, .lock_delay = 1s}), std::system_error);
    EXPECT_THROW(with({.retain_for = 24h * 366 * 11}), std::system_error);
}

TEST_F(sharing, the_standard_forms_share_too) {
    mutex lock{*here, path, k_retained};
    std::string znode;
    {
        const std::lock_guard hold{lock};
        znode = lock.current()->znode();
    }
    const std::unique_lock again{lock, std::try_to_lock};
    ASSERT_TRUE(again.owns_lock());
    EXPECT_EQ(lock.current()->znode(), znode);
}

TEST_F(sharing, callers_hear_of_their_place) {
    mutex other{*there, path};
    auto theirs = other.acquire({.timeout = limit()}).value();
    mutex lock{*here, path, k_cohort};
    event entered;
    event queued;
    outcome ours;
    lock.async_acquire({.on_entered = [&](const std::string&) { entered.set(); },
                        .on_queued =
                            [&](std::size_t ahead) {
                                EXPECT_EQ(ahead, 1U);
                                queued.set();
                            }},
                       ours.handler());
    EXPECT_TRUE(entered.wait());
    EXPECT_TRUE(queued.wait());
    theirs.unlock();
    EXPECT_TRUE(ours.is_granted());
}

}  // namespace
}  // namespace turnstile::tests
