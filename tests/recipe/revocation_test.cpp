// SPDX-License-Identifier: Apache-2.0
// Tests revocation over a tree in memory: which holders get a request, which holders lose the lock, and when the next
// contender gets it.
#include <atomic>
#include <future>
#include <thread>

#include <gmock/gmock.h>

#include "client/support.hpp"
#include "core/queue/znode_texts.hpp"
#include "turnstile/revocation.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class revocations : public shell_test {
protected:
    std::unique_ptr<client> servers = connect({.session_timeout = 1s, .close_timeout = 100ms});
    std::unique_ptr<client> operators = connect({.session_timeout = 1s});
    mutex lock{*servers, "/lock"};
    mutex seen{*operators, "/lock"};
    revocation orders{*operators, "/lock"};
    const revoke_options reason{.who = "ops on call", .why = "it is stuck, 100 %"};

    [[nodiscard]] contender holder() const { return seen.holder().value().value(); }
};

TEST(order_of_take, is_seen_in_the_data_of_a_contender) {
    using core::revocation_text;
    contender seen;
    EXPECT_FALSE(is_ordered_away(seen));
    seen.metadata.text = core::with_order(
        "host=web1", revocation_text{revocation_text::how::ask, "ops", "deployment"});
    EXPECT_FALSE(is_ordered_away(seen));
    seen.metadata.text = core::with_order(
        seen.metadata.text, revocation_text{revocation_text::how::take, "ops", "deployment"});
    EXPECT_TRUE(is_ordered_away(seen));
}

TEST_F(revocations, ask_tells_the_holder_and_leaves_it_to_it) {
    event request_seen;
    release_request request;
    auto hold = lock.acquire({.on_asked_to_release =
                                  [&](const release_request& order) {
                                      request = order;
                                      request_seen.set();
                                  }})
                    .value();
    orders.ask(holder(), reason).value();
    ASSERT_TRUE(request_seen.wait());
    EXPECT_EQ(request.who, reason.who);
    EXPECT_EQ(request.why, reason.why);
    EXPECT_TRUE(hold.valid());
    EXPECT_TRUE(lock.is_locked().value());
}

TEST_F(revocations, take_ends_a_hold_that_sees_it_and_says_who_and_why) {
    event lost;
    std::string why;
    auto hold = lock.acquire({.on_lost =
                                  [&](const error& failure) {
                                      why = failure.message();
                                      EXPECT_EQ(failure, errc::revoked);
                                      lost.set();
                                  }})
                    .value();
    EXPECT_EQ(orders.take(holder(), reason).value(), revocation_outcome::gave_way);
    ASSERT_TRUE(lost.wait());
    EXPECT_THAT(why, HasSubstr("ops on call"));
    EXPECT_THAT(why, HasSubstr("it is stuck, 100 %"));
    EXPECT_FALSE(hold.valid());
    EXPECT_EQ(hold.status().error(), errc::revoked);
    EXPECT_TRUE(lock.try_acquire().has_value());
}

// The next contender must not get the lock before the old hold has ended, so it waits for the end of the holder's
// lease.
TEST_F(revocations, take_waits_for_the_lease_of_a_holder_that_does_not_see_it) {
    auto hold = lock.acquire().value();
    const auto contender = holder();
    std::optional<boottime_clock::time_point> next_granted;
    std::thread next{[&] {
        auto mine = seen.acquire({.timeout = limit()}).value();
        next_granted = boottime_clock::now();
    }};
    ASSERT_TRUE(eventually([&] { return seen.queue().value().size() == 2; }));
    faults.detach(servers->session().id);
    const auto gone = orders.take(contender, reason);
    next.join();
    ASSERT_TRUE(gone.has_value()) << gone.error().message();
    ASSERT_TRUE(next_granted);
    EXPECT_GE(*next_granted, hold.valid_until());
    EXPECT_FALSE(hold.valid());
}

TEST_F(revocations, take_now_does_not_wait) {
    event lost;
    auto hold = lock.acquire({.on_lost =
                                  [&](const error& failure) {
                                      EXPECT_EQ(failure, errc::removed);
                                      lost.set();
                                  }})
                    .value();
    EXPECT_EQ(orders.take_now(holder(), reason).value(), revocation_outcome::deleted);
    EXPECT_TRUE(seen.try_acquire().has_value());
    EXPECT_TRUE(lost.wait());
}

