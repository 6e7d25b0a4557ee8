// Locks that the threads of one process share: retained, handed over locally, and given up when others queue.
#include <atomic>
#include <chrono>
#include <set>
#include <vector>

#include "local/tree.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

constexpr lock_options k_retained{.retain_for = 1h};
constexpr lock_options k_cohort{.cohort = 2};

class sharing : public shell_test {
protected:
    const std::string path = "/locks/a";
    std::unique_ptr<client> here = connect({.confirm_every = 50ms});
    std::unique_ptr<client> there = connect();

    // Whose answers had vanished.
    void reconnect() {
        const auto id = here->session().id;
        faults.set_traffic(id, local::traffic::flows);
        faults.detach(id);
        faults.attach(id);
    }
    // What an asynchronous acquisition came to.
    struct outcome {
        event came;
        std::optional<result<guard>> what;
        [[nodiscard]] bool is_granted() const { return came.wait() && what && what->has_value(); }
        auto handler() {
            return [this](result<guard> got) {
                what = std::move(got);
                came.set();
            };
        }
    };
};

// ---- retained -------------------------------------------------------------------------------

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
    event asked;
    ASSERT_TRUE(mine.release());
    mine = lock.acquire({.timeout = limit(),
                         .on_asked_to_release =
                             [&](const release_request& request) {
                                 EXPECT_EQ(request.who, "ops");
                                 asked.set();
                             }})
               .value();
    revocation power{*there, path};
    ASSERT_TRUE(power.ask(*lock.holder().value(), {.who = "ops", .why = "test"}));
    ASSERT_TRUE(asked.wait());
    mine.unlock();
    mutex other{*there, path};
    EXPECT_TRUE(eventually([&] { return !other.is_locked().value(); }));
}

// ---- cohort ---------------------------------------------------------------------------------

TEST_F(sharing, threads_of_one_process_hand_it_over_in_the_order_of_arrival) {
    mutex lock{*here, path, k_cohort};
    auto first = lock.acquire({.timeout = limit()}).value();
    const auto znode = first.znode();
    std::vector<int> order;  // handlers come one at a time
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
    for (auto& one : threads) one.join();
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
    for (auto* one : {&ours, &ours, &ours, &retained, &retained, &strict})
        threads.emplace_back([&work, one] { work(*one); });
    for (auto& one : threads) one.join();
}

// ---- losses, time-outs and the end ----------------------------------------------------------

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
    EXPECT_TRUE(stop.stop_requested());
    EXPECT_FALSE(mine.valid());
    EXPECT_EQ(mine.status().error(), errc::removed);
    EXPECT_EQ(mine.release().error(), errc::removed);
    ASSERT_TRUE(next.is_granted());
    EXPECT_NE((*next.what)->znode(), znode);
    EXPECT_GT((*next.what)->fencing_token(), token);
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
    mutex lock{*here, path, k_cohort};
    auto mine = lock.acquire({.timeout = limit()}).value();
    EXPECT_EQ(lock.acquire({.timeout = 1ms}).error(), errc::timeout);
    EXPECT_EQ(lock.try_acquire().error(), errc::busy);
    std::stop_source stop;
    outcome cancelled;
    lock.async_acquire({.stop = stop.get_token()}, cancelled.handler());
    stop.request_stop();
    ASSERT_TRUE(cancelled.came.wait());
    EXPECT_EQ(cancelled.what->error(), errc::cancelled);
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
    auto mine = lock.acquire({.timeout = limit(),
                              .on_lost =
                                  [&](const error& why) {
                                      EXPECT_EQ(why, errc::held_too_long);
                                      lost.set();
                                  },
                              .max_hold = 20ms})
                    .value();
    const auto znode = mine.znode();
    auto next = lock.acquire({.timeout = limit()}).value();
    EXPECT_NE(next.znode(), znode) << "what is written under it no longer counts";
    EXPECT_TRUE(lost.wait());
    EXPECT_FALSE(mine.valid());
    mine.unlock();
    EXPECT_TRUE(next.valid()) << "the late release is not the next one's";
}

TEST_F(sharing, a_local_hand_over_waits_for_the_commits_under_way) {
    mutex lock{*here, path, k_cohort};
    auto mine = lock.acquire({.timeout = limit()}).value();
    const auto znode = mine.znode();
    faults.set_traffic(here->session().id, local::traffic::stalls_after_server);
    event written;
    mine.async_commit(transaction{}.create("/data", "1"), {}, [&](result<commit_result> committed) {
        EXPECT_TRUE(committed) << committed.error().message();
        written.set();
    });
    mine.unlock();
    EXPECT_EQ(lock.try_acquire().error(), errc::busy);
    outcome next;
    lock.async_acquire({}, next.handler());
    reconnect();
    ASSERT_TRUE(next.is_granted());
    EXPECT_EQ((*next.what)->znode(), znode);
    faults.inspect([](local::tree& servers) { EXPECT_NE(servers.nodes().find("/data"), nullptr); });
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
    EXPECT_NE((*next.what)->znode(), znode);
}

TEST_F(sharing, without_a_server_the_wait_ends_with_that) {
    mutex lock{*here, path, k_cohort};
    faults.refuse_connections();
    faults.detach(here->session().id);
    EXPECT_EQ(lock.acquire({.timeout = 1ms}).error(), errc::not_connected);
    faults.allow_connections();
}

TEST_F(sharing, closing_the_client_ends_holds_and_waits) {
    mutex lock{*here, path, k_retained};
    auto mine = lock.acquire({.timeout = limit()}).value();
    outcome waiting;
    lock.async_acquire({}, waiting.handler());
    here->close();
    ASSERT_TRUE(waiting.came.wait());
    EXPECT_EQ(waiting.what->error(), errc::closed);
    EXPECT_FALSE(mine.valid());
    EXPECT_EQ(lock.acquire().error(), errc::closed);
    EXPECT_EQ(mine.release().error(), errc::closed);
}

TEST_F(sharing, what_cannot_be_kept_is_refused) {
    mutex lock{*here, path, k_cohort};
    EXPECT_EQ(lock.acquire({.lock_delay = 1s}).error(), errc::bad_option);
    EXPECT_EQ(lock.acquire({.label = std::string(1025, 'x')}).error(), errc::bad_option);
    EXPECT_EQ(lock.acquire({.max_hold = -1s}).error(), errc::bad_option);
    const auto with = [&](lock_options modes) { mutex made{*here, path, modes}; };
    EXPECT_THROW(with({.retain_for = -1s}), std::system_error);
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
