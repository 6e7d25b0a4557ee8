// SPDX-License-Identifier: Apache-2.0
// Tests the state machine that acquires all of several locks or none, in any order of answers, losses and
// cancellations.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/composite/all_of.hpp"

namespace turnstile::core {
namespace {

using action = all_of::action;
using actions = std::vector<action>;
using refusal = all_of::refusal;

class all_of_three : public ::testing::Test {
protected:
    all_of value{3};

    actions after(const std::function<void()>& event) {
        event();
        return value.take();
    }
    void grant_up_to(std::size_t parts) {
        value.start();
        for (std::size_t i = 0; i != parts; ++i) value.on_granted(i);
        static_cast<void>(value.take());
    }
};

TEST_F(all_of_three, asks_one_after_the_other_in_order) {
    EXPECT_EQ(after([&] { value.start(); }), (actions{all_of::ask{0}}));
    EXPECT_EQ(after([&] { value.on_granted(0); }), (actions{all_of::ask{1}}));
    EXPECT_EQ(after([&] { value.on_granted(1); }), (actions{all_of::ask{2}}));
    EXPECT_EQ(after([&] { value.on_granted(2); }), (actions{all_of::tell_granted{}}));
}

TEST_F(all_of_three, F15_a_failure_ends_it_and_gives_back_the_last_first) {
    grant_up_to(2);
    EXPECT_EQ(after([&] { value.on_refused(2, refusal::own); }),
              (actions{all_of::give_back{1}, all_of::give_back{0}, all_of::tell_failed{2}}));
    EXPECT_EQ(value.now(), all_of::phase::over);
}

TEST_F(all_of_three, the_loss_of_one_is_told_before_the_others_are_given_back) {
    grant_up_to(3);
    EXPECT_EQ(after([&] { value.on_lost(1, after_loss::start_over); }),
              (actions{all_of::tell_lost{1}, all_of::give_back{2}, all_of::give_back{0}}));
}

TEST_F(all_of_three, is_released_in_reverse) {
    grant_up_to(3);
    EXPECT_EQ(after([&] { value.leave(); }),
              (actions{all_of::give_back{2}, all_of::give_back{1}, all_of::give_back{0}}));
}

TEST_F(all_of_three, a_loss_while_another_is_waited_for_starts_over) {
    grant_up_to(2);
    EXPECT_EQ(after([&] { value.on_lost(0, after_loss::start_over); }),
              (actions{all_of::withdraw{2}}));
    EXPECT_EQ(after([&] { value.on_refused(2, refusal::withdrawn); }),
              (actions{all_of::give_back{1}, all_of::ask{0}}));
}

TEST_F(all_of_three, starts_over_also_when_the_withdrawal_comes_too_late) {
    grant_up_to(2);
    value.on_lost(0, after_loss::start_over);
    static_cast<void>(value.take());
    EXPECT_EQ(after([&] { value.on_granted(2); }),
              (actions{all_of::give_back{2}, all_of::give_back{1}, all_of::ask{0}}));
}

TEST_F(all_of_three, does_not_start_over_beyond_its_deadline) {
    grant_up_to(2);
    value.on_lost(0, after_loss::start_over);
    static_cast<void>(value.take());
    EXPECT_EQ(after([&] { value.on_refused(2, refusal::own); }),
              (actions{all_of::give_back{1}, all_of::tell_failed{2}}));
}

TEST_F(all_of_three, a_loss_for_good_names_the_part_that_was_lost) {
    grant_up_to(2);
    value.on_lost(0, after_loss::give_up);
    static_cast<void>(value.take());
    EXPECT_EQ(after([&] { value.on_refused(2, refusal::withdrawn); }),
              (actions{all_of::give_back{1}, all_of::tell_failed{0}}));
}

// ---- attempts that try several locks at once ------------------------------------------------

class all_of_tried : public ::testing::Test {
protected:
    all_of value{4, all_of::course::all_at_once};

