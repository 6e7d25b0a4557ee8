// SPDX-License-Identifier: Apache-2.0
// Tests the queue of threads that share one contender.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "core/composite/local_queue.hpp"

namespace turnstile::core {
namespace local_queue_tests {

using namespace std::chrono_literals;
using queue = local_queue;
using actions = std::vector<sharing::action>;

constexpr local_id a{1};
constexpr local_id b{2};
constexpr local_id c{3};

class local_queue_test : public ::testing::Test {
protected:
    queue value{{"/lock", duration{}, 0}};
    time_point now{1h};
    const time_point certain = now + 100h;
    const error refused{errc::no_permission, "not here"};

    void with(duration retain_for, std::uint32_t passes) {
        value = queue{{"/lock", retain_for, passes}};
    }
    actions arrive(local_id id, attempt mode = attempt::wait) {
        value.arrive({id, mode, std::nullopt, {}, {}}, now);
        return value.take();
    }
    actions release(local_id id) {
        value.release(id, now);
        return value.take();
    }
    actions grant(std::uint64_t contender) {
        value.on_granted(contender, certain, now);
        return value.take();
    }
    actions contend(std::uint64_t contender) {
        value.on_contended(contender);
        return value.take();
    }
    actions at(time_point when) {
        now = when;
        value.on_time(now);
        return value.take();
    }
    void hold_by(local_id id) {
        arrive(id);
        grant(1);
        ASSERT_EQ(value.holder(), id);
    }
    static sharing::tell_granted granted(local_id id, std::uint64_t contender,
                                         std::uint32_t counter) {
        return {id, contender, counter, std::nullopt};
    }
};

TEST_F(local_queue_test, asks_once_for_all_who_wait) {
    EXPECT_EQ(arrive(a), (actions{sharing::ask{1}}));
    EXPECT_EQ(arrive(b), actions{});
    EXPECT_EQ(grant(1), (actions{granted(a, 1, 0)}));
}

TEST_F(local_queue_test, hands_over_in_the_order_of_arrival_and_counts_the_grants) {
    hold_by(a);
    arrive(b);
    arrive(c);
    EXPECT_EQ(release(a), (actions{granted(b, 1, 1)}));
    EXPECT_EQ(release(b), (actions{granted(c, 1, 2)}));
    EXPECT_EQ(release(c), (actions{sharing::give_back{1}}));
    EXPECT_EQ(arrive(a), (actions{sharing::ask{2}}));
}

TEST_F(local_queue_test, a_retained_contender_serves_the_next_one_with_no_request) {
    with(10s, 0);
    hold_by(a);
    EXPECT_EQ(release(a), actions{});
    EXPECT_EQ(value.next_deadline(), now + 10s);
    EXPECT_EQ(arrive(b), (actions{granted(b, 1, 1)}));
    EXPECT_EQ(value.next_deadline(), std::nullopt);
}

TEST_F(local_queue_test, a_retained_contender_that_nobody_uses_goes_after_a_while) {
    with(10s, 0);
    hold_by(a);
    release(a);
    EXPECT_EQ(at(now + 9s), actions{});
    EXPECT_EQ(at(now + 1s), (actions{sharing::give_back{1}}));
}

TEST_F(local_queue_test, an_idle_contender_gives_way_at_once) {
    with(10s, 5);
    hold_by(a);
    release(a);
    EXPECT_EQ(contend(1), (actions{sharing::give_back{1}}));
    EXPECT_EQ(value.next_deadline(), std::nullopt);
}

TEST_F(local_queue_test, one_in_use_gives_way_when_it_is_released) {
    with(10s, 0);
    hold_by(a);
    EXPECT_EQ(contend(1), actions{});
    EXPECT_EQ(release(a), (actions{sharing::give_back{1}}));
}

TEST_F(local_queue_test, while_others_queue_it_is_passed_on_so_often_and_no_more) {
    with({}, 2);
    hold_by(a);
    for (const auto id : {b, c, a, b}) arrive(id);
    EXPECT_EQ(release(a), (actions{granted(b, 1, 1)})) << "not counted: nobody queues";
    contend(1);
    EXPECT_EQ(release(b), (actions{granted(c, 1, 2)}));
    EXPECT_EQ(release(c), (actions{granted(a, 1, 3)}));
    EXPECT_EQ(release(a), (actions{sharing::give_back{1}, sharing::ask{2}}));
    EXPECT_EQ(grant(2), (actions{granted(b, 2, 0)})) << "with a bound of its own";
}

TEST_F(local_queue_test, who_is_contended_before_the_grant_is_known_gives_way_too) {
    with(10s, 0);
    arrive(a);
    EXPECT_EQ(contend(1), actions{});
    grant(1);
    EXPECT_EQ(release(a), (actions{sharing::give_back{1}}));
}

TEST_F(local_queue_test, who_is_asked_to_release_passes_it_on_to_nobody_here) {
    with(10s, 5);
    hold_by(a);
    arrive(b);
    value.on_asked_to_release(1);
    EXPECT_EQ(value.take(), actions{}) << "whether it releases is the holder's affair";
    EXPECT_EQ(release(a), (actions{sharing::give_back{1}, sharing::ask{2}}));
}

TEST_F(local_queue_test, nothing_is_granted_here_once_the_lease_is_over) {
    with(10s, 5);
    hold_by(a);
    arrive(b);
    value.confirm(now);
    EXPECT_EQ(release(a), (actions{sharing::give_back{1}, sharing::ask{2}}));
}

TEST_F(local_queue_test, an_idle_contender_whose_lease_is_over_is_asked_for_anew) {
    with(10s, 5);
    hold_by(a);
    release(a);
    value.confirm(now);
    EXPECT_EQ(arrive(b), (actions{sharing::give_back{1}, sharing::ask{2}}));
}

TEST_F(local_queue_test, one_that_is_granted_too_late_is_asked_for_again) {
    arrive(a);
    value.on_granted(1, now, now);
    EXPECT_EQ(value.take(), (actions{sharing::give_back{1}, sharing::ask{2}}));
}

TEST_F(local_queue_test, a_loss_is_told_first_and_the_others_ask_again) {
    hold_by(a);
    arrive(b);
    value.on_lost(1, refused);
    EXPECT_EQ(value.take(), (actions{sharing::tell_lost{a, refused}, sharing::ask{2}}));
    EXPECT_EQ(release(a), actions{}) << "it had lost, and releases nobody's hold";
    EXPECT_EQ(grant(2), (actions{granted(b, 2, 0)}));
}

TEST_F(local_queue_test, the_loss_of_an_idle_contender_is_nobody_s) {
    with(10s, 0);
    hold_by(a);
    release(a);
    value.on_lost(1, refused);
    EXPECT_EQ(value.take(), actions{});
    EXPECT_EQ(value.next_deadline(), std::nullopt);
}

TEST_F(local_queue_test, a_refusal_is_told_to_all_who_wait) {
    arrive(a);
    arrive(b);
    value.on_refused(1, refused);
    EXPECT_EQ(value.take(),
              (actions{sharing::tell_refused{a, refused}, sharing::tell_refused{b, refused}}));
}

TEST_F(local_queue_test, what_one_who_only_tries_is_told_is_no_answer_to_the_others) {
    EXPECT_EQ(arrive(a, attempt::once), (actions{sharing::ask{1, attempt::once}}));
    arrive(b);
    const error busy{errc::busy};
    value.on_refused(1, busy);
    EXPECT_EQ(value.take(), (actions{sharing::tell_refused{a, busy}, sharing::ask{2}}));
}

TEST_F(local_queue_test, one_who_only_tries_is_refused_while_anybody_is_ahead) {
    hold_by(a);
    const auto told = arrive(b, attempt::once);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(std::get<sharing::tell_refused>(told.front()).why, errc::busy);
    EXPECT_TRUE(value.line().empty());
}

TEST_F(local_queue_test, one_who_only_tries_is_granted_what_is_retained) {
    with(10s, 0);
    hold_by(a);
    release(a);
    EXPECT_EQ(arrive(b, attempt::once), (actions{granted(b, 1, 1)}));
}

TEST_F(local_queue_test, the_last_to_give_up_withdraws_what_was_asked_for) {
    arrive(a);
    arrive(b);
    value.give_up(a, refused);
    EXPECT_EQ(value.take(), (actions{sharing::tell_refused{a, refused}}));
    value.give_up(b, refused);
    EXPECT_EQ(value.take(), (actions{sharing::tell_refused{b, refused}, sharing::withdraw{1}}));
    EXPECT_EQ(grant(1), (actions{sharing::give_back{1}})) << "it came in vain";
}

TEST_F(local_queue_test, an_answer_to_what_was_withdrawn_is_not_taken_for_the_next_one_s) {
    arrive(a);
    value.give_up(a, refused);
    static_cast<void>(value.take());
    EXPECT_EQ(arrive(b), (actions{sharing::ask{2}}));
    EXPECT_EQ(grant(1), (actions{sharing::give_back{1}}));
    value.on_refused(1, refused);
    EXPECT_EQ(value.take(), actions{});
    EXPECT_EQ(grant(2), (actions{granted(b, 2, 0)}));
}

TEST_F(local_queue_test, a_deadline_ends_the_wait_of_its_own_caller) {
    hold_by(a);
    value.arrive({b, attempt::wait, now + 2s, {}, {}}, now);
    arrive(c);
    EXPECT_EQ(value.next_deadline(), now + 2s);
    const auto told = at(now + 2s);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(std::get<sharing::tell_refused>(told.front()).id, b);
    EXPECT_EQ(std::get<sharing::tell_refused>(told.front()).why, errc::timeout);
    EXPECT_EQ(release(a), (actions{granted(c, 1, 1)}));
}

TEST_F(local_queue_test, a_hold_that_lasts_too_long_is_lost_and_its_contender_given_back) {
    value.arrive({a, attempt::wait, std::nullopt, 5s, {}}, now);
    static_cast<void>(value.take());
    EXPECT_EQ(grant(1), (actions{sharing::tell_granted{a, 1, 0, now + 5s}}));
    arrive(b);
    EXPECT_EQ(at(now + 5s), (actions{sharing::tell_lost{a, {errc::held_too_long, "/lock"}},
                                     sharing::give_back{1}, sharing::ask{2}}));
    EXPECT_EQ(value.next_deadline(), std::nullopt) << "the limit was the other's";
}

TEST_F(local_queue_test, what_may_still_be_written_under_is_given_back_and_not_passed_on) {
    with(10s, 5);
    hold_by(a);
    arrive(b);
    value.release(a, now, queue::next::give_back);
    EXPECT_EQ(value.take(), (actions{sharing::give_back{1}, sharing::ask{2}}));
}

TEST_F(local_queue_test, a_holder_is_warned_once_for_each_time_that_the_lease_runs_low) {
    value.arrive({a, attempt::wait, std::nullopt, {}, 3s}, now);
    value.on_granted(1, now + 10s, now);
    static_cast<void>(value.take());
    EXPECT_EQ(value.next_deadline(), now + 7s);
    EXPECT_EQ(at(now + 7s), (actions{sharing::tell_expiring{a}}));
    EXPECT_EQ(at(now + 1s), actions{});
    value.confirm(now + 20s);
    EXPECT_EQ(at(now), actions{});
    EXPECT_EQ(value.next_deadline(), now + 17s);
    EXPECT_EQ(at(now + 17s), (actions{sharing::tell_expiring{a}}));
}

TEST_F(local_queue_test, one_who_only_tries_does_not_wait_after_a_grant_that_came_too_late) {
    arrive(a, attempt::once);
    value.on_granted(1, now, now);
    EXPECT_EQ(value.take(), (actions{sharing::give_back{1}, sharing::ask{2, attempt::once}}));
}

// An operator deleted the contender's znode. The lease is still valid, and the client learns of the loss later.
TEST_F(local_queue_test, nothing_is_granted_under_a_contender_that_is_lost_and_not_told_so) {
    value.arrive({a, attempt::wait, std::nullopt, {}, 3s}, now);
    grant(1);
    arrive(b);
    value.confirm(time_point::min());
    EXPECT_EQ(at(now), actions{}) << "no warning either";
    EXPECT_EQ(release(a), (actions{sharing::give_back{1}, sharing::ask{2, attempt::wait}}));
}

// No event reports that the lease was extended. So after a warning, a timer must check the lease again.
TEST_F(local_queue_test, a_holder_that_was_warned_is_looked_at_again_by_itself) {
    const auto begin = now;
    value.arrive({a, attempt::wait, std::nullopt, {}, 3s}, now);
    value.on_granted(1, begin + 10s, now);
    static_cast<void>(value.take());
    EXPECT_EQ(at(begin + 7s), (actions{sharing::tell_expiring{a}}));
    EXPECT_EQ(value.next_deadline(), begin + 10s) << "when the lease would have ended";
    value.confirm(begin + 30s);
    EXPECT_EQ(at(begin + 10s), actions{});
    EXPECT_EQ(value.next_deadline(), begin + 27s);
    EXPECT_EQ(at(begin + 27s), (actions{sharing::tell_expiring{a}}));
    value.confirm(begin + 32s);
    EXPECT_EQ(at(begin + 28s), actions{}) << "within the lease that it was warned of";
    EXPECT_EQ(at(begin + 30s), (actions{sharing::tell_expiring{a}})) << "this is the next one";
    EXPECT_EQ(at(begin + 32s), actions{});
    EXPECT_EQ(value.next_deadline(), std::nullopt) << "its loss is on its way";
}

// shared_contender remembers only the earliest deadline that the queue reported. No event of the queue may be due
// before this deadline.
TEST_F(local_queue_test, the_newest_deadlines_remembered_are_enough) {
    with(5s, 3);
    std::mt19937 random{15};
    const auto draw = [&random](unsigned below) { return random() % below; };
    auto remembered = time_point::max();
    std::uint64_t next_id = 0;
    std::uint64_t contender = 0;
    std::size_t waited = 0;
    for (int step = 0; step != 5000; ++step) {
        now += std::chrono::milliseconds{draw(400)};
        if (remembered <= now) {
            value.on_time(now);
            remembered = value.next_deadline().value_or(time_point::max());
        }
        const auto line = value.line();
        waited = std::max(waited, line.size());
        switch (draw(8)) {
            case 0:
            case 1:
            case 2: {
                const auto limit = std::chrono::seconds{1 + draw(60)};
                const auto longest = std::chrono::seconds{draw(4)};
                value.arrive({local_id{++next_id}, attempt::wait,
                              draw(2) == 0 ? std::optional{now + limit} : std::nullopt, longest,
                              longest / 2},
                             now);
                break;
            }
            case 3:
                if (!line.empty())
                    value.give_up(line[draw(static_cast<unsigned>(line.size()))], refused);
                break;
            case 4: value.on_granted(contender, now + std::chrono::seconds{draw(90)}, now); break;
            case 5: value.on_contended(contender); break;
            case 6:
                if (draw(4) == 0) value.on_lost(contender, errc::session_lost);
                break;
            default:
                if (const auto id = value.holder()) value.release(*id, now);
        }
        for (const auto& action : value.take())
            if (const auto* asked = std::get_if<sharing::ask>(&action))
                contender = asked->contender;
        remembered = std::min(remembered, value.newest_deadline().value_or(time_point::max()));
        ASSERT_LE(remembered, value.next_deadline().value_or(time_point::max())) << step;
    }
    EXPECT_GE(waited, 10U) << "else it tells little";
}

}  // namespace local_queue_tests
}  // namespace turnstile::core
