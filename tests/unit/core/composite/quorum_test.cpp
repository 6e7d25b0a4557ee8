// SPDX-License-Identifier: Apache-2.0
// Tests the state machine that holds a majority of independent locks, in single steps and with several contenders.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <set>

#include "core/composite/quorum.hpp"

namespace turnstile::core {
namespace quorum_tests {

using namespace std::chrono_literals;
using actions = std::vector<quorum::action>;
using next = quorum::next;
using failure = quorum::failure;

constexpr time_point at(duration since) {
    return time_point{} + 1000s + since;
}

quorum_settings three() {
    quorum_settings settings;
    settings.parts = 3;
    settings.attempt = 1s;
    settings.retry_first = 50ms;
    settings.retry_longest = 2s;
    return settings;
}

class quorum_of_three : public ::testing::Test {
protected:
    quorum_settings settings = three();
    quorum value{settings, base::random{7}};

    actions after(const std::function<void()>& event) {
        event();
        return value.take();
    }
    void make(const quorum_settings& with) {
        value = quorum{with, base::random{7}};
        value.start(at(0s));
        static_cast<void>(value.take());
    }
    void hold(std::initializer_list<std::size_t> parts, duration lease = 10s) {
        make(settings);
        for (const auto part : parts) value.on_granted(part, at(lease), at(0s));
        static_cast<void>(value.take());
    }
};

TEST_F(quorum_of_three, asks_all_at_once_and_is_granted_by_two) {
    EXPECT_EQ(after([&] { value.start(at(0s)); }),
              (actions{quorum::ask{0}, quorum::ask{1}, quorum::ask{2}}));
    EXPECT_EQ(after([&] { value.on_granted(2, at(10s), at(0s)); }), actions{});
    EXPECT_FALSE(value.certain(at(0s)));
    EXPECT_EQ(after([&] { value.on_granted(0, at(20s), at(1s)); }),
              actions{quorum::tell_granted{}});
    EXPECT_TRUE(value.certain(at(1s)));
    EXPECT_EQ(after([&] { value.on_granted(1, at(30s), at(1s)); }), actions{}) << "kept";
    EXPECT_TRUE(value.holds(1));
}

TEST_F(quorum_of_three, is_certain_until_the_second_latest_lease_ends) {
    make(settings);
    value.on_granted(0, at(10s), at(0s));
    EXPECT_EQ(value.valid_until(), time_point::min());
    value.on_granted(1, at(30s), at(0s));
    EXPECT_EQ(value.valid_until(), at(10s));
    value.on_granted(2, at(20s), at(0s));
    EXPECT_EQ(value.valid_until(), at(20s));
    value.confirm(0, at(40s));
    EXPECT_EQ(value.valid_until(), at(30s));
    EXPECT_TRUE(value.certain(at(29s)));
    EXPECT_FALSE(value.certain(at(30s)));
}

TEST_F(quorum_of_three, a_minority_is_given_back_after_an_attempt_and_asked_for_again) {
    make(settings);
    value.on_granted(1, at(60s), at(5s));
    const auto ends = value.next_deadline().value();
    EXPECT_GE(ends, at(9s));
    EXPECT_LE(ends, at(11s));
    EXPECT_EQ(after([&] { value.on_time(ends - 1ns); }), actions{});
    EXPECT_EQ(after([&] { value.on_time(ends); }), actions{quorum::give_back{1}});
    const auto again = value.next_deadline().value();
    EXPECT_GE(again, ends + 25ms);
    EXPECT_LE(again, ends + 50ms);
    EXPECT_EQ(after([&] { value.on_time(again); }), actions{quorum::ask{1}})
        << "the others are queued still";
    value.on_granted(0, at(60s), again);
    EXPECT_GE(value.next_deadline().value(), again + 16s) << "the first part is kept longer";
}

TEST_F(quorum_of_three, whoever_holds_nothing_waits_in_the_queues) {
    make(settings);
    EXPECT_EQ(value.next_deadline(), std::nullopt);
    value.on_granted(1, at(60s), at(5s));
    value.on_lost(1, next::again, at(5s));
    static_cast<void>(value.take());
    EXPECT_EQ(after([&] { value.on_time(at(100s)); }), actions{quorum::ask{1}});
    EXPECT_EQ(value.next_deadline(), std::nullopt);
}

TEST_F(quorum_of_three, goes_on_without_one_and_takes_it_back) {
    hold({0, 1, 2});
    EXPECT_EQ(after([&] { value.on_lost(1, next::again, at(1s)); }), actions{});
    EXPECT_TRUE(value.certain(at(1s)));
    const auto again = value.next_deadline().value();
    EXPECT_EQ(after([&] { value.on_time(again); }), actions{quorum::ask{1}});
    EXPECT_EQ(after([&] { value.on_granted(1, at(20s), again); }), actions{});
    EXPECT_EQ(after([&] { value.on_lost(0, next::again, again); }), actions{});
    EXPECT_TRUE(value.certain(again)) << "what was regained counts";
}

TEST_F(quorum_of_three, the_loss_of_the_majority_is_told_before_the_rest_is_given_back) {
    hold({0, 1});
    EXPECT_EQ(after([&] { value.on_lost(0, next::again, at(1s)); }),
              (actions{quorum::tell_lost{}, quorum::give_back{1}, quorum::withdraw{2}}));
    EXPECT_EQ(value.now(), quorum::phase::over);
    EXPECT_EQ(after([&] { value.on_granted(2, at(60s), at(1s)); }), actions{quorum::give_back{2}});
    EXPECT_FALSE(value.certain(at(1s)));
}

// For a second, the holder's leases cover no majority. Another client may have held a majority then, so the hold is
// lost.
TEST_F(quorum_of_three, a_gap_is_not_mended_by_a_later_grant) {
    hold({0, 1}, 10s);
    value.confirm(0, at(60s));
    EXPECT_EQ(after([&] { value.on_granted(2, at(60s), at(11s)); }),
              (actions{quorum::tell_lost{}, quorum::give_back{1}, quorum::give_back{0},
                       quorum::withdraw{2}, quorum::give_back{2}}));
}

TEST_F(quorum_of_three, a_grant_without_a_lease_does_not_count) {
    make(settings);
    value.on_granted(0, at(1s), at(0s));
    value.on_granted(1, at(60s), at(1s));
    EXPECT_EQ(value.now(), quorum::phase::acquiring);
}

TEST_F(quorum_of_three, ends_at_its_deadline) {
    settings.deadline = at(3s);
    make(settings);
    value.on_granted(0, at(60s), at(2900ms));
    EXPECT_EQ(value.next_deadline(), at(3s));
    EXPECT_EQ(after([&] { value.on_time(at(3s)); }),
              (actions{quorum::give_back{0}, quorum::withdraw{1}, quorum::withdraw{2},
                       quorum::tell_failed{failure::late}}));
    EXPECT_EQ(value.next_deadline(), std::nullopt);
}

TEST_F(quorum_of_three, ends_when_two_refuse_for_good) {
    make(settings);
    EXPECT_EQ(after([&] { value.on_refused(0, next::never, at(0s)); }), actions{});
    EXPECT_EQ(after([&] { value.on_refused(2, next::never, at(0s)); }),
              (actions{quorum::withdraw{1}, quorum::tell_failed{failure::hopeless}}));
}

// A call waits for its next attempt. Meanwhile the clients of its locks close. The call must end at once.
TEST_F(quorum_of_three, ends_when_two_that_pause_are_closed) {
    make(settings);
    for (const std::size_t part : {0U, 1U, 2U}) value.on_refused(part, next::again, at(0s));
    EXPECT_TRUE(value.pauses(0));
    EXPECT_EQ(after([&] { value.on_closed(0, at(0s)); }), actions{});
    EXPECT_FALSE(value.pauses(0));
    EXPECT_EQ(after([&] { value.on_closed(2, at(0s)); }),
              actions{quorum::tell_failed{failure::hopeless}});
    EXPECT_FALSE(value.pauses(1)) << "it is over";
}

TEST_F(quorum_of_three, what_is_asked_or_held_answers_by_itself_when_it_is_closed) {
    make(settings);
    value.on_granted(1, at(60s), at(0s));
    static_cast<void>(value.take());
    for (const std::size_t part : {0U, 1U, 2U})
        EXPECT_EQ(after([&] { value.on_closed(part, at(0s)); }), actions{});
    EXPECT_EQ(after([&] { value.on_granted(0, at(60s), at(0s)); }),
              actions{quorum::tell_granted{}});
}

TEST_F(quorum_of_three, what_refuses_now_is_asked_again_after_longer_and_longer_pauses) {
    make(settings);
    auto now = at(0s);
    duration longest{};
    for (int i = 0; i != 12; ++i) {
        value.on_refused(0, next::again, now);
        const auto due = value.next_deadline().value();
        longest = std::max(longest, due - now);
        EXPECT_LE(due - now, 2s);
        now = due;
        EXPECT_EQ(after([&] { value.on_time(now); }), actions{quorum::ask{0}});
    }
    EXPECT_GE(longest, 1s);
}

TEST_F(quorum_of_three, a_try_ends_when_two_are_busy_and_regains_what_was_busy_later) {
    settings.mode = quorum_settings::mode::once;
    make(settings);
    value.on_refused(0, next::again, at(0s));
    EXPECT_EQ(after([&] { value.on_refused(1, next::again, at(0s)); }),
              (actions{quorum::withdraw{2}, quorum::tell_failed{failure::hopeless}}));
    make(settings);
    value.on_refused(0, next::again, at(0s));
    value.on_granted(1, at(60s), at(0s));
    EXPECT_EQ(after([&] { value.on_granted(2, at(60s), at(1s)); }).front(),
              quorum::action{quorum::tell_granted{}});
    EXPECT_TRUE(after([&] { value.on_time(at(2s)); }).empty());
}

TEST_F(quorum_of_three, gives_back_all_when_the_caller_leaves) {
    hold({0, 2});
    EXPECT_EQ(after([&] { value.leave(); }),
              (actions{quorum::give_back{2}, quorum::give_back{0}, quorum::withdraw{1}}));
    make(settings);
    value.on_granted(1, at(60s), at(0s));
    EXPECT_EQ(after([&] { value.leave(); }),
              (actions{quorum::give_back{1}, quorum::withdraw{0}, quorum::withdraw{2},
                       quorum::tell_failed{failure::left}}));
}

// ---- contests of several contenders ---------------------------------------------------------

// Simulates FIFO locks and contenders that want a majority of these locks. A seed determines the order of the answers.
class contest {
public:
    contest(std::uint64_t seed, std::size_t contenders, std::size_t locks)
        : chance_{seed}, queues_(locks) {
        auto settings = three();
        settings.parts = locks;
        for (std::size_t i = 0; i != contenders; ++i)
            values_.emplace_back(settings, base::random{seed * 100 + i});
    }

