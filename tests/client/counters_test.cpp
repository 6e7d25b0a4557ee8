// SPDX-License-Identifier: Apache-2.0
// Tests the client's counters, and its log at level debug.
#include <utility>
#include <vector>

#include "log_lines.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

using namespace std::chrono_literals;

class counters_test : public shell_test {
protected:
    void TearDown() override { set_log_level(log_level::warning); }

    std::unique_ptr<client> servers = connect();
    mutex lock{*servers, "/lock"};

    [[nodiscard]] bool count(const client_counters& wanted) const {
        return eventually([&] { return servers->counters() == wanted; });
    }
    void wait_and_give_up() {
        event queued;
        std::stop_source stop;
        lock.async_acquire(
            {.stop = stop.get_token(), .on_queued = [&](std::size_t) { queued.set(); }},
            [](const result<guard>&) {});
        ASSERT_TRUE(queued.wait());
        stop.request_stop();
    }
};

TEST(guardian_counters, tell_what_a_crash_costs) {
    const guardian_settings missing{guardian_use::started, "/nonexistent/guardian"};
    EXPECT_EQ(client{"127.0.0.1:1"}.counters().guardian, guardian_state::off);
    const client without{"127.0.0.1:1", {.guardian = missing}};
    EXPECT_EQ(without.counters().guardian, guardian_state::unguarded);
    // A lock in memory ends with its process, so it counts as guarded.
    const client in_memory{"local:", {.guardian = missing}};
    EXPECT_EQ(in_memory.counters().guardian, guardian_state::guarded);
}

TEST_F(counters_test, a_hold_that_is_released) {
    EXPECT_EQ(servers->counters(), client_counters{});
    auto hold = lock.acquire().value();
    EXPECT_TRUE(count({.entered = 1, .granted = 1}));
    hold.release().value();
    EXPECT_TRUE(count({.entered = 1, .granted = 1, .gone = 1}));
}

TEST_F(counters_test, a_wait_that_ends_with_its_time_out) {
    const auto hold = lock.acquire().value();
    wait_and_give_up();
    EXPECT_TRUE(count({.entered = 2, .granted = 1, .failed = 1, .gone = 1, .waited = 1}));
}

// The waiter's position in the queue changes during its wait. The counters must still count a single wait.
TEST_F(counters_test, a_wait_behind_several_that_ends_with_a_grant) {
    auto first = lock.acquire().value();
    event places;
    event granted;
    guard second;
    lock.async_acquire({.on_queued = [&](std::size_t) { places.set(); }}, [&](result<guard> got) {
        second = std::move(got).value();
        granted.set();
    });
    ASSERT_TRUE(places.wait(1));
    event last;
    lock.async_acquire({.on_queued = [&](std::size_t) { places.set(); }},
                       [&](const result<guard>& got) {
                           EXPECT_TRUE(got);
                           last.set();
                       });
    ASSERT_TRUE(places.wait(2));
    EXPECT_EQ(servers->counters().waited, 2U);
    first.unlock();
    ASSERT_TRUE(granted.wait());
    second.unlock();
    ASSERT_TRUE(last.wait());
    EXPECT_TRUE(count({.entered = 3, .granted = 3, .gone = 3, .waited = 2}));
}

TEST_F(counters_test, a_try_is_no_wait) {
    const auto hold = lock.acquire().value();
    EXPECT_FALSE(lock.try_acquire().has_value());
    EXPECT_TRUE(count({.entered = 2, .granted = 1, .failed = 1, .gone = 1}));
}

TEST_F(counters_test, a_hold_that_is_lost) {
    const auto hold = lock.acquire().value();
    faults.expire(servers->session().id);
    ASSERT_TRUE(eventually([&] { return !hold.valid(); }));
    EXPECT_TRUE(count({.entered = 1, .granted = 1, .lost = 1, .gone = 1}));
}

TEST_F(counters_test, of_a_client_that_has_closed_stay) {
    { const auto hold = lock.acquire().value(); }
    servers->close();
    EXPECT_EQ(servers->counters().granted, 1U);
}

TEST_F(counters_test, the_log_tells_each_of_them_at_level_debug) {
    const log_lines lines;
    set_log_level(log_level::debug);
    lock.acquire().value().release().value();
    for (const auto* text : {"/lock: entered as", "/lock: granted", "/lock: gone"})
        EXPECT_TRUE(eventually([&] { return lines.with(text) == 1; })) << text;
}

TEST_F(counters_test, the_log_tells_of_a_wait_its_end_and_a_loss_at_level_debug) {
    const log_lines lines;
    set_log_level(log_level::debug);
    const auto hold = lock.acquire().value();
    wait_and_give_up();
    ASSERT_TRUE(count({.entered = 2, .granted = 1, .failed = 1, .gone = 1, .waited = 1}));
    faults.expire(servers->session().id);
    EXPECT_TRUE(
        count({.entered = 2, .granted = 1, .failed = 1, .lost = 1, .gone = 2, .waited = 1}));
    const std::vector<std::pair<const char*, std::ptrdiff_t>> expected{
        {"/lock: entered as ", 2}, {"/lock: queued, contenders ahead: 1", 1},
        {"/lock: granted ", 1},    {"/lock: failed: ", 1},
        {"/lock: lost: ", 1},      {"/lock: gone", 2}};
    for (const auto& [text, times] : expected)
        EXPECT_TRUE(eventually([&, begin = text, wanted = times] {
            return lines.with(begin) == wanted;
        })) << text;
}

TEST_F(counters_test, the_log_tells_none_of_them_at_level_info) {
    const log_lines lines;
    set_log_level(log_level::info);
    lock.acquire().value().release().value();
    const auto hold = lock.acquire().value();
    faults.expire(servers->session().id);
    ASSERT_TRUE(count({.entered = 2, .granted = 2, .lost = 1, .gone = 2}));
    ASSERT_TRUE(flush_log(limit()));
    EXPECT_EQ(lines.with("/lock: "), 0);
}

// A call that ends before its znode exists must change no counter.
TEST_F(counters_test, a_call_that_never_enters_a_queue) {
    client away{"127.0.0.1:1"};
    mutex unreachable{away, "/lock"};
    EXPECT_FALSE(unreachable.acquire({.timeout = 50ms}).has_value());
    away.close();
    EXPECT_EQ(away.counters(), client_counters{});
}

}  // namespace
}  // namespace turnstile::tests
