// SPDX-License-Identifier: Apache-2.0
// Tests the class `participation`, which makes the decisions of an election's participant, with inputs in every order.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "recipe/election/participation.hpp"

namespace turnstile::detail {
namespace {

// Returns the actions as text, such as "enter 1, stop 1".
std::string told(const std::vector<course::action>& actions) {
    static constexpr std::array k_names{"enter", "leave", "call", "stop", "give_back", "pause"};
    std::string text;
    for (const auto& action : actions) {
        if (!text.empty()) text += ", ";
        text += k_names.at(action.index());
        text += ' ' + std::to_string(std::visit([](const auto& it) { return it.of; }, action));
    }
    return text;
}

class participant_state : public ::testing::Test {
protected:
    std::string on(const course::input& input) { return told(now.on(input)); }
    void lead() {
        const auto turn = ++turns;
        on(course::started{});
        on(course::turn_granted{turn});
        on(course::begun{turn});
        on(course::decided{turn, true});
        ASSERT_TRUE(now.is<course::leading>(turn));
    }

    participation now{false};
    course::turn turns = 0;
};

TEST_F(participant_state, goes_round) {
    EXPECT_EQ(on(course::started{}), "enter 1");
    EXPECT_EQ(on(course::started{}), "");
    EXPECT_EQ(on(course::turn_granted{1}), "call 1");
    EXPECT_EQ(now.running(), std::nullopt);
    EXPECT_EQ(on(course::begun{1}), "");
    EXPECT_EQ(now.running(), 1U);
    EXPECT_EQ(on(course::decided{1, true}), "");
    EXPECT_EQ(on(course::resigned{}), "stop 1");
    EXPECT_EQ(on(course::returned{1}), "give_back 1, pause 1");
    EXPECT_EQ(now.running(), std::nullopt);
    EXPECT_EQ(now.pausing(), 1U);
    EXPECT_EQ(on(course::started{}), "");
    EXPECT_EQ(on(course::rested{1}), "enter 2");
    EXPECT_EQ(now.pausing(), std::nullopt);
}

TEST_F(participant_state, pauses_after_a_term_that_it_ended_itself) {
    lead();
    EXPECT_EQ(on(course::returned{1}), "give_back 1, pause 1");
    EXPECT_EQ(on(course::rested{1}), "enter 2");
    on(course::turn_granted{2});
    on(course::begun{2});
    on(course::decided{2, true});
    EXPECT_EQ(on(course::turn_lost{2}), "stop 2");
    EXPECT_EQ(on(course::returned{2}), "give_back 2, enter 3") << "not after a loss";
}

TEST_F(participant_state, closed_while_it_pauses) {
    lead();
    on(course::returned{1});
    EXPECT_EQ(on(course::closed{}), "");
    EXPECT_TRUE(now.rests());
    EXPECT_EQ(on(course::rested{1}), "");
    EXPECT_EQ(on(course::started{}), "enter 2");
    EXPECT_EQ(on(course::rested{1}), "") << "of an earlier turn";
}

TEST_F(participant_state, waits_for_its_function_before_it_queues_again) {
    lead();
    EXPECT_EQ(on(course::turn_lost{1}), "stop 1");
    EXPECT_EQ(on(course::started{}), "");
    EXPECT_EQ(on(course::returned{1}), "give_back 1, enter 2");
}

TEST_F(participant_state, closed_and_started_while_its_function_runs) {
    lead();
    EXPECT_EQ(on(course::closed{}), "stop 1");
    EXPECT_EQ(on(course::started{}), "");
    EXPECT_EQ(on(course::returned{1}), "give_back 1, enter 2");
    EXPECT_EQ(on(course::closed{}), "leave 2");
    EXPECT_EQ(on(course::turn_granted{2}),
              "give_back 2");  // the answer to turn 2 was still on its way
}

TEST_F(participant_state, started_and_closed_while_its_function_runs) {
    lead();
    on(course::turn_lost{1});
    on(course::started{});
    on(course::closed{});
    EXPECT_EQ(on(course::returned{1}), "give_back 1");
    EXPECT_EQ(on(course::started{}), "enter 2");
}

TEST_F(participant_state, closed_before_its_task_has_begun) {
    on(course::started{});
    on(course::turn_granted{1});
    EXPECT_EQ(on(course::closed{}), "give_back 1");
    EXPECT_EQ(on(course::started{}), "enter 2");
    on(course::turn_granted{2});
    EXPECT_EQ(on(course::begun{1}), "");
    EXPECT_FALSE(now.is<course::deciding>(1));
    EXPECT_EQ(now.running(), std::nullopt);
    on(course::begun{2});
    EXPECT_EQ(now.running(), 2U);
}

TEST_F(participant_state, stays_out_after_its_own_term_only) {
    now = participation{true};
    on(course::started{});
    on(course::turn_granted{1});
    // A turn is one stay in the election's queue. The participant lost the lead of turn 1 before it called the
    // function.
    EXPECT_EQ(on(course::turn_lost{1}), "give_back 1, enter 2");
    on(course::turn_granted{2});
    on(course::begun{2});
    EXPECT_EQ(on(course::decided{2, false}), "");  // the participant gives up the lead for another
    EXPECT_EQ(on(course::returned{2}), "give_back 2, enter 3");
    on(course::turn_granted{3});
    on(course::begun{3});
    EXPECT_EQ(on(course::turn_lost{3}), "stop 3");
    on(course::decided{3, true});
    EXPECT_FALSE(now.is<course::leading>(3));
    EXPECT_EQ(on(course::returned{3}), "give_back 3, enter 4");
    on(course::turn_granted{4});
    on(course::begun{4});
    on(course::decided{4, true});
    EXPECT_EQ(on(course::returned{4}), "give_back 4");
}

TEST_F(participant_state, tries_again_what_may_pass) {
    on(course::started{});
    EXPECT_EQ(on(course::turn_refused{1, error{errc::session_lost}}), "enter 2");
    EXPECT_EQ(on(course::turn_refused{2, error{errc::no_permission}}), "");
    EXPECT_EQ(now.failure(), error{errc::no_permission});
    EXPECT_EQ(on(course::started{}), "enter 3");
    EXPECT_EQ(now.failure(), std::nullopt);
    on(course::turn_granted{3});
    EXPECT_EQ(on(course::not_run{3}), "give_back 3");
}

// Tries every sequence of inputs of this length. A turn is one stay in the election's queue. The participant may have
// at most one turn in the queue at a time, and must know that turn.
TEST_F(participant_state, keeps_its_promises_in_every_order) {
    constexpr int k_length = 9;
    struct world {
        participation now;
        // Turns that have not ended. A turn is one stay in the election's queue, and includes the term as leader.
        std::set<course::turn> queued;
        std::set<course::turn> held;
        std::set<course::turn> tasks;  // turns with a task that has not begun
        std::optional<course::turn> runs;
        std::optional<course::turn> pauses;
    };
    std::size_t seen = 0;
    const auto feed = [](world& in, const course::input& input) {
        for (const auto& action : in.now.on(input)) {
            const auto of = std::visit([](const auto& it) { return it.of; }, action);
            if (std::holds_alternative<course::enter_queue>(action)) in.queued.insert(of);
            if (std::holds_alternative<course::call_function>(action)) in.tasks.insert(of);
            if (std::holds_alternative<course::pause>(action)) in.pauses = of;
            if (std::holds_alternative<course::leave_queue>(action) ||
                std::holds_alternative<course::give_back_lead>(action)) {
                in.queued.erase(of);
                in.held.erase(of);
            }
        }
    };
    const std::function<void(const world&, int)> play = [&](const world& from, int left) {
        ++seen;
        ASSERT_LE(from.queued.size(), 1U);
        for (const auto turn : from.held)
            ASSERT_TRUE(from.tasks.contains(turn) || from.runs == turn);
        if (left == 0) return;
        const auto step = [&](const std::function<void(world&)>& change) {
            auto next = from;
            change(next);
            play(next, left - 1);
        };
        step([&](world& in) { feed(in, course::started{}); });
        step([&](world& in) { feed(in, course::closed{}); });
        step([&](world& in) { feed(in, course::resigned{}); });
        for (const auto turn : from.queued) {
            if (!from.held.contains(turn)) {
                step([&](world& in) {
                    in.held.insert(turn);
                    feed(in, course::turn_granted{turn});
                });
            }
            step([&](world& in) {
                const bool held = in.held.erase(turn) != 0;
                in.queued.erase(turn);
                const error why{errc::session_lost};
                feed(in, held ? course::input{course::turn_lost{turn}}
                              : course::turn_refused{turn, why});
            });
        }
        for (const auto task : from.tasks) {
            step([&](world& in) {
                in.tasks.erase(task);
                feed(in, course::begun{task});
                if (!in.now.is<course::deciding>(task)) return;
                ASSERT_EQ(in.runs, std::nullopt);
                in.runs = task;
            });
        }
        if (from.pauses) {
            step([&](world& in) {
                feed(in, course::rested{*std::exchange(in.pauses, std::nullopt)});
            });
        }
        if (!from.runs) return;
        for (const bool leads : {false, true})
            step([&](world& in) { feed(in, course::decided{*in.runs, leads}); });
        step([&](world& in) {
            const auto over = *std::exchange(in.runs, std::nullopt);
            feed(in, course::returned{over});
        });
    };
    play({.now = participation{true}}, k_length);
    play({.now = participation{false}}, k_length);
    EXPECT_GT(seen, 10'000U);
}

}  // namespace
}  // namespace turnstile::detail