    actions after(const std::function<void()>& event) {
        event();
        return value.take();
    }
    void SetUp() override {
        EXPECT_EQ(after([&] { value.start(); }),
                  (actions{all_of::try_part{0}, all_of::try_part{1}, all_of::try_part{2},
                           all_of::try_part{3}}));
    }
};

TEST_F(all_of_tried, all_that_are_granted_are_the_whole) {
    for (const std::size_t part : {2U, 0U, 3U})
        EXPECT_EQ(after([&] { value.on_granted(part); }), actions{});
    EXPECT_EQ(after([&] { value.on_granted(1); }), (actions{all_of::tell_granted{}}));
    EXPECT_EQ(value.failed_trials(), 0U);
}

TEST_F(all_of_tried, what_is_behind_a_contested_part_is_given_back_before_that_is_waited_for) {
    value.on_granted(3);
    value.on_granted(0);
    EXPECT_EQ(after([&] { value.on_refused(1, refusal::contested); }),
              (actions{all_of::withdraw{2}, all_of::give_back{3}}));
    EXPECT_EQ(after([&] { value.on_granted(2); }), (actions{all_of::give_back{2}, all_of::ask{1}}));
    EXPECT_TRUE(value.holds(0));
    EXPECT_EQ(value.failed_trials(), 1U);
    EXPECT_EQ(after([&] { value.on_granted(1); }),
              (actions{all_of::try_part{2}, all_of::try_part{3}}));
}

TEST_F(all_of_tried, the_first_of_several_contested_parts_is_waited_for) {
    EXPECT_EQ(after([&] { value.on_refused(2, refusal::contested); }),
              (actions{all_of::withdraw{3}}));
    value.on_granted(1);
    EXPECT_EQ(after([&] { value.on_refused(0, refusal::contested); }),
              (actions{all_of::give_back{1}}));
    EXPECT_EQ(after([&] { value.on_refused(3, refusal::withdrawn); }), (actions{all_of::ask{0}}));
}

TEST_F(all_of_tried, two_trials_in_vain_are_enough) {
    value.on_refused(0, refusal::contested);
    for (const std::size_t part : {1U, 2U, 3U}) value.on_refused(part, refusal::withdrawn);
    value.on_granted(0);
    static_cast<void>(value.take());
    value.on_refused(1, refusal::contested);
    value.on_refused(2, refusal::withdrawn);
    static_cast<void>(value.take());
    EXPECT_EQ(after([&] { value.on_refused(3, refusal::withdrawn); }), (actions{all_of::ask{1}}));
    EXPECT_EQ(after([&] { value.on_granted(1); }), (actions{all_of::ask{2}}));
    EXPECT_EQ(after([&] { value.on_granted(2); }), (actions{all_of::ask{3}}));
    EXPECT_EQ(after([&] { value.on_granted(3); }), (actions{all_of::tell_granted{}}));
}

TEST_F(all_of_tried, a_reason_of_its_own_ends_it_when_all_have_answered) {
    value.on_granted(0);
    EXPECT_EQ(after([&] { value.on_refused(2, refusal::own); }),
              (actions{all_of::withdraw{1}, all_of::withdraw{3}}));
    EXPECT_EQ(after([&] { value.on_refused(1, refusal::own); }), actions{});
    EXPECT_EQ(after([&] { value.on_granted(3); }),
              (actions{all_of::give_back{3}, all_of::give_back{0}, all_of::tell_failed{2}}));
}

TEST_F(all_of_tried, a_loss_while_the_rest_is_tried_starts_over) {
    value.on_granted(1);
    EXPECT_EQ(after([&] { value.on_lost(1, after_loss::start_over); }),
              (actions{all_of::withdraw{0}, all_of::withdraw{2}, all_of::withdraw{3}}));
    value.on_granted(0);
    value.on_refused(2, refusal::withdrawn);
    EXPECT_EQ(after([&] { value.on_refused(3, refusal::withdrawn); }),
              (actions{all_of::give_back{0}, all_of::try_part{0}, all_of::try_part{1},
                       all_of::try_part{2}, all_of::try_part{3}}));
}

TEST(all_of, the_rest_is_tried_when_the_first_part_is_there) {
    all_of value{3, all_of::course::rest_at_once};
    value.start();
    EXPECT_EQ(value.take(), (actions{all_of::ask{0}}));
    value.on_granted(0);
    EXPECT_EQ(value.take(), (actions{all_of::try_part{1}, all_of::try_part{2}}));
    value.on_granted(2);
    value.on_granted(1);
    EXPECT_EQ(value.take(), (actions{all_of::tell_granted{}}));
}

// Tries every sequence of events up to a length. After each event, checks what the caller and the locks observe.
class every_order {
public:
    every_order(std::size_t parts, all_of::course how) : parts_{parts}, how_{how} {}

    std::size_t run(int depth) {
        world first{all_of{parts_, how_}, std::vector<bool>(parts_), {}, {}, {}, 0};
        first.value.start();
        judge(first);
        go_on(first, depth);
        return histories_;
    }

private:
    struct world {
        all_of value;
        std::vector<bool> holds;  // locks that are granted
        std::optional<std::size_t> waited_for;
        std::set<std::size_t> tried;
        std::set<std::size_t> withdrawn;
        int told;

        void answered(std::size_t part) {
            if (waited_for == part) waited_for.reset();
            tried.erase(part);
            withdrawn.erase(part);
        }
        // Returns true if no cycle of waits can arise: while the state machine waits for a lock, it tries no lock, and
        // holds only locks that come before the awaited lock in the caller's order.
        [[nodiscard]] bool waits_in_order() const {
            if (!waited_for) return true;
            for (std::size_t i = 0; i != holds.size(); ++i)
                if (i != *waited_for && holds[i] && i > *waited_for) return false;
            return tried.empty();
        }
    };

