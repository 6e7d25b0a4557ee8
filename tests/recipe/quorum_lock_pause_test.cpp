// SPDX-License-Identifier: Apache-2.0
// Tests the pause between two attempts of a call of quorum_lock. During the pause the call has no contender, and only a
// timer refers to the call.
#include <array>
#include <thread>

#include <boost/thread/thread.hpp>

#include "client/support.hpp"
#include "needs_interruption.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

// Options whose pauses are longer than any test.
constexpr quorum_options k_long_pauses{.attempt = 1h, .retry_first = 1h, .retry_longest = 1h};

class quorum_pauses : public ::testing::Test {
protected:
    void SetUp() override {
        for (std::size_t i = 0; i != 3; ++i) {
            blocked_by[i] = std::make_unique<client>("local:" + trees[i]);
            blocked.push_back(std::make_unique<mutex>(*blocked_by[i], "/lock"));
            blockers.push_back(blocked.back()->acquire({.timeout = limit()}).value());
            clients.push_back(connect(i));
        }
        lock = std::make_unique<quorum_lock>(
            std::vector<quorum_member>{
                {*clients[0], "east"}, {*clients[1], "north"}, {*clients[2], "west"}},
            "/lock", k_long_pauses);
    }
    // Returns a client whose waiters end with their session, so that losing the session starts the pause.
    [[nodiscard]] std::unique_ptr<client> connect(std::size_t which) const {
        auto result = std::make_unique<client>(
            "local:" + trees[which],
            client_options{.waiters = session_loss_policy::fail, .callbacks = loop.run()});
        result->wait_connected(limit()).value();
        return result;
    }
    // Waits until the call has queued in every ensemble. Then ends each session, so that the call pauses.
    void drive_into_the_pause() {
        for (std::size_t i = 0; i != 3; ++i) {
            ASSERT_TRUE(eventually([&] { return blocked[i]->queue().value().size() == 2; }));
            faults[i].expire(clients[i]->session().id);
            ASSERT_TRUE(eventually([&] { return clients[i]->session().epoch >= 2; }));
        }
    }
    struct told {
        event answered;
        errc why{};
        bool on_executor = false;
    };
    // Returns a handler that records its call, and whether it ran on the clients' executor.
    [[nodiscard]] std::function<void(result<guard>)> tell(told& listener) {
        return [this, &listener](const result<guard>& refused) {
            listener.why = refused ? errc{} : static_cast<errc>(refused.error().code());
            listener.on_executor = std::this_thread::get_id() == loop.id();
            listener.answered.set();
        };
    }

    const std::array<std::string, 3> trees{fresh_tree(), fresh_tree(), fresh_tree()};
    std::array<local::faults, 3> faults{local::faults{trees[0]}, local::faults{trees[1]},
                                        local::faults{trees[2]}};
    mutable loop_thread loop;
    std::array<std::unique_ptr<client>, 3> blocked_by;
    std::vector<std::unique_ptr<mutex>> blocked;
    std::vector<guard> blockers;
    std::vector<std::unique_ptr<client>> clients;
    std::unique_ptr<quorum_lock> lock;
};

TEST_F(quorum_pauses, G7_a_blocking_wait_ends_when_all_clients_close) {
    std::optional<result<guard>> outcome;
    std::thread waiter{[&] { outcome = lock->acquire(); }};
    drive_into_the_pause();
    for (const auto& client : clients) client->close();
    waiter.join();
    EXPECT_EQ(outcome->error(), errc::closed) << outcome->error().message();
    EXPECT_NE(outcome->error().message().find("west"), std::string::npos);
}

TEST_F(quorum_pauses, G7_a_limit_does_not_matter_when_all_clients_close) {
    std::optional<result<guard>> outcome;
    std::thread waiter{[&] { outcome = lock->acquire({.timeout = 1h}); }};
    drive_into_the_pause();
    for (const auto& client : clients) client->close();
    waiter.join();
    EXPECT_EQ(outcome->error(), errc::closed) << outcome->error().message();
}

TEST_F(quorum_pauses, G7_an_asynchronous_wait_ends_on_the_executor_when_all_clients_close) {
    told mine;
    lock->async_acquire({}, tell(mine));
    drive_into_the_pause();
    lock.reset();
    for (const auto& client : clients) client->close();
    ASSERT_TRUE(mine.answered.wait());
    EXPECT_EQ(mine.why, errc::closed);
    EXPECT_TRUE(mine.on_executor);
}

TEST_F(quorum_pauses, G7_all_clients_may_close_at_once) {
    told mine;
    lock->async_acquire({}, tell(mine));
    drive_into_the_pause();
    std::vector<std::thread> closers;
    for (const auto& client : clients) closers.emplace_back([&client] { client->close(); });
    for (auto& closer : closers) closer.join();
    ASSERT_TRUE(mine.answered.wait());
    EXPECT_EQ(mine.why, errc::closed);
}

// When one of three clients closes, the call continues. When a second client closes, the call ends, and the third
// client reports the end.
TEST_F(quorum_pauses, a_wait_goes_on_while_a_majority_of_clients_is_open) {
    told mine;
    lock->async_acquire({}, tell(mine));
    drive_into_the_pause();
    clients[0]->close();
    EXPECT_FALSE(mine.answered.is_set());
    clients[2]->close();
    ASSERT_TRUE(mine.answered.wait());
    EXPECT_EQ(mine.why, errc::closed);
    EXPECT_TRUE(mine.on_executor);
}

TEST_F(quorum_pauses, stop_requests_and_interruptions_end_a_pause) {
    TURNSTILE_NEEDS_INTERRUPTION();
    told mine;
    std::stop_source stop;
    lock->async_acquire({.stop = stop.get_token()}, tell(mine));
    std::optional<result<guard>> outcome;
    boost::thread waiter{[&] { outcome = lock->acquire(); }};
    for (std::size_t i = 0; i != 3; ++i) {
        ASSERT_TRUE(eventually([&] { return blocked[i]->queue().value().size() == 3; }));
        faults[i].expire(clients[i]->session().id);
        ASSERT_TRUE(eventually([&] { return clients[i]->session().epoch >= 2; }));
    }
    stop.request_stop();
    ASSERT_TRUE(mine.answered.wait());
    EXPECT_EQ(mine.why, errc::cancelled);
    waiter.interrupt();
    waiter.join();
    EXPECT_EQ(outcome->error(), errc::interrupted);
    for (const auto& client : clients) client->close();
    stop.request_stop();
}

// A hold that has lost the lock of one ensemble pauses before it tries to take that lock again. If two of its three
// clients close during the pause, the hold must be lost.
TEST_F(quorum_pauses, a_hold_that_pauses_is_lost_when_its_clients_close) {
    blockers.clear();
    auto hold = lock->acquire({.timeout = limit()}).value();
    event lost;
    const std::stop_callback on_stop{hold.lost(), [&] { lost.set(); }};
    ASSERT_TRUE(eventually([&] { return hold.fencing_tokens().size() == 3; }));
    faults[0].expire(clients[0]->session().id);
    ASSERT_TRUE(eventually([&] { return hold.fencing_tokens().size() == 2; }));
    clients[0]->close();
    EXPECT_TRUE(hold.valid());
    clients[1]->close();
    ASSERT_TRUE(lost.wait());
    EXPECT_FALSE(hold.valid());
    clients[2]->close();
    EXPECT_FALSE(hold.release());
}

}  // namespace
}  // namespace turnstile::tests