    enum class entry { one_by_one, dead_heat };

    // Returns true if each contender held the majority once, and two contenders never held it at the same time.
    bool run(entry how) {
        for (std::size_t i = 0; i != values_.size(); ++i) {
            values_[i].start(now_);
            if (how == entry::one_by_one) execute(i);
        }
        if (how == entry::dead_heat) split();
        for (int step = 0; step != 10'000 && winners_.size() != values_.size(); ++step) {
            std::size_t certain_ones = 0;
            for (const auto& quorum : values_) certain_ones += quorum.certain(now_) ? 1U : 0U;
            EXPECT_LE(certain_ones, 1U);
            if (grants_.empty()) {
                if (!end_a_hold()) pass_time();
                continue;
            }
            const auto which = chance_() % grants_.size();
            const auto [contender, lock] = grants_[which];
            grants_.erase(grants_.begin() + static_cast<std::ptrdiff_t>(which));
            values_[contender].on_granted(lock, now_ + 1h, now_);
            execute(contender);
        }
        return winners_.size() == values_.size();
    }

private:
    struct place {
        std::size_t contender = 0;
        std::size_t lock = 0;
        friend bool operator==(const place&, const place&) = default;
    };

    void enter(place part) {
        auto& queue = queues_[part.lock];
        queue.push_back(part.contender);
        if (queue.size() == 1) offer(part.lock);
    }
    // Makes each contender the first in some queue, so that none has a majority.
    void split() {
        for (auto& quorum : values_) EXPECT_EQ(quorum.take().size(), queues_.size());
        for (std::size_t lock = 0; lock != queues_.size(); ++lock)
            for (std::size_t i = 0; i != values_.size(); ++i)
                enter({(lock + i) % values_.size(), lock});
    }
    void offer(std::size_t lock) {
        if (queues_[lock].empty()) return;
        grants_.push_back({queues_[lock].front(), lock});
    }
    void leave(place part) {
        auto& queue = queues_[part.lock];
        const auto found = std::find(queue.begin(), queue.end(), part.contender);
        const bool held = found == queue.begin();
        queue.erase(found);
        if (held) offer(part.lock);
    }
    void execute(std::size_t contender) {
        for (const auto& step : values_[contender].take()) {
            if (const auto* ask = std::get_if<quorum::ask>(&step)) {
                enter({contender, ask->part});
            } else if (const auto* back = std::get_if<quorum::give_back>(&step)) {
                leave({contender, back->part});
            } else if (const auto* draw = std::get_if<quorum::withdraw>(&step)) {
                withdraw({contender, draw->part});
            } else if (std::holds_alternative<quorum::tell_granted>(step)) {
                winners_.insert(contender);
                holder_ = contender;
            }
        }
    }
    // Withdraws a request, unless its grant is already on its way.
    void withdraw(place part) {
        if (std::find(grants_.begin(), grants_.end(), part) != grants_.end()) return;
        leave(part);
        values_[part.contender].on_refused(part.lock, next::again, now_);
    }
    bool end_a_hold() {
        if (!holder_) return false;
        const auto contender = *std::exchange(holder_, std::nullopt);
        values_[contender].leave();
        execute(contender);
        return true;
    }
    void pass_time() {
        std::optional<time_point> first;
        for (const auto& quorum : values_)
            if (const auto when = quorum.next_deadline())
                first = std::min(first.value_or(*when), *when);
        ASSERT_TRUE(first) << "all wait, and nothing can happen any more";
        now_ = std::max(now_, *first);
        for (std::size_t i = 0; i != values_.size(); ++i) {
            values_[i].on_time(now_);
            execute(i);
        }
    }