TEST_F(revocations, act_only_on_the_znode_that_was_seen) {
    auto first = lock.acquire().value();
    auto stale = holder();
    first.release().value();
    EXPECT_EQ(orders.take(stale, reason).value(), revocation_outcome::gone_before);
    EXPECT_EQ(orders.take_now(stale, reason).value(), revocation_outcome::gone_before);
    EXPECT_EQ(orders.ask(stale, reason).error(), errc::removed);
    auto second = lock.acquire().value();
    auto mixed_up = holder();
    mixed_up.token = stale.token;  // has the name of one contender and the czxid of another
    EXPECT_EQ(orders.take_now(mixed_up, reason).value(), revocation_outcome::gone_before);
    EXPECT_TRUE(second.valid());
}

TEST_F(revocations, take_a_waiter_out_of_the_queue) {
    auto hold = lock.acquire().value();
    event refused;
    seen.async_acquire({}, [&](const result<guard>& answer) {
        EXPECT_EQ(answer.error(), errc::revoked);
        refused.set();
    });
    ASSERT_TRUE(eventually([&] { return lock.queue().value().size() == 2; }));
    EXPECT_EQ(orders.take(lock.queue().value()[1], reason).value(), revocation_outcome::gave_way);
    EXPECT_TRUE(refused.wait());
    EXPECT_TRUE(hold.valid());
}

// The holder cannot read its znode until the operator's request (`ask`) and order (`take`) are in it. The holder's
// lease lasts until then.
class late_reading : public revocations {
protected:
    std::atomic<bool> asked{false};
    event lost;
    std::string why;
    const std::unique_ptr<client> owner = connect({.session_timeout = 10min});
    mutex own{*owner, "/lock"};
    guard hold = own.acquire({.on_lost =
                                  [this](const error& failure) {
                                      why = failure.message();
                                      lost.set();
                                  },
                              .on_asked_to_release = [this](const auto&) { asked = true; }})
                     .value();
    const contender target = holder();

    void stand_still() { faults.detach(owner->session().id); }
    std::future<result<revocation_outcome>> take() {
        auto taken = std::async(std::launch::async, [this] {
            return orders.take(target, {.who = reason.who, .why = reason.why, .wait = limit()});
        });
        EXPECT_TRUE(eventually([this] { return data().find("revoke=take") != std::string::npos; }));
        return taken;
    }
    [[nodiscard]] std::string data() const { return holder().metadata.text; }
    // Lets the holder read again, waits for the loss, and closes the client. After that no callback runs.
    void go_on() {
        faults.attach(owner->session().id);
        EXPECT_TRUE(lost.wait());
        owner->close();
    }
};

TEST_F(late_reading, of_a_request_and_an_order_tells_the_loss_alone) {
    stand_still();
    orders.ask(target, {.who = "ann", .why = "please"}).value();
    auto taken = take();
    go_on();
    EXPECT_EQ(taken.get().value(), revocation_outcome::gave_way);
    EXPECT_FALSE(asked);
    EXPECT_THAT(why, HasSubstr("ops on call"));
}

TEST_F(late_reading, of_an_order_that_another_operator_asks_beside) {
    stand_still();
    auto taken = take();
    const auto before = data();
    orders.ask(target, {.who = "ann", .why = "please"}).value();
    EXPECT_EQ(data(), before);
    go_on();
    EXPECT_EQ(taken.get().value(), revocation_outcome::gave_way);
    EXPECT_FALSE(asked);
    EXPECT_THAT(why, HasSubstr("ops on call"));
}

// The operator withdraws the order (`take`) before the holder can read its znode.
TEST_F(late_reading, of_an_order_that_was_withdrawn_goes_on) {
    stand_still();
    const auto before = data();
    orders.ask(target, reason).value();
    std::stop_source stop;
    auto taken = std::async(std::launch::async, [&] {
        return orders.take(
            target,
            {.who = reason.who, .why = reason.why, .wait = 10min, .stop = stop.get_token()});
    });
    ASSERT_TRUE(eventually([&] { return data().find("revoke=take") != std::string::npos; }));
    stop.request_stop();
    EXPECT_EQ(taken.get().error(), errc::cancelled);
    EXPECT_EQ(data(), before);
    faults.attach(owner->session().id);
    EXPECT_TRUE(own.is_locked({.timeout = limit()}).value());
    EXPECT_TRUE(hold.valid());
    EXPECT_FALSE(asked);
    hold.release().value();
    owner->close();
}

