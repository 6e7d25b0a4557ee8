// SPDX-License-Identifier: Apache-2.0
// Tests how long release() waits for servers that do not answer.
#include "support.hpp"

namespace turnstile::tests {
namespace {

constexpr auto k_session = 2s;
constexpr auto k_late = 1s;  // allowance for delays on a busy machine

class release_of_a_stopped_server : public ::testing::Test {
protected:
    ensemble servers{{}};
    std::unique_ptr<client> holder = connect(servers.connect_string(), quick_options(k_session));

    // Releases the hold, checks how long that took, and returns the outcome.
    result<void> release(guard& hold) {
        const auto before = boottime_clock::now();
        auto outcome = hold.release();
        EXPECT_LT(boottime_clock::now() - before, k_session + k_late);
        EXPECT_FALSE(hold);
        return outcome;
    }
};

TEST_F(release_of_a_stopped_server, takes_the_session_time_out_at_most) {
    mutex lock{*holder, "/release"};
    auto hold = lock.acquire({.timeout = limit()}).value();
    servers.pause(0);
    const auto before = boottime_clock::now();
    const auto outcome = release(hold);
    EXPECT_GE(boottime_clock::now() - before, k_session / 2) << "it waits for an answer";
    ASSERT_FALSE(outcome);
    EXPECT_TRUE(outcome.error() == errc::timeout || outcome.error() == errc::session_lost)
        << outcome.error().message();
    servers.resume(0);
    const auto other = connect(servers.connect_string());
    mutex next{*other, "/release"};
    EXPECT_TRUE(next.acquire({.timeout = limit()}).has_value())
        << "it is given up in the background";
}

// The time limit of a release must be the same for one lock and for several locks that are released at once.
TEST_F(release_of_a_stopped_server, takes_no_longer_for_several_locks) {
    const auto further = connect(servers.connect_string(), quick_options(k_session));
    mutex first{*holder, "/first"};
    mutex second{*further, "/second"};
    multi_lock both{first, second};
    auto hold = both.acquire({.timeout = limit()}).value();
    servers.pause(0);
    EXPECT_FALSE(release(hold));
    servers.resume(0);
}

// Threads that share a hold share its contender. Still, a release is a success only if the servers confirm it.
TEST_F(release_of_a_stopped_server, is_no_success_for_parts_that_threads_share) {
    mutex shared{*holder, "/shared", {.cohort = 4}};
    mutex plain{*holder, "/plain"};
    multi_lock both{shared, plain};
    auto hold = both.acquire({.timeout = limit()}).value();
    servers.pause(0);
    const auto outcome = hold.release(50ms);
    EXPECT_EQ(outcome.error(), errc::timeout) << outcome.error().message();
    EXPECT_NE(outcome.error().message().find("/shared"), std::string::npos);
    servers.resume(0);
}

TEST_F(release_of_a_stopped_server, takes_no_longer_where_a_thread_holds_twice) {
    recursive_mutex lock{*holder, "/twice"};
    auto outer = lock.acquire({.timeout = limit()}).value();
    auto inner = lock.acquire().value();
    servers.pause(0);
    inner.unlock();
    EXPECT_FALSE(release(outer));
    servers.resume(0);
}

}  // namespace
}  // namespace turnstile::tests
