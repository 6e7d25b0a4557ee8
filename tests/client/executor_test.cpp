// SPDX-License-Identifier: Apache-2.0
// Tests a client with each kind of executor. Each handler runs once, and never on a thread that serves sessions.
#include "support.hpp"

namespace turnstile::tests {
namespace {

class executors : public shell_test {
protected:
    // Requests the lock several times. Each handler counts its grant, and releases its hold when the handler ends.
    // Returns when all handlers have run.
    void hand_round(const executor& run) {
        constexpr int k_rounds = 20;
        std::atomic<int> granted{0};
        event done;
        {
            const auto servers = connect({.callbacks = run});
            mutex lock{*servers, "/lock"};
            for (int i = 0; i != k_rounds; ++i)
                lock.async_acquire({}, [&](const result<guard>& hold) {
                    if (hold) ++granted;
                    done.set();
                });
            EXPECT_TRUE(done.wait(k_rounds));
        }
        EXPECT_EQ(granted, k_rounds);
        EXPECT_EQ(done.count(), static_cast<std::size_t>(k_rounds));
    }
};

TEST_F(executors, the_clients_own_thread) {
    hand_round({});
}
TEST_F(executors, one_that_runs_its_task_in_the_call) {
    hand_round(inline_executor());
}
TEST_F(executors, one_that_throws) {
    hand_round(throwing_executor());
}
TEST_F(executors, a_loop_with_one_thread) {
    loop_thread loop;
    hand_round(loop.run());
}

TEST_F(executors, one_that_drops_its_tasks_leaves_the_handlers_to_close) {
    const auto servers = connect({.callbacks = dropping_executor()});
    mutex lock{*servers, "/lock"};
    int calls = 0;
    for (int i = 0; i != 3; ++i) lock.async_acquire({}, [&](const result<guard>&) { ++calls; });
    servers->close();
    EXPECT_EQ(calls, 3);
}

TEST_F(executors, a_callback_that_blocks_holds_up_no_hold) {
    const auto servers = connect({.callbacks = inline_executor()});
    mutex lock{*servers, "/lock"};
    mutex other{*servers, "/other"};
    event begun;
    event go;
    lock.async_acquire({}, [&](const result<guard>&) {
        begun.set();
        EXPECT_TRUE(go.wait());
    });
    ASSERT_TRUE(begun.wait());
    EXPECT_TRUE(other.acquire({.timeout = limit()}).has_value());
    auto hold = other.acquire({.timeout = limit()}).value();
    faults.expire(servers->session().id);
    EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
    go.set();
}

}  // namespace
}  // namespace turnstile::tests
