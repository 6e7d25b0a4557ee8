// SPDX-License-Identifier: Apache-2.0
// Tests the class `leader` with a function. The library calls the function in each term in which the participant leads.
#include <algorithm>
#include <future>
#include <mutex>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

void wait_for_stop(leader_term& term) {
    testing::event stopped;
    const std::stop_callback told{term.lost(), [&] { stopped.set(); }};
    ASSERT_TRUE(stopped.wait());
}

class election : public shell_test {
protected:
    // Remembers the ids of participants in the order of their terms.
    class record {
    public:
        void add(const std::string& id) {
            const std::lock_guard hold{mutex_};
            ids_.push_back(id);
        }
        [[nodiscard]] std::vector<std::string> ids() const {
            const std::lock_guard hold{mutex_};
            return ids_;
        }

    private:
        mutable std::mutex mutex_;
        std::vector<std::string> ids_;
    };

    record terms;
    std::unique_ptr<client> servers = connect({.close_timeout = 50ms});

    // Returns a participant whose function ends when its stop token fires.
    [[nodiscard]] std::unique_ptr<leader> patient(const client& of, const std::string& id,
                                                  leader_options options = {}) {
        options.id = id;
        options.pause = 0ms;
        return std::make_unique<leader>(
            of, "/seat",
            [this, id](leader_term& term) {
                terms.add(id);
                wait_for_stop(term);
            },
            std::move(options));
    }
    void start(leader& seat, std::size_t participants) {
        seat.start();
        ASSERT_TRUE(eventually([&] { return seat.participants().value().size() == participants; }));
    }
};

TEST_F(election, periodic_work_goes_round) {
    constexpr std::size_t k_rounds = 4;
    std::vector<std::unique_ptr<leader>> seats;
    for (const std::string id : {"a", "b", "c"}) seats.push_back(patient(*servers, id));
    for (std::size_t i = 0; i != seats.size(); ++i) start(*seats[i], i + 1);
    for (std::size_t turn = 0; turn != k_rounds * 3; ++turn) {
        ASSERT_TRUE(eventually([&] { return terms.ids().size() == turn + 1; }));
        auto& leader = *seats[turn % 3];
        ASSERT_TRUE(eventually([&] { return leader.leads(); }));
        // The previous leader must be in the queue again.
        ASSERT_TRUE(eventually([&] { return leader.participants().value().size() == 3; }));
        leader.resign();
    }
    const auto ids = terms.ids();
    for (std::size_t i = 3; i != k_rounds * 3; ++i) EXPECT_EQ(ids[i], ids[i - 3]);
}

TEST_F(election, the_function_is_stopped_when_the_leadership_is_lost) {
    testing::event stopped;
    leader seat{*servers, "/seat", [&](leader_term& term) {
                    EXPECT_TRUE(term.valid());
                    wait_for_stop(term);
                    stopped.set();
                }};
    seat.start();
    ASSERT_TRUE(eventually([&] { return seat.leads(); }));
    faults.expire(servers->session().id);
    EXPECT_TRUE(stopped.wait());
    // The participant leads again.
    EXPECT_TRUE(eventually([&] { return seat.terms() == 2 && seat.leads(); }));
}

TEST_F(election, closing_waits_for_the_function) {
    std::atomic<bool> inside{false};
    auto seat = std::make_unique<leader>(*servers, "/seat", [&](leader_term& term) {
        inside = true;
        wait_for_stop(term);
        inside = false;
    });
    seat->start();
    ASSERT_TRUE(eventually([&] { return inside.load(); }));
    seat->close();
    EXPECT_FALSE(inside);
    EXPECT_FALSE(seat->leads());
    EXPECT_TRUE(eventually([&] { return seat->participants().value().empty(); }));
    seat->start();
    EXPECT_TRUE(eventually([&] { return seat->leads(); }));
    seat.reset();
    EXPECT_FALSE(inside);
}