    void judge(world& w) const {
        std::optional<std::size_t> given_back;
        for (const auto& step : w.value.take()) {
            ASSERT_EQ(w.told == 1 && w.value.now() == all_of::phase::held, false)
                << "something follows the grant";
            if (const auto* ask = std::get_if<all_of::ask>(&step)) {
                ASSERT_FALSE(w.waited_for) << "two are waited for at once";
                for (std::size_t i = 0; i != parts_; ++i)
                    ASSERT_EQ(w.holds[i], i < ask->part) << "not in order";
                w.waited_for = ask->part;
            } else if (const auto* trial = std::get_if<all_of::try_part>(&step)) {
                ASSERT_NE(how_, all_of::course::in_order);
                ASSERT_FALSE(w.waited_for || w.holds[trial->part]);
                ASSERT_TRUE(w.tried.insert(trial->part).second) << "tried twice at once";
            } else if (const auto* draw = std::get_if<all_of::withdraw>(&step)) {
                ASSERT_TRUE(w.waited_for == draw->part || w.tried.contains(draw->part));
                ASSERT_TRUE(w.withdrawn.insert(draw->part).second) << "withdrawn twice";
            } else if (const auto* back = std::get_if<all_of::give_back>(&step)) {
                ASSERT_TRUE(w.holds[back->part]);
                ASSERT_TRUE(!given_back || back->part < *given_back) << "not in reverse";
                given_back = back->part;
                w.holds[back->part] = false;
            } else if (std::holds_alternative<all_of::tell_granted>(step)) {
                ASSERT_EQ(std::count(w.holds.begin(), w.holds.end(), false), 0);
                ++w.told;
            } else if (std::holds_alternative<all_of::tell_failed>(step)) {
                ASSERT_EQ(std::count(w.holds.begin(), w.holds.end(), true), 0)
                    << "something is left";
                ASSERT_EQ(w.told, 0);
                ++w.told;
            } else {
                ASSERT_FALSE(given_back) << "given back before the caller was told";
                ASSERT_EQ(w.told, 1);
                ++w.told;
            }
        }
        ASSERT_TRUE(w.waits_in_order());
        if (w.value.now() == all_of::phase::acquiring) {
            ASSERT_TRUE(w.waited_for || !w.tried.empty()) << "nothing is to come";
        }
        if (w.value.now() == all_of::phase::over) {
            ASSERT_FALSE(w.waited_for || !w.tried.empty()) << "an answer is still to come";
            ASSERT_EQ(std::count(w.holds.begin(), w.holds.end(), true), 0);
            ASSERT_GT(w.told, 0);
        }
    }

    void branch(world w, int depth, const std::function<void(world&)>& event) {
        event(w);
        judge(w);
        if (!::testing::Test::HasFatalFailure()) go_on(w, depth - 1);
    }

    void go_on(const world& w, int depth) {
        if (depth == 0 || w.value.now() == all_of::phase::over) {
            ++histories_;
            return;
        }
        auto questions = w.tried;
        if (w.waited_for) questions.insert(*w.waited_for);
        for (const auto part : questions) {
            branch(w, depth, [part](world& next) {
                next.answered(part);
                next.holds[part] = true;
                next.value.on_granted(part);
            });
            for (const auto why : {refusal::own, refusal::withdrawn, refusal::contested}) {
                if (why == refusal::withdrawn && !w.withdrawn.contains(part)) continue;
                if (why == refusal::contested && !w.tried.contains(part)) continue;
                branch(w, depth, [part, why](world& next) {
                    next.answered(part);
                    next.value.on_refused(part, why);
                });
            }
        }
        for (std::size_t i = 0; i != parts_; ++i) {
            if (!w.holds[i]) continue;
            for (const auto then : {after_loss::start_over, after_loss::give_up})
                branch(w, depth, [i, then](world& next) {
                    next.holds[i] = false;
                    next.value.on_lost(i, then);
                });
        }
        branch(w, depth, [](world& next) { next.value.leave(); });
    }

    const std::size_t parts_;
    const all_of::course how_;
    std::size_t histories_ = 0;
};

TEST(all_of, keeps_its_promises_in_every_order) {
    using course = all_of::course;
    for (const auto how : {course::in_order, course::rest_at_once, course::all_at_once}) {
        for (const std::size_t parts : {1U, 2U, 3U}) {
            EXPECT_GT(every_order(parts, how).run(how == course::in_order ? 8 : 7), 10U);
            if (HasFatalFailure()) return;
        }
    }
}

}  // namespace
}  // namespace turnstile::core
