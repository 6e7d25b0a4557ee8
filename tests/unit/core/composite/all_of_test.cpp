// SPDX-License-Identifier: Apache-2.0
// All or none over several locks: the value, in every order of answers, losses and changes of mind.
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

// Whatever comes in whatever order: what a caller and the locks see, judged step by step.
class every_order {
public:
    explicit every_order(std::size_t parts) : parts_{parts} {}

    std::size_t run(int depth) {
        world first{all_of{parts_}, std::vector<bool>(parts_), {}, false, 0};
        first.value.start();
        judge(first);
        go_on(first, depth);
        return histories_;
    }

private:
    struct world {
        all_of value;
        std::vector<bool> holds;  // as the locks see it
        std::optional<std::size_t> requested;
        bool withdrawn;
        int told;
    };

    void judge(world& w) const {
        std::optional<std::size_t> given_back;
        for (const auto& step : w.value.take()) {
            ASSERT_EQ(w.told == 1 && w.value.now() == all_of::phase::held, false)
                << "something follows the grant";
            if (const auto* ask = std::get_if<all_of::ask>(&step)) {
                ASSERT_FALSE(w.requested) << "two are asked for at once";
                for (std::size_t i = 0; i != parts_; ++i)
                    ASSERT_EQ(w.holds[i], i < ask->part) << "not in order";
                w.requested = ask->part;
                w.withdrawn = false;
            } else if (const auto* draw = std::get_if<all_of::withdraw>(&step)) {
                ASSERT_EQ(w.requested, draw->part);
                w.withdrawn = true;
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
        if (w.value.now() == all_of::phase::over) {
            ASSERT_FALSE(w.requested) << "a part is still asked for";
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
        if (w.requested) {
            const auto part = *w.requested;
            branch(w, depth, [part](world& next) {
                next.requested.reset();
                next.holds[part] = true;
                next.value.on_granted(part);
            });
            for (const auto why : {refusal::own, refusal::withdrawn}) {
                if (why == refusal::withdrawn && !w.withdrawn) continue;
                branch(w, depth, [part, why](world& next) {
                    next.requested.reset();
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
    std::size_t histories_ = 0;
};

TEST(all_of, keeps_its_promises_in_every_order) {
    for (const std::size_t parts : {1U, 2U, 3U}) {
        EXPECT_GT(every_order{parts}.run(8), 10U);
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace turnstile::core