TEST_F(late_reading, of_a_request_that_was_withdrawn_hears_nothing) {
    stand_still();
    const auto before = data();
    orders.ask(target, {.who = "ann", .why = "please"}).value();
    const auto with_anns = data();
    orders.ask(target, reason).value();
    orders.withdraw(target, reason).value();
    EXPECT_EQ(data(), with_anns) << "another operator's stays";
    orders.withdraw(target, {.who = "ann", .why = "please"}).value();
    EXPECT_EQ(data(), before);
    orders.withdraw(target, reason).value();
    EXPECT_EQ(data(), before);
    orders.take_now(target, reason).value();
    EXPECT_EQ(orders.withdraw(target, reason).error(), errc::removed);
}

// The lock's holder is a contender of another client, and its znode contains arbitrary text.
class claims : public revocations {
protected:
    contender contender_that_says(const std::string& text) {
        mutex tools{*servers, "/tools"};
        auto hold = tools.acquire().value();
        const std::string znode = "/lock/_c_11111111-1111-4222-8333-444444444444-lock-0000000000";
        hold.commit(transaction{}.create("/lock", "").create(znode, text)).value();
        return holder();
    }
    // Returns how long a `take` waits for this contender; nothing if the operator must set that time.
    std::optional<std::chrono::milliseconds> wait_for(const contender& target,
                                                      const revoke_options& how = {}) {
        const auto wait = orders.longest_wait(target, how);
        if (wait) return *wait;
        EXPECT_EQ(wait.error(), errc::bad_option);
        EXPECT_THAT(wait.error().message(), HasSubstr("set revoke_options::wait"));
        return std::nullopt;
    }
};

TEST_F(claims, of_an_impossible_timeout_are_none) {
    const auto evil = contender_that_says("host=evil pid=1 owner=11 timeout=2147483647");
    EXPECT_EQ(evil.metadata.host, "evil");
    EXPECT_FALSE(wait_for(evil));
    EXPECT_EQ(orders.take(evil, reason).error(), errc::bad_option);
    EXPECT_EQ(holder().metadata.text, evil.metadata.text) << "nothing was written";
    EXPECT_EQ(wait_for(evil, {.wait = 3ms}), 3ms);
    EXPECT_EQ(orders.take(evil, {.wait = 0ms}).value(), revocation_outcome::deleted);
}

TEST_F(claims, are_held_against_the_longest_session_that_is_known) {
    const auto odd = contender_that_says("host=odd timeout=90000");
    EXPECT_EQ(wait_for(odd), 180s);
    EXPECT_EQ(wait_for(odd, {.longest_session = 90s}), 180s);
    EXPECT_FALSE(wait_for(odd, {.longest_session = 40s}));
    EXPECT_EQ(orders.take(odd, {.longest_session = 40s}).error(), errc::bad_option);
}

TEST_F(claims, that_are_shorter_than_the_operators_own_session_count_as_that) {
    EXPECT_EQ(wait_for(contender_that_says("host=quick timeout=1")), 2s);
}

TEST_F(revocations, refuse_what_cannot_be) {
    auto hold = lock.acquire().value();
    EXPECT_EQ(orders.take({}, reason).error(), errc::bad_option);
    EXPECT_EQ(orders.take(holder(), {.who = std::string(1025, 'x')}).error(), errc::bad_option);
    EXPECT_EQ(orders.take(holder(), {.wait = -1ms}).error(), errc::bad_option);
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_EQ(orders.take(holder(), {.stop = stopped.get_token()}).error(), errc::cancelled);
    EXPECT_TRUE(hold.valid());
    EXPECT_THROW(revocation(*operators, "no path"), std::system_error);
}

}  // namespace
}  // namespace turnstile::tests
