// SPDX-License-Identifier: Apache-2.0
// Tests the lock delay on a real server. The lock delay is the time after a holder's crash in which no contender gets
// the lock. The holder loses its connection, or the answers to writes of the crash mark are lost. A crash mark is a
// znode that a crashed holder leaves behind.
#include "support.hpp"

namespace turnstile::tests {
namespace {

class lock_delays : public ::testing::Test {
protected:
    const std::string path = lock_path();
    testing::event lost_one;  // before the proxy, whose thread sets it
    tcp_proxy proxy{server().connect_string(0)};
    std::unique_ptr<client> servers = connect(proxy.address());
    std::unique_ptr<client> others = connect(server().connect_string());
    mutex lock{*servers, path, {.lock_delay = 24h}};
    mutex theirs{*others, path, {.lock_delay = 24h}};

    // Loses the next multi request, or its reply. If the lock is free, this request writes the crash mark, a znode that
    // a crashed holder leaves behind.
    void lose_next_multi(direction way) {
        proxy.filter(way, [this, way](frame& frame) {
            const auto kind = way == direction::to_server ? frame_kind::request : frame_kind::reply;
            if (lost_one.is_set() || !frame.is(kind, opcode::multi)) return verdict::forward;
            lost_one.set();
            return verdict::cut_connection;
        });
    }
};

TEST_F(lock_delays, keep_the_next_one_waiting_after_a_crash) {
    const auto delay = 1s;
    mutex crashing{*servers, path, {.lock_delay = delay}};
    auto hold = crashing.acquire({.timeout = limit()}).value();
    proxy.black_hole();
    auto next = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_FALSE(hold.valid());
    // The servers kept the session at least until the lease ended, and the delay starts at the session's end.
    EXPECT_GE(boottime_clock::now(), hold.valid_until() + delay);
    EXPECT_GT(next->fencing_token(), hold.fencing_token());
    ASSERT_TRUE(next->release());
    EXPECT_TRUE(theirs.try_acquire().has_value());  // after a release there is no delay
}

TEST_F(lock_delays, a_try_finds_out_that_the_delay_is_over) {
    const auto delay = 200ms;
    mutex crashing{*servers, path, {.lock_delay = delay}};
    auto hold = crashing.acquire({.timeout = limit()}).value();
    proxy.black_hole();
    // Each try_acquire() creates a new contender. The first contender writes the current time into the crash mark (a
    // znode that the crashed holder left behind). The delay starts at that time.
    std::optional<guard> next;
    ASSERT_TRUE(eventually([&] {
        auto tried = theirs.try_acquire();
        if (tried) next = std::move(*tried);
        return next.has_value();
    }));
    EXPECT_GE(boottime_clock::now(), hold.valid_until() + delay);
}

class lost_marks : public lock_delays, public ::testing::WithParamInterface<direction> {};

TEST_P(lost_marks, are_found_out_about) {
    lose_next_multi(GetParam());
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_TRUE(lost_one.is_set());
    ASSERT_TRUE(hold->release());
    auto next = theirs.acquire({.timeout = limit()});
    EXPECT_TRUE(next) << next.error().message();
}

TEST_P(lost_marks, are_taken_away_once) {
    auto hold = lock.acquire({.timeout = limit()}).value();
    lose_next_multi(GetParam());
    ASSERT_TRUE(hold.release());
    EXPECT_TRUE(lost_one.is_set());
    auto next = theirs.acquire({.timeout = limit()});
    EXPECT_TRUE(next) << next.error().message();
}

INSTANTIATE_TEST_SUITE_P(both, lost_marks,
                         ::testing::Values(direction::to_server, direction::to_client),
                         [](const auto& parameter) {
                             return parameter.param == direction::to_server ? "to_server"
                                                                            : "to_client";
                         });

}  // namespace
}  // namespace turnstile::tests