TEST_F(election, it_may_be_closed_by_its_function) {
    testing::event done;
    leader* self = nullptr;
    leader seat{*servers, "/seat", [&](leader_term& term) {
                    self->close();
                    EXPECT_TRUE(term.lost().stop_requested());
                    done.set();
                }};
    self = &seat;
    seat.start();
    ASSERT_TRUE(done.wait());
    EXPECT_TRUE(eventually([&] { return seat.participants().value().empty(); }));
    EXPECT_EQ(seat.terms(), 1U);
}

TEST_F(election, what_the_function_throws_ends_the_term_and_is_told) {
    testing::event told;
    leader seat{*servers,
                "/seat",
                [](leader_term&) { throw std::runtime_error{"no work"}; },
                {.once = true, .on_exception = [&](std::exception_ptr why) {
                     try {
                         std::rethrow_exception(why);
                     } catch (const std::runtime_error&) {
                         told.set();
                     }
                 }}};
    seat.start();
    ASSERT_TRUE(told.wait());
    EXPECT_TRUE(eventually([&] { return seat.participants().value().empty(); }));
    EXPECT_EQ(seat.terms(), 1U);  // the participant stays out
    seat.start();
    EXPECT_TRUE(told.wait(2));
}

// The participant pauses after its term for longer than the test.
TEST_F(election, a_function_that_returns_at_once_is_followed_by_a_pause) {
    leader seat{*servers, "/seat", [](leader_term&) {}, {.pause = 24h}};
    seat.start();
    EXPECT_TRUE(eventually([&] { return seat.terms() == 1; }));
    EXPECT_TRUE(eventually([&] { return seat.participants().value().empty(); }));
    seat.start();  // no effect, because the participant takes part
    EXPECT_EQ(seat.await({.timeout = 1ms}).error(), errc::timeout);
    seat.close();
    EXPECT_EQ(seat.await().error(), errc::closed);
    seat.start();  // ends the pause
    EXPECT_TRUE(eventually([&] { return seat.terms() == 2; }));
}

TEST_F(election, a_pause_ends) {
    leader seat{*servers, "/seat", [](leader_term&) {}, {.pause = 1ms}};
    seat.start();
    EXPECT_TRUE(eventually([&] { return seat.terms() >= 5; }));
}

TEST_F(election, the_end_of_the_client_ends_a_pause) {
    leader seat{*servers, "/seat", [](leader_term&) {}, {.pause = 24h}};
    seat.start();
    ASSERT_TRUE(eventually([&] { return seat.terms() == 1; }));
    servers->close();
    EXPECT_TRUE(eventually([&] { return seat.failure() == error{errc::closed}; }));
}

TEST_F(election, listeners_and_waits_are_told_of_terms_with_a_function) {
    event began;
    event ended;
    const auto seat = patient(*servers, "a", {.once = true});
    const auto told = seat->on_change([&](bool leads) { (leads ? began : ended).set(); });
    seat->start();
    ASSERT_TRUE(seat->await({.timeout = limit()}));
    EXPECT_TRUE(began.wait());
    EXPECT_FALSE(seat->lost().stop_requested());
    EXPECT_TRUE(seat->commit(transaction{}.create("/by-leader", "")));
    seat->resign();
    EXPECT_TRUE(ended.wait());
    EXPECT_TRUE(seat->lost().stop_requested());
    EXPECT_EQ(seat->await({.timeout = limit()}).error(), errc::closed);
}

TEST_F(election, the_function_runs_on_the_executor) {
    loop_thread loop;
    std::promise<std::thread::id> ran;
    std::promise<std::thread::id> loops;
    loop.post([&] { loops.set_value(std::this_thread::get_id()); });
    leader seat{*servers,
                "/seat",
                [&](leader_term&) { ran.set_value(std::this_thread::get_id()); },
                {.once = true, .run = loop.run()}};
    seat.start();
    EXPECT_EQ(ran.get_future().get(), loops.get_future().get());
}

TEST_F(election, an_executor_that_throws_ends_the_participation) {
    testing::event told;
    leader seat{*servers,
                "/seat",
                [](leader_term&) {},
                {.run = throwing_executor(),
                 .on_exception = [&](const std::exception_ptr&) { told.set(); }}};
    seat.start();
    EXPECT_TRUE(told.wait());
    EXPECT_TRUE(eventually([&] { return seat.participants().value().empty(); }));
    EXPECT_EQ(seat.terms(), 0U);
}

