// SPDX-License-Identifier: Apache-2.0
// Tests `?stay_out=N`: for N seconds after a server's start, the library does not use that server. The server may have
// forgotten grants that are still valid for their holders.
#include <future>

#include "client/log_lines.hpp"
#include "redis_support.hpp"

namespace turnstile::tests {
namespace {

// The holder loses its connection with the server, and cannot reach the restarted server.
class restart_of_redis : public on_redis {
protected:
    using on_redis::on_redis;
    static constexpr auto k_timeout = 3s;

    [[nodiscard]] std::string with_option(const std::string& address) const {
        return "redis://" + address + "?stay_out=3";
    }
    void restart_while_cut_off() {
        proxy.refuse();
        server.kill();
        server.start();
    }

    tcp_proxy proxy{server.address()};
};

// The server has no data on disk and no replica. So after the restart, only the option `stay_out` keeps a second client
// from the lock.
TEST_F(restart_of_redis, no_lock_is_granted_while_a_forgotten_hold_is_certain) {
    const auto holding = connect(with_option(proxy.address()), with_timeout(k_timeout));
    const auto hold = mutex{*holding, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto other = connect(with_option(server.address()), with_timeout(k_timeout));
    restart_while_cut_off();
    const auto next = mutex{*other, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_FALSE(hold->valid());
    EXPECT_GT(next->fencing_token(), hold->fencing_token());
}

// Without the option `stay_out`, the restarted server grants the lock to a second client while the first hold is valid.
TEST_F(restart_of_redis, without_it_two_may_hold_a_lock) {
    const auto holding = connect("redis://" + proxy.address(), with_timeout(30s));
    const auto hold = mutex{*holding, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const auto other = connect(server.connect_string(), with_timeout(30s));
    restart_while_cut_off();
    const auto next = mutex{*other, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_TRUE(hold->valid()) << "best_effort is what is promised";
    EXPECT_EQ(other->promises().exclusion, exclusion_promise::best_effort);
}

TEST_F(restart_of_redis, the_log_says_what_is_waited_for) {
    const log_lines log;
    server.kill();
    server.start();
    const auto session = connect(with_option(server.address()), with_timeout(k_timeout));
    EXPECT_GE(log.with("the server may have lost data when it started, "), 1);
    EXPECT_GE(log.with("(stay_out=3)"), 1);
}

TEST_F(restart_of_redis, it_is_no_shorter_than_the_session_timeout) {
    try {
        const client refused{with_option(server.address()), with_timeout(3001ms)};
        FAIL() << "not refused";
    } catch (const std::system_error& failure) {
        EXPECT_EQ(failure.code(), make_error_code(errc::bad_connect_string));
        EXPECT_THAT(failure.what(), ::testing::HasSubstr(
                                        "stay_out is shorter than the session timeout of 3.001 s"));
    }
}

// The server has an append-only file from its start. If a server turns that file on later, its data are durable only
// when the first file is complete.
class restart_of_durable_redis : public restart_of_redis {
protected:
    restart_of_durable_redis() : restart_of_redis{k_durable} {}
};

// The server had stored its data on disk. So after the restart its sessions continue, and clients use it at once in
// spite of `stay_out`.
TEST_F(restart_of_durable_redis, is_used_at_once) {
    const auto holding =
        connect("redis://" + server.address() + "?stay_out=3600", with_timeout(30s));
    auto hold = mutex{*holding, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    server.kill();
    server.start();
    EXPECT_TRUE(hold->release(limit()));
}

}  // namespace
}  // namespace turnstile::tests
