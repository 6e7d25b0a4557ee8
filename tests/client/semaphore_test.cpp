// SPDX-License-Identifier: Apache-2.0
// Tests permits over `local:`: how many are in use, the order of grants, and a new limit.
#include <gmock/gmock.h>

#include <thread>
#include <vector>

#include "client/client_impl.hpp"
#include "client/internals.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class semaphore_test : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();
    std::unique_ptr<client> others = connect();
    semaphore three{*servers, "/pool/s", 3};
    semaphore theirs{*others, "/pool/s"};

    struct asker {
        std::shared_ptr<event> answered = std::make_shared<event>();
        std::shared_ptr<guard> hold = std::make_shared<guard>();
        std::shared_ptr<std::optional<error>> why = std::make_shared<std::optional<error>>();
        std::stop_source stop;

        [[nodiscard]] bool granted() const { return answered->is_set() && *hold; }
        [[nodiscard]] bool becomes_granted() const { return answered->wait() && *hold; }
    };
    // Starts a call. Returns when its contender has queued.
    asker ask(semaphore& of, std::int32_t permits = 1) {
        asker waiter;
        const auto size = queue_size() + 1;
        of.async_acquire(
            permits, {.stop = waiter.stop.get_token()},
            [hold = waiter.hold, why = waiter.why, answered = waiter.answered](result<guard> mine) {
                if (mine) {
                    *hold = std::move(*mine);
                } else {
                    *why = mine.error();
                }
                answered->set();
            });
        EXPECT_TRUE(eventually([&] { return queue_size() == size; }));
        return waiter;
    }
    [[nodiscard]] std::size_t queue_size() const { return theirs.queue().value().size(); }
    // Waits until each waiter has read the current queue.
    void settle() {
        ASSERT_TRUE(detail::internals::of(*others)->read({core::exists_op{"/"}}, {}));
        ASSERT_TRUE(detail::internals::of(*servers)->read({core::exists_op{"/"}}, {}));
    }
    void write(const std::string& data) {
        ASSERT_TRUE(
            detail::internals::of(*others)->write_repeatedly({core::set_op{"/pool/s", data}}, {}));
    }
    [[nodiscard]] std::string data() const {
        return detail::internals::of(*others)
            ->read({core::get_op{"/pool/s"}}, {})
            .value()
            .front()
            .data;
    }
    std::vector<guard> take(semaphore& of, int count) {
        std::vector<guard> holds;
        for (int i = 0; i != count; ++i) holds.push_back(of.try_acquire().value());
        return holds;
    }
};

// ---- the limit of permits -------------------------------------------------------------------

TEST_F(semaphore_test, so_many_permits_are_out_and_no_more) {
    auto holds = take(three, 2);
    holds.push_back(theirs.acquire().value());
    EXPECT_EQ(three.try_acquire().error(), errc::busy);
    EXPECT_EQ(theirs.acquire({.timeout = 1ms}).error(), errc::timeout);
    EXPECT_EQ(three.holders().value().size(), 3U);
    EXPECT_EQ(three.available().value(), 0);
    holds.front().release().value();
    EXPECT_EQ(three.available().value(), 1);
    EXPECT_TRUE(three.try_acquire().has_value());
}

TEST_F(semaphore_test, several_permits_are_one_hold) {
    auto two = three.acquire(2).value();
    EXPECT_EQ(theirs.try_acquire(2).error(), errc::busy);
    auto hold = theirs.try_acquire(1).value();
    const auto all = three.queue().value();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].kind, contender_kind::permit);
    EXPECT_EQ(all[0].permits, 2);
    EXPECT_EQ(all[1].permits, 1);
    EXPECT_EQ(three.position(hold).value(), 1U);
    EXPECT_LT(two.fencing_token(), hold.fencing_token());
}

TEST_F(semaphore_test, empty_braces_are_no_options_and_not_no_permits) {
    EXPECT_TRUE(three.acquire({}).has_value());
    EXPECT_TRUE(three.try_acquire({}).has_value());
}

TEST_F(semaphore_test, takes_a_number_of_any_integer_type) {
    EXPECT_TRUE(three.acquire(2U).has_value());
    EXPECT_TRUE(three.try_acquire(std::size_t{3}).has_value());
    EXPECT_TRUE(three.acquire(std::int64_t{1}, {.timeout = limit()}).has_value());
    static_assert(!std::is_constructible_v<permit_count, bool>);
    static_assert(!std::is_constructible_v<permit_count, double>);
}