TEST_F(election, moves_to_a_named_participant) {
    std::vector<std::unique_ptr<leader>> seats;
    for (const std::string id : {"a", "b", "c", "d"}) {
        seats.push_back(patient(*servers, id));
        start(*seats.back(), seats.size());
    }
    ASSERT_TRUE(eventually([&] { return seats[0]->leads(); }));
    EXPECT_EQ(seats[1]->move_to("c", 1min).error(), errc::not_held);
    EXPECT_EQ(seats[0]->move_to("nobody", 1min).error(), errc::bad_option);
    EXPECT_TRUE(seats[0]->move_to("a", 1min));
    ASSERT_TRUE(seats[0]->move_to("d", 1min));
    // The participant leads before its function adds the term to `terms`.
    ASSERT_TRUE(eventually([&] { return terms.ids().size() == 2; }));
    EXPECT_EQ(terms.ids()[1], "d");  // b and c gave up the lead
    EXPECT_TRUE(seats[3]->leads());
    const auto everybody = [&] { return seats[3]->participants().value(); };
    ASSERT_TRUE(eventually([&] { return everybody().size() == seats.size(); }));
    const auto next = everybody()[1].id;
    seats[3]->resign();
    ASSERT_TRUE(eventually([&] { return terms.ids().size() == 3; }));
    EXPECT_EQ(terms.ids()[2], next);  // no successor is named any more
}

// The participant b gets the lead before c, and passes the lead on to c without a term. So b stays in the election,
// even with the option `once`.
TEST_F(election, one_that_steps_aside_queues_again_though_it_stays_out_after_a_term) {
    std::vector<std::unique_ptr<leader>> seats;
    for (const std::string id : {"a", "b", "c"}) {
        seats.push_back(patient(*servers, id, {.once = true}));
        start(*seats.back(), seats.size());
    }
    ASSERT_TRUE(eventually([&] { return seats[0]->leads(); }));
    ASSERT_TRUE(seats[0]->move_to("c", 1min));
    ASSERT_TRUE(eventually([&] { return seats[2]->leads(); }));
    seats[2]->resign();
    ASSERT_TRUE(eventually([&] { return terms.ids().size() == 3; }));
    EXPECT_EQ(terms.ids(), (std::vector<std::string>{"a", "c", "b"}));
    ASSERT_TRUE(eventually([&] { return seats[1]->leads(); }));
    seats[1]->resign();
    EXPECT_TRUE(eventually([&] { return seats[0]->participants().value().empty(); }));
}

TEST_F(election, a_move_to_one_that_goes_away_ends) {
    std::vector<std::unique_ptr<leader>> seats;
    for (const std::string id : {"a", "b", "c"}) {
        seats.push_back(patient(*servers, id));
        start(*seats.back(), seats.size());
    }
    ASSERT_TRUE(eventually([&] { return seats[0]->leads(); }));
    // The named participant leaves, so another participant must lead.
    ASSERT_TRUE(seats[0]->move_to("c", 1min));
    seats[2]->close();
    EXPECT_TRUE(eventually([&] { return seats[0]->leads() || seats[1]->leads(); }));
}

TEST_F(election, the_end_of_the_client_ends_it) {
    auto seat = patient(*servers, "a");
    start(*seat, 1);
    ASSERT_TRUE(eventually([&] { return seat->leads(); }));
    servers->close();
    EXPECT_TRUE(eventually([&] { return seat->failure() == error{errc::closed}; }));
    EXPECT_FALSE(seat->leads());
    seat->close();
}

TEST_F(election, misuse_is_refused) {
    EXPECT_THROW(leader(*servers, "/seat", nullptr), std::system_error);
    EXPECT_THROW(leader(*servers, "seat", [](leader_term&) {}), std::system_error);
    EXPECT_THROW(leader(*servers, "/seat", [](leader_term&) {}, {.pause = -1s}), std::system_error);
}

}  // namespace
}  // namespace turnstile::tests