    base::random chance_;
    time_point now_ = at(0s);
    std::vector<quorum> values_;
    std::vector<std::deque<std::size_t>> queues_;
    std::vector<place> grants_;
    std::optional<std::size_t> holder_;
    std::set<std::size_t> winners_;
};

TEST(quorum_contest, everybody_gets_it_in_the_end_and_one_at_a_time) {
    for (std::uint64_t seed = 1; seed != 300; ++seed) {
        EXPECT_TRUE((contest{seed, 3, 3}.run(contest::entry::one_by_one))) << "seed " << seed;
        EXPECT_TRUE((contest{seed, 5, 5}.run(contest::entry::one_by_one))) << "seed " << seed;
        EXPECT_TRUE((contest{seed, 4, 4}.run(contest::entry::one_by_one))) << "seed " << seed;
        if (::testing::Test::HasFailure()) return;
    }
}

TEST(quorum_contest, F31_three_that_hold_one_each_do_not_deadlock) {
    for (std::uint64_t seed = 1; seed != 300; ++seed) {
        EXPECT_TRUE((contest{seed, 3, 3}.run(contest::entry::dead_heat))) << "seed " << seed;
        EXPECT_TRUE((contest{seed, 5, 5}.run(contest::entry::dead_heat))) << "seed " << seed;
        if (::testing::Test::HasFailure()) return;
    }
}

}  // namespace quorum_tests
}  // namespace turnstile::core