// These numbers must not wrap to valid numbers.
TEST_F(semaphore_test, a_number_out_of_range_is_refused_by_value_and_rule) {
    const auto refused = [](const result<guard>& outcome, const std::string& number) {
        EXPECT_EQ(outcome.error(), errc::bad_option);
        EXPECT_THAT(outcome.error().message(),
                    ::testing::HasSubstr("/pool/s: " + number + " permits"));
        EXPECT_THAT(outcome.error().message(), ::testing::HasSubstr("2147483647 at most"));
    };
    refused(three.acquire(0), "0");
    refused(three.acquire(-1), "-1");
    refused(three.try_acquire(4294967297U + 0ULL), "4294967297");
    refused(three.try_acquire(std::numeric_limits<std::uint64_t>::max()), "9223372036854775807");
    EXPECT_EQ(three.set_limit(0U).error(), errc::bad_option);
    EXPECT_THROW((semaphore{*servers, "/pool/s", std::size_t{1} << 32U}), std::system_error);
}

// Permits are granted in the order of arrival, so that a large request does not wait for ever.
TEST_F(semaphore_test, a_large_request_at_the_head_lets_no_small_one_pass) {
    auto hold = three.acquire().value();
    auto large = ask(theirs, 3);
    auto small = ask(three, 1);
    auto last = ask(theirs, 1);
    settle();
    EXPECT_FALSE(large.granted() || small.granted() || last.granted());
    EXPECT_EQ(three.try_acquire().error(), errc::busy);
    EXPECT_EQ(three.available().value(), 0) << "for whoever comes now";
    large.stop.request_stop();
    EXPECT_TRUE(small.becomes_granted());
    EXPECT_TRUE(last.becomes_granted());
    EXPECT_EQ(three.available().value(), 0);
}

TEST_F(semaphore_test, holds_end_in_any_order_and_waiters_come_in_theirs) {
    auto holds = take(three, 3);
    auto first = ask(theirs);
    auto second = ask(three);
    auto third = ask(theirs);
    holds[1].release().value();
    ASSERT_TRUE(first.becomes_granted());
    settle();
    EXPECT_FALSE(second.granted());
    holds[2].release().value();
    ASSERT_TRUE(second.becomes_granted());
    first.hold->release().value();
    EXPECT_TRUE(third.becomes_granted());
    EXPECT_EQ(three.available().value(), 0);
}

TEST_F(semaphore_test, a_permit_may_be_handed_to_another_thread) {
    std::optional<semaphore> gone{std::in_place, *servers, "/pool/s", 3};
    auto permit = gone->acquire().value();
    gone.reset();
    std::thread{[permit = std::move(permit)]() mutable {
        EXPECT_TRUE(permit.valid());
        permit.release().value();
    }}.join();
    EXPECT_EQ(three.available().value(), 3);
}

// Failure F11: a failed attempt must keep no permit.
TEST_F(semaphore_test, F11_no_permit_is_leaked) {
    auto holds = take(three, 3);
    auto stopped = ask(theirs);
    stopped.stop.request_stop();
    EXPECT_TRUE(stopped.answered->wait());
    EXPECT_EQ(theirs.acquire({.timeout = 1ms}).error(), errc::timeout);
    EXPECT_EQ(theirs.try_acquire().error(), errc::busy);
    faults.set_traffic(others->session().id, local::traffic::stalls_after_server);
    event ended;
    theirs.async_acquire({.timeout = 10ms}, [&](const result<guard>& outcome) {
        EXPECT_FALSE(outcome);
        ended.set();
    });
    EXPECT_TRUE(ended.wait());
    faults.detach(others->session().id);
    faults.set_traffic(others->session().id, local::traffic::flows);
    faults.attach(others->session().id);
    holds.clear();
    EXPECT_TRUE(eventually([&] { return three.available().value() == 3; }));
    auto lost = theirs.acquire(3).value();
    faults.expire(others->session().id);
    EXPECT_TRUE(eventually([&] { return !lost.valid(); }));
    EXPECT_TRUE(three.acquire(3, {.timeout = limit()}).has_value());
}

// ---- the number of permits ------------------------------------------------------------------

