// SPDX-License-Identifier: Apache-2.0
// Tests lock_delay through the public interface, in memory: each caller's result, and refused options.
#include <gmock/gmock.h>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class client_lock_delay : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();
    std::unique_ptr<client> others = connect();
    mutex lock{*servers, "/lock", {.lock_delay = 24h}};
    mutex theirs{*others, "/lock", {.lock_delay = 1ms}};

    // Acquires the lock, which an operator then takes away. The test does not use a short max_hold to end the hold:
    // such a hold might end before acquire() returns, and then no delay would follow.
    guard lost_hold(mutex& of) {
        auto hold = of.acquire({.timeout = limit()}).value();
        revocation{*others, "/lock"}.take_now(theirs.holder().value().value(), {}).value();
        EXPECT_TRUE(eventually([&] { return !hold.valid(); }));
        return hold;
    }
};

TEST_F(client_lock_delay, does_not_keep_anybody_waiting_after_a_release) {
    for (int i = 0; i != 3; ++i) {
        auto hold = lock.acquire({.timeout = limit()}).value();
        auto released = hold.release();
        ASSERT_TRUE(released) << released.error().message();
    }
    auto hold = theirs.try_acquire();
    EXPECT_TRUE(hold) << hold.error().message();
}

TEST_F(client_lock_delay, keeps_everybody_out_after_a_lost_hold) {
    const auto hold = lost_hold(lock);
    ASSERT_TRUE(eventually([&] { return theirs.queue().value().empty(); }));
    const auto refused = theirs.try_acquire();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::busy);
    EXPECT_NE(refused.error().message().find("lock delay"), std::string::npos);
    std::string late;
    for (auto timeout = 50ms; late.find("lock delay") == std::string::npos; timeout *= 2) {
        const auto waited = theirs.acquire({.timeout = timeout});
        ASSERT_FALSE(waited);
        EXPECT_EQ(waited.error(), errc::timeout);
        late = waited.error().message();
        ASSERT_LT(timeout, limit()) << late;
    }
    mutex plain{*others, "/lock"};
    // This object of the same lock has no delay, so its call succeeds.
    auto heedless = plain.try_acquire();
    EXPECT_TRUE(heedless) << heedless.error().message();
}

TEST_F(client_lock_delay, ends) {
    mutex shortly{*servers, "/lock", {.lock_delay = 100ms}};
    const auto hold = lost_hold(shortly);
    const auto since = boottime_clock::now();
    event entered;
    auto next = theirs.acquire(
        {.timeout = limit(), .on_entered = [&](const std::string&) { entered.set(); }});
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_GE(boottime_clock::now(), since + 100ms);
    EXPECT_TRUE(next->valid());
    EXPECT_GT(next->fencing_token(), hold.fencing_token());
    ASSERT_TRUE(next->release());
    EXPECT_TRUE(lock.try_acquire().has_value());
}

TEST_F(client_lock_delay, is_kept_by_the_standard_forms) {
    {
        const std::unique_lock held{lock};
        ASSERT_TRUE(eventually([&] { return theirs.is_locked().value(); }));
        revocation{*others, "/lock"}.take_now(theirs.holder().value().value(), {}).value();
        ASSERT_TRUE(eventually([&] { return !lock.current()->valid(); }));
    }
    EXPECT_EQ(theirs.try_acquire().error(), errc::busy);
    EXPECT_FALSE((std::unique_lock{theirs, std::try_to_lock}.owns_lock()));
}

TEST_F(client_lock_delay, of_a_part_is_kept_in_a_multi_lock) {
    mutex other{*servers, "/other", {.lock_delay = 24h}};
    multi_lock both{lock, other};
    auto hold = both.acquire({.timeout = limit()}).value();
    revocation{*others, "/lock"}.take_now(theirs.holder().value().value(), {}).value();
    ASSERT_TRUE(eventually([&] { return !hold.valid(); }));
    ASSERT_TRUE(eventually([&] { return !other.is_locked().value(); }));
    EXPECT_EQ(theirs.try_acquire().error(), errc::busy);  // this lock's hold was lost
    EXPECT_TRUE(other.try_acquire().has_value());         // this lock's hold was released
}

TEST_F(client_lock_delay, works_for_recursive_mutexes) {
    recursive_mutex inner{*servers, "/inner", {.lock_delay = 24h}};
    auto outer = inner.acquire().value();
    auto again = inner.acquire().value();
    EXPECT_TRUE(again.release());
    EXPECT_TRUE(outer.release());
}

TEST_F(client_lock_delay, is_refused_with_the_value_and_the_rule) {
    const auto message = [&](const lock_options& options) -> std::string {
        try {
            mutex refused{*servers, "/lock", options};
        } catch (const std::system_error& failure) {
            EXPECT_EQ(failure.code(), make_error_code(errc::bad_option));
            return failure.what();
        }
        return "not refused";
    };
    EXPECT_THAT(message({.lock_delay = -1ns}), ::testing::HasSubstr("lock_delay -1 ns"));
    EXPECT_THAT(message({.cohort = 3, .lock_delay = 1ns}), ::testing::HasSubstr("lock_delay 1 ns"));
    EXPECT_THAT(message({.retain_for = 1s, .lock_delay = 1ns}),
                ::testing::HasSubstr("must be zero for a lock with retain_for or cohort"));
}

// ---- on_entered -----------------------------------------------------------------------------

TEST_F(client_lock_delay, and_a_place_is_told_with_its_znode) {
    std::string mine;
    auto hold = lock.acquire({.on_entered = [&](const std::string& znode) { mine = znode; }});
    ASSERT_TRUE(hold);
    // If acquire() returns before this callback runs, the library drops the callback.
    EXPECT_TRUE(mine.empty() || mine == hold->znode());
    event entered;
    std::string waiting;
    theirs.async_acquire({.on_entered =
                              [&](const std::string& znode) {
                                  waiting = znode;
                                  entered.set();
                              }},
                         [](const result<guard>&) {});
    ASSERT_TRUE(entered.wait());
    EXPECT_EQ(waiting, "/lock/" + lock.queue().value().back().name);
}

}  // namespace
}  // namespace turnstile::tests
