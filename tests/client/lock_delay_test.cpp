// SPDX-License-Identifier: Apache-2.0
// lock_delay through the shell, in memory: which caller is told what, and which options are refused.
#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class client_lock_delay : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();
    std::unique_ptr<client> others = connect();
    mutex lock{*servers, "/lock"};
    mutex theirs{*others, "/lock"};

    // A hold that lasts too long.
    guard lost_hold(boottime_clock::duration delay) {
        auto hold = hold_shortly(lock, {.timeout = limit(), .max_hold = 5ms, .lock_delay = delay});
        EXPECT_TRUE(eventually([&] { return !hold.valid(); }));
        return hold;
    }
};

TEST_F(client_lock_delay, does_not_keep_anybody_waiting_after_a_release) {
    for (int i = 0; i != 3; ++i) {
        auto hold = lock.acquire({.timeout = limit(), .lock_delay = 24h}).value();
        auto released = hold.release();
        ASSERT_TRUE(released) << released.error().message();
    }
    auto hold = theirs.try_acquire({.lock_delay = 24h});
    EXPECT_TRUE(hold) << hold.error().message();
}

TEST_F(client_lock_delay, keeps_everybody_out_after_a_lost_hold) {
    const auto hold = lost_hold(24h);
    ASSERT_TRUE(eventually([&] { return theirs.queue().value().empty(); }));
    const auto refused = theirs.try_acquire({.lock_delay = 1ms});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::busy);
    EXPECT_NE(refused.error().message().find("lock delay"), std::string::npos);
    const auto late = theirs.acquire({.timeout = 50ms, .lock_delay = 1ms});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error(), errc::timeout);
    EXPECT_NE(late.error().message().find("lock delay"), std::string::npos);
    auto heedless = theirs.try_acquire();  // as the header says
    EXPECT_TRUE(heedless) << heedless.error().message();
}

TEST_F(client_lock_delay, ends) {
    const auto hold = lost_hold(100ms);
    const auto since = boottime_clock::now();
    event entered;
    auto next = theirs.acquire({.timeout = limit(),
                                .on_entered = [&](const std::string&) { entered.set(); },
                                .lock_delay = 24h});
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_GE(boottime_clock::now(), since + 100ms);
    EXPECT_TRUE(next->valid());
    EXPECT_GT(next->fencing_token(), hold.fencing_token());
    ASSERT_TRUE(next->release());
    EXPECT_TRUE(lock.try_acquire({.lock_delay = 24h}));
}

TEST_F(client_lock_delay, works_for_recursive_mutexes) {
    recursive_mutex inner{*servers, "/inner"};
    auto outer = inner.acquire({.lock_delay = 24h}).value();
    auto again = inner.acquire({.lock_delay = 24h}).value();
    EXPECT_TRUE(again.release());
    EXPECT_TRUE(outer.release());
}

TEST_F(client_lock_delay, is_refused_where_there_is_none) {
    const auto negative = lock.acquire({.lock_delay = -1ns});
    ASSERT_FALSE(negative);
    EXPECT_EQ(negative.error(), errc::bad_option);
    EXPECT_NE(negative.error().message().find("-1 ns"), std::string::npos);
    shared_mutex readers{*servers, "/readers"};
    EXPECT_EQ(readers.acquire({.lock_delay = 1s}).error(), errc::bad_option);
    EXPECT_EQ(readers.acquire_shared({.lock_delay = 1s}).error(), errc::bad_option);
    semaphore permits{*servers, "/permits", 1};
    EXPECT_EQ(permits.acquire({.lock_delay = 1s}).error(), errc::bad_option);
    mutex other{*servers, "/other"};
    multi_lock both{lock, other};
    EXPECT_EQ(both.acquire({.lock_delay = 1s}).error(), errc::bad_option);
    EXPECT_THROW(both.async_acquire({.lock_delay = 1s}, [](const result<guard>&) {}),
                 std::system_error);
    job_gate job{*servers, "/job", {.period = 1h}};
    EXPECT_EQ(job.run([](job_run&) {}, {.lock_delay = 1s}).error(), errc::bad_option);
    rate_gate rate{*servers, "/rate", {.entries = 1, .period = 1h}};
    EXPECT_EQ(rate.try_enter({.lock_delay = 1s}).error(), errc::bad_option);
    EXPECT_EQ(lock.acquire({.lock_delay = boottime_clock::duration::max()}).error(),
              errc::bad_option);
    EXPECT_EQ(lock.acquire({.max_hold = boottime_clock::duration::max()}).error(),
              errc::bad_option);
}

// ---- on_entered -----------------------------------------------------------------------------

TEST_F(client_lock_delay, and_a_place_is_told_with_its_znode) {
    std::string mine;
    auto hold = lock.acquire({.on_entered = [&](const std::string& znode) { mine = znode; }});
    ASSERT_TRUE(hold);
    EXPECT_TRUE(mine.empty() || mine == hold->znode());  // told late it is not told at all
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
