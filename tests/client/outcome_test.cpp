// SPDX-License-Identifier: Apache-2.0
// Tests the results of with_lock(), guard::status() and queries of a lock. Also tests the limit on the length of a
// label (a caller's text in the data of a contender).
#include "support.hpp"

namespace turnstile::tests {
namespace {

class outcomes : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();
    mutex lock{*servers, "/lock"};

    void lose(const guard& hold) {
        faults.expire(servers->session().id);
        ASSERT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
    }
};

TEST_F(outcomes, a_position_is_asked_with_a_guard_of_the_lock) {
    mutex other{*servers, "/other"};
    const auto hold = other.acquire(limit()).value();
    EXPECT_EQ(other.position(hold).value(), 0U);
    EXPECT_EQ(lock.position(hold).error(),
              (error{errc::bad_option, "the guard of /other is no guard of the lock on /lock"}));
}

TEST_F(outcomes, with_lock_gives_the_value_of_a_function_whose_hold_lasted) {
    EXPECT_EQ(with_lock(lock, [] { return 41; }).value(), 41);
    EXPECT_TRUE(with_lock(lock, [](guard& hold) { EXPECT_TRUE(hold.valid()); }));
}

TEST_F(outcomes, with_lock_tells_that_the_hold_was_lost_halfway) {
    const auto value = with_lock(lock, [&](guard& hold) {
        lose(hold);
        return 41;
    });
    ASSERT_TRUE(value.has_error());
    EXPECT_EQ(value.error(), errc::session_lost);
    const auto nothing = with_lock(lock, [&](guard& hold) { lose(hold); });
    ASSERT_FALSE(nothing);
    EXPECT_EQ(nothing.error(), errc::session_lost);
}

TEST_F(outcomes, with_lock_returns_the_result_of_its_function) {
    const auto read = with_lock(lock, [](guard& hold) { return read_node(hold, "/missing"); });
    static_assert(std::same_as<decltype(read), const result<node>>);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error(), errc::no_node);
    const auto released = with_lock(lock, [](guard& hold) { return hold.release(limit()); });
    static_assert(std::same_as<decltype(released), const result<void>>);
    EXPECT_TRUE(released);
    // with_lock() must return the function's error, which says more than the error that the hold was lost.
    const auto failed = with_lock(lock, [&](guard& hold) {
        lose(hold);
        return result<int>{errc::outcome_unknown};
    });
    EXPECT_EQ(failed.error(), errc::outcome_unknown);
    const auto lost = with_lock(lock, [&](guard& hold) {
        lose(hold);
        return result<int>{41};
    });
    ASSERT_TRUE(lost.has_error());
    EXPECT_EQ(lost.error(), errc::session_lost);
}

TEST_F(outcomes, with_lock_leaves_a_hold_alone_that_the_function_has_seen_to) {
    guard kept;
    EXPECT_TRUE(with_lock(lock, [&](guard& hold) { kept = std::move(hold); }));
    EXPECT_TRUE(kept.valid());
    kept.unlock();
    EXPECT_TRUE(with_lock(lock, [&](guard& hold) { EXPECT_TRUE(hold.release(limit())); }));
}

TEST_F(outcomes, a_guard_tells_why_it_is_not_valid) {
    guard hold;
    EXPECT_EQ(hold.status().error(), errc::not_held);
    hold = lock.acquire({.timeout = limit()}).value();
    EXPECT_TRUE(hold.status());
    lose(hold);
    EXPECT_EQ(hold.status().error(), errc::session_lost);
}

TEST_F(outcomes, holder_is_nobody_only_when_the_queue_is_empty) {
    EXPECT_FALSE(lock.holder().value());
    const auto hold = lock.acquire({.timeout = limit()}).value();
    const auto head = lock.holder().value();
    ASSERT_TRUE(head);
    EXPECT_EQ(head->token, hold.fencing_token());
    EXPECT_EQ(head->position, 0U);
}

// The lock passes between holders without being free, so the query must always find a holder.
TEST_F(outcomes, holder_finds_somebody_while_the_lock_goes_from_hand_to_hand) {
    constexpr int k_looks = 300;
    std::atomic<bool> over{false};
    std::atomic<int> rounds{0};
    auto others = connect();
    mutex theirs{*others, "/lock"};
    // Two guards alternate. The next call queues before the current hold is released.
    auto current = theirs.acquire({.timeout = limit()}).value();
    std::thread hands{[&] {
        while (!over) {
            event granted;
            guard next;
            theirs.async_acquire({}, [&](result<guard> got) {
                next = std::move(got).value();
                granted.set();
            });
            while (theirs.queue().value().size() < 2) {
            }
            current.unlock();
            if (!granted.wait()) return;
            current = std::move(next);
            ++rounds;
        }
    }};
    for (int i = 0; i != k_looks; ++i) EXPECT_TRUE(lock.holder().value());
    over = true;
    hands.join();
    EXPECT_GT(rounds, 0);
}

TEST_F(outcomes, a_query_takes_a_stop_token_and_a_timeout) {
    std::stop_source stop;
    stop.request_stop();
    faults.detach(servers->session().id);
    ASSERT_TRUE(eventually([&] { return servers->state() == session_state::suspended; }));
    EXPECT_EQ(lock.is_locked({.stop = stop.get_token()}).error(), errc::cancelled);
    EXPECT_EQ(lock.queue({.timeout = std::chrono::milliseconds{1}}).error(), errc::not_connected);
}

TEST_F(outcomes, a_label_has_a_limit) {
    const std::string longest(1024, 'x');
    const std::string longer(1025, 'x');
    EXPECT_EQ(lock.acquire({.label = longer}).error(), errc::bad_option);
    event refused;
    lock.async_acquire({.label = longer}, [&](const result<guard>& outcome) {
        EXPECT_EQ(outcome.error(), errc::bad_option);
        refused.set();
    });
    EXPECT_TRUE(refused.wait());
    EXPECT_THROW(client(where, {.label = longer}), std::system_error);
    const auto hold = lock.acquire({.timeout = limit(), .label = longest});
    ASSERT_TRUE(hold);
    EXPECT_EQ(lock.holder().value()->metadata.label, longest);
}

TEST_F(outcomes, a_session_tells_the_role_of_its_server) {
    EXPECT_EQ(to_string(servers->session().role), "standalone");
    EXPECT_EQ(to_string(server_role::read_only), "read_only");
}

}  // namespace
}  // namespace turnstile::tests
