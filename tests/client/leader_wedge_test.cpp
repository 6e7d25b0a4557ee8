// SPDX-License-Identifier: Apache-2.0
// Tests the class `leader` when start(), close() and a loss of the lead come at the same time, or while the leader's
// function runs. The executor is slow, or has many threads.
#include <algorithm>
#include <latch>
#include <thread>
#include <vector>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class election_wedge : public shell_test {
protected:
    std::unique_ptr<client> servers = connect({.close_timeout = 50ms});
    idle_loop loop;

    // Waits until the client has run the callbacks of all earlier events, and the servers have answered the requests
    // that these callbacks caused.
    void let_everything_come() {
        constexpr int k_rounds = 20;
        mutex other{*servers, "/other"};
        for (int i = 0; i != k_rounds; ++i) {
            event called;
            other.async_acquire({}, [&](const result<guard>&) { called.set(); });
            ASSERT_TRUE(called.wait());
        }
    }
    void lose_the_lead(leader_term& term) {
        event stopped;
        const std::stop_callback told{term.lost(), [&] { stopped.set(); }};
        faults.expire(servers->session().id);
        ASSERT_TRUE(stopped.wait());
        let_everything_come();
    }
    // Runs the executor's tasks until the condition is true.
    template <class F>
    bool comes_to_be(F&& so) {
        return eventually([&] {
            loop.run_all();
            return so();
        });
    }
};

TEST_F(election_wedge, started_again_while_the_function_still_runs_after_a_loss) {
    std::unique_ptr<leader> seat;
    seat = std::make_unique<leader>(
        *servers, "/seat",
        [&](leader_term& term) {
            if (seat->terms() != 1) return;
            lose_the_lead(term);
            seat->start();
            let_everything_come();
            loop.run_all();  // on another thread of the executor
        },
        leader_options{.run = loop.run()});
    seat->start();
    EXPECT_TRUE(comes_to_be([&] { return seat->terms() > 1; }));
    seat.reset();
}

TEST_F(election_wedge, closed_and_started_again_by_its_function) {
    std::unique_ptr<leader> seat;
    seat = std::make_unique<leader>(
        *servers, "/seat",
        [&](leader_term& term) {
            if (seat->terms() != 1) return;
            seat->close();
            EXPECT_TRUE(term.lost().stop_requested());
            seat->start();
            let_everything_come();
            loop.run_all();
        },
        leader_options{.run = loop.run()});
    seat->start();
    EXPECT_TRUE(comes_to_be([&] { return seat->terms() > 1; }));
    seat.reset();
}

TEST_F(election_wedge, closed_and_started_again_by_its_function_on_its_own_thread) {
    std::unique_ptr<leader> seat;
    seat = std::make_unique<leader>(*servers, "/seat", [&](leader_term&) {
        if (seat->terms() != 1) return;
        seat->close();
        seat->start();
        let_everything_come();
    });
    seat->start();
    EXPECT_TRUE(eventually([&] { return seat->terms() > 1; }));
    seat->close();
    EXPECT_TRUE(eventually([&] { return seat->participants().value().empty(); }));
}

// The user starts the participant again before its function ends. So the participant queues again, even with `once`.
TEST_F(election_wedge, one_that_stays_out_and_was_started_again_meanwhile_takes_part) {
    std::unique_ptr<leader> seat;
    seat = std::make_unique<leader>(
        *servers, "/seat",
        [&](leader_term&) {
            if (seat->terms() != 1) return;
            seat->resign();
            seat->start();
        },
        leader_options{.once = true, .run = loop.run()});
    seat->start();
    EXPECT_TRUE(comes_to_be([&] { return seat->terms() == 2; }));
    EXPECT_TRUE(comes_to_be([&] { return seat->participants().value().empty(); }));
}

TEST_F(election_wedge, one_that_is_lost_before_its_function_is_called_queues_again) {
    leader seat{*servers, "/seat", [](leader_term&) {}, {.once = true, .run = loop.run()}};
    seat.start();
    ASSERT_TRUE(loop.wait());
    faults.expire(servers->session().id);
    EXPECT_TRUE(loop.wait(2));  // the participant is granted the lead again
    EXPECT_TRUE(comes_to_be([&] { return seat.terms() == 1; }));
}

// The leader is closed after its grant, but before the executor has run the task that calls the function. close() must
// release the hold at once.
TEST_F(election_wedge, closed_before_its_function_is_called) {
    leader seat{*servers, "/seat", [](leader_term&) {}, {.run = loop.run()}};
    seat.start();
    ASSERT_TRUE(loop.wait());
    seat.close();
    EXPECT_TRUE(eventually([&] { return seat.participants().value().empty(); }));
    seat.start();
    ASSERT_TRUE(loop.wait(2));
    // After the first grant the function was not called, so this term belongs to the second grant.
    EXPECT_TRUE(comes_to_be([&] { return seat.terms() > 0; }));
    seat.close();
    EXPECT_TRUE(eventually([&] { return seat.participants().value().empty(); }));
}

// start() and close() run at the same time, and the later of the two calls decides. A closed participant must not stay
// in the queue, where it would get the lead and never work.
TEST_F(election_wedge, started_beside_its_end_it_works_or_is_out) {
    constexpr int k_rounds = 300;
    leader seat{*servers, "/seat", [](leader_term&) {}, {.once = true}};
    for (int round = 0; round != k_rounds; ++round) {
        std::latch both{2};
        std::thread starter{[&] {
            both.arrive_and_wait();
            seat.start();
        }};
        both.arrive_and_wait();
        seat.close();
        starter.join();
        ASSERT_TRUE(eventually([&] { return seat.participants().value().empty(); })) << round;
    }
}

}  // namespace
}  // namespace turnstile::tests