TEST_F(semaphore_test, two_that_disagree_about_the_number_get_an_error_with_both) {
    take(three, 1);
    semaphore five{*others, "/pool/s", 5};
    for (const auto& outcome : {five.acquire(), five.try_acquire()}) {
        ASSERT_EQ(outcome.error(), errc::bad_option);
        EXPECT_NE(outcome.error().message().find("has 3 permits, not 5"), std::string::npos)
            << outcome.error().message();
    }
    event told;
    five.async_acquire({}, [&](const result<guard>& outcome) {
        EXPECT_EQ(outcome.error(), errc::bad_option);
        told.set();
    });
    EXPECT_TRUE(told.wait());
    EXPECT_TRUE(eventually([&] { return queue_size() == 0; }));
}

TEST_F(semaphore_test, who_has_agreed_once_is_not_disturbed_by_another_number) {
    auto permit = three.acquire().value();
    theirs.set_limit(5).value();
    EXPECT_TRUE(three.try_acquire(4).has_value());
    EXPECT_EQ(three.limit().value(), 5);
    semaphore late{*servers, "/pool/s", 3};
    EXPECT_EQ(late.acquire().error(), errc::bad_option);
    late.set_limit(3).value();
    EXPECT_TRUE(late.acquire().has_value());
}

TEST_F(semaphore_test, busy_is_agreement_too) {
    auto holds = take(three, 3);
    semaphore also{*others, "/pool/s", 3};
    EXPECT_EQ(also.try_acquire().error(), errc::busy);
    theirs.set_limit(4).value();
    EXPECT_TRUE(also.try_acquire().has_value());
}

TEST_F(semaphore_test, without_a_number_there_has_to_be_one) {
    const auto why = theirs.acquire().error();
    EXPECT_EQ(why, errc::bad_path);
    EXPECT_NE(why.message().find("/pool/s is no semaphore yet"), std::string::npos);
    EXPECT_EQ(theirs.limit().error(), errc::bad_path);
    EXPECT_EQ(theirs.available().error(), errc::bad_path);
    EXPECT_EQ(theirs.holders().error(), errc::bad_path);
    theirs.set_limit(2).value();
    EXPECT_EQ(data(), "2");
    EXPECT_EQ(theirs.available().value(), 2);
    EXPECT_TRUE(theirs.acquire(2).has_value());
}

TEST_F(semaphore_test, numbers_that_make_no_sense_are_refused) {
    EXPECT_THROW(semaphore(*servers, "/pool/s", 0), std::system_error);
    EXPECT_THROW(semaphore(*servers, "/pool/s", -1), std::system_error);
    EXPECT_THROW(semaphore(*servers, "pool", 1), std::system_error);
    EXPECT_EQ(three.acquire(0).error(), errc::bad_option);
    EXPECT_EQ(three.try_acquire(-1).error(), errc::bad_option);
    EXPECT_EQ(three.set_limit(0).error(), errc::bad_option);
    EXPECT_THROW(three.async_acquire({}, nullptr), std::system_error);
    event told;
    three.async_acquire(0, {}, [&](const result<guard>& outcome) {
        EXPECT_EQ(outcome.error(), errc::bad_option);
        told.set();
    });
    EXPECT_TRUE(told.wait());
    const auto why = three.acquire(4).error();
    EXPECT_EQ(why, errc::bad_option);
    EXPECT_NE(why.message().find("3 permits, and the call asks for 4"), std::string::npos)
        << why.message();
}

TEST_F(semaphore_test, a_folder_that_says_something_else_is_no_semaphore) {
    take(three, 1);
    write("hello");
    for (const auto& why :
         {theirs.acquire().error(), theirs.limit().error(), theirs.set_limit(2).error()}) {
        EXPECT_EQ(why, errc::bad_path);
        EXPECT_NE(why.message().find("\"hello\""), std::string::npos) << why.message();
    }
}

// ---- a new number of permits ----------------------------------------------------------------

TEST_F(semaphore_test, a_larger_number_wakes_those_that_fit) {
    auto holds = take(three, 3);
    auto first = ask(theirs);
    auto second = ask(three, 2);
    auto third = ask(theirs);
    three.set_limit(6).value();
    EXPECT_TRUE(first.becomes_granted());
    EXPECT_TRUE(second.becomes_granted());
    settle();
    EXPECT_FALSE(third.granted());
    three.set_limit(7).value();
    EXPECT_TRUE(third.becomes_granted());
}

TEST_F(semaphore_test, a_smaller_number_takes_no_permit_away) {
    auto holds = take(three, 3);
    theirs.set_limit(1).value();
    EXPECT_EQ(data(), "1 was 3 up to 2");
    EXPECT_EQ(three.limit().value(), 1);
    for (const auto& hold : holds) EXPECT_TRUE(hold.valid());
    auto waiting = ask(theirs);
    holds[0].release().value();
    holds[2].release().value();
    settle();
    EXPECT_FALSE(waiting.granted()) << "one is out, and there is one";
    holds[1].release().value();
    EXPECT_TRUE(waiting.becomes_granted());
    EXPECT_EQ(three.try_acquire().error(), errc::busy);
    theirs.set_limit(1).value();
    EXPECT_EQ(data(), "1") << "all that stand fit by now";
}

TEST_F(semaphore_test, what_there_was_is_remembered_while_it_may_be_out) {
    auto holds = take(three, 3);
    theirs.set_limit(2).value();
    theirs.set_limit(1).value();
    EXPECT_EQ(data(), "1 was 3 up to 2");
    auto waiting = ask(theirs);
    holds[0].release().value();
    holds[1].release().value();
    settle();
    EXPECT_FALSE(waiting.granted());
    holds[2].release().value();
    EXPECT_TRUE(waiting.becomes_granted()) << "it watched all three";
}

TEST_F(semaphore_test, a_smaller_number_refuses_those_that_wait_for_more) {
    auto holds = take(three, 1);
    auto large = ask(theirs, 3);
    auto small = ask(theirs, 1);
    three.set_limit(2).value();
    ASSERT_TRUE(large.answered->wait());
    EXPECT_EQ(large.why->value(), errc::bad_option) << large.why->value().message();
    EXPECT_TRUE(small.becomes_granted());
}

TEST_F(semaphore_test, numbers_set_at_once_are_one_of_them) {
    std::vector<std::jthread> threads;
    for (int n = 1; n != 7; ++n)
        threads.emplace_back([&, n] { EXPECT_TRUE(semaphore(*others, "/pool/s").set_limit(n)); });
    threads.clear();
    const auto n = three.limit().value();
    EXPECT_TRUE(n >= 1 && n <= 6) << n;
}

TEST_F(semaphore_test, a_number_whose_answer_is_lost_is_set) {
    take(three, 1);
    faults.set_traffic(others->session().id, local::traffic::stalls_after_server);
    std::jthread setting{[&] { theirs.set_limit(4, {.timeout = limit()}).value(); }};
    EXPECT_TRUE(eventually([&] {
        faults.detach(others->session().id);
        faults.set_traffic(others->session().id, local::traffic::flows);
        faults.attach(others->session().id);
        return three.limit().value() == 4;
    }));
}

TEST_F(semaphore_test, a_waiter_enters_again_after_its_session_ended) {
    auto holds = take(three, 3);
    auto waiting = ask(theirs);
    faults.expire(others->session().id);
    holds.clear();
    EXPECT_TRUE(waiting.becomes_granted());
}

// ---- members of the standard's semaphore ----------------------------------------------------

TEST_F(semaphore_test, the_standards_members_keep_the_permits) {
    counting_semaphore slots{three};
    slots.acquire();
    EXPECT_TRUE(slots.try_acquire());
    EXPECT_TRUE(slots.try_acquire_for(limit()));
    EXPECT_EQ(slots.held(), 3U);
    EXPECT_FALSE(slots.try_acquire());
    EXPECT_FALSE(slots.try_acquire_for(1ms));
    EXPECT_FALSE(slots.try_acquire_for(0s));
    EXPECT_FALSE(slots.try_acquire_until(std::chrono::steady_clock::now() + 1ms));
    EXPECT_THROW(slots.release(4), std::system_error);
    EXPECT_THROW(slots.release(-1), std::system_error);
    std::thread{[&] { slots.release(2); }}.join();
    EXPECT_EQ(slots.held(), 1U);
    EXPECT_TRUE(eventually([&] { return three.available().value() == 2; }));
    semaphore five{*servers, "/pool/s", 5};
    counting_semaphore wrong{five};
    EXPECT_THROW(wrong.acquire(), std::system_error);
    EXPECT_THROW(static_cast<void>(wrong.try_acquire()), std::system_error);
}

}  // namespace
}  // namespace turnstile::tests
