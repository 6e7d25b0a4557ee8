// SPDX-License-Identifier: Apache-2.0
// Tests servers' limits on connections, requests and znodes. Also tests local sessions, and folders that never had a
// contender.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "contract/probe.hpp"
#include "integration/support.hpp"
#include "zookeeper/coordinator.hpp"

namespace turnstile::tests {
namespace {

using contract::probe;
using testing::event;
using ::testing::HasSubstr;

constexpr std::size_t k_safe = 128 * 1024;
constexpr int k_fit = 4;

// Returns a path that is so long that the znodes of four contenders reach the limit of one session. The paths of a
// session's znodes may have k_safe bytes in all.
std::string wide_path(int number) {
    const auto name = std::to_string(number);
    return '/' + name + std::string(k_safe / k_fit - 60 - 1 - name.size(), 'x');
}

class crowd {
public:
    void take(const client& servers, const std::string& path) {
        ++asked_;
        mutex{servers, path}.async_acquire({}, [this](result<guard> outcome) {
            {
                const std::lock_guard hold{mutex_};
                if (outcome) {
                    holds.push_back(*std::move(outcome));
                } else {
                    refusals.push_back(outcome.error());
                }
            }
            answered_.set();
        });
    }
    [[nodiscard]] bool wait() const { return answered_.wait(asked_); }

    std::vector<guard> holds;
    std::vector<error> refusals;

private:
    std::size_t asked_ = 0;
    std::mutex mutex_;
    event answered_;
};

TEST(limits, a_client_goes_on_with_the_connections_that_the_server_allows) {
    ensemble few{{.config_lines = {"maxClientCnxns=3"}}};
    std::atomic<int> warnings{0};
    set_log_sink([&](log_level level, std::string_view line) {
        if (level >= log_level::warning && line.find("maxClientCnxns") != std::string_view::npos)
            ++warnings;
    });
    auto options = quick_options(6s);
    options.max_sessions = 6;
    options.roles = role_detection::off;  // connections that find out roles would count
    const auto servers = connect(few.connect_string(), options);
    crowd all;
    // A server counts a connection only after it has accepted the connection. So it may accept one connection too many
    // for a moment. The test therefore uses up the allowed connections first.
    for (int i = 0; i != 3 * k_fit; ++i) all.take(*servers, wide_path(i));
    ASSERT_TRUE(all.wait());
    for (int i = 3 * k_fit; i != 6 * k_fit; ++i) all.take(*servers, wide_path(i));
    ASSERT_TRUE(all.wait()) << "an acquire hangs in a session that has no connection";
    EXPECT_EQ(all.holds.size(), std::size_t{3 * k_fit});
    for (const auto& refusal : all.refusals) {
        EXPECT_EQ(refusal, errc::too_many);
        EXPECT_THAT(refusal.message(), HasSubstr("maxClientCnxns"));
    }
    EXPECT_TRUE(eventually([&] { return warnings == 1; }));
    ASSERT_TRUE(all.holds.back().release(limit()));
    EXPECT_TRUE(mutex(*servers, wide_path(100)).acquire({.timeout = limit()}).has_value());
    set_log_sink({});
}

TEST(limits, a_server_that_throws_requests_away_gets_them_again) {
    ensemble busy{{.system_properties = {{"zookeeper.request_throttle_max_requests", "1"},
                                         {"zookeeper.throttled_op_wait_time", "1"}}}};
    const auto servers = connect(busy.connect_string(), quick_options(10s));
    crowd all;
    for (int i = 0; i != 300; ++i) all.take(*servers, "/throttled/" + std::to_string(i));
    ASSERT_TRUE(all.wait());
    EXPECT_EQ(all.refusals.size(), 0U) << all.refusals.front().message();
    EXPECT_GT(busy.counters(0).at("throttled_ops"), 0) << "nothing was thrown away";
    for (auto& hold : all.holds) hold.unlock();
    const auto observer = connect(busy.connect_string());
    for (int i = 0; i != 300; i += 50)
        EXPECT_TRUE(becomes_empty(*observer, "/throttled/" + std::to_string(i)));
}

TEST(limits, a_used_up_quota_is_said) {
    ensemble strict{{.system_properties = {{"zookeeper.enforceQuota", "true"}}}};
    const auto raw = zookeeper::make_coordinator(strict.connect_string());
    probe by_hand{*raw};
    // zkCli's setquota writes these znodes.
    const std::string quota = "/zookeeper/quota/shop";
    ASSERT_EQ(by_hand.ask(core::create_op{"/shop"}).error, core::server_error::ok);
    ASSERT_EQ(by_hand.ask(core::create_op{quota}).error, core::server_error::ok);
    ASSERT_EQ(by_hand
                  .ask(core::create_op{quota + "/zookeeper_limits",
                                       "count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=3"})
                  .error,
              core::server_error::ok);
    ASSERT_EQ(by_hand.ask(core::create_op{quota + "/zookeeper_stats", "count=1,bytes=0"}).error,
              core::server_error::ok);
    const auto servers = connect(strict.connect_string());
    mutex orders{*servers, "/shop/orders"};
    auto first = orders.acquire({.timeout = limit()});  // creates the folder and the contender
    ASSERT_TRUE(first) << first.error().message();
    const auto refused = orders.acquire({.timeout = limit()});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::quota_exceeded);
    EXPECT_THAT(refused.error().message(), HasSubstr("/shop/orders"));
    const auto no_folder = mutex{*servers, "/shop/stock"}.acquire({.timeout = limit()});
    ASSERT_FALSE(no_folder);
    EXPECT_EQ(no_folder.error(), errc::quota_exceeded);
    transaction data;
    data.create("/shop/x", "");
    const auto written = first->commit(data);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error(), errc::quota_exceeded);
    EXPECT_TRUE(first->valid());
}

// docs/reference/limits.md says when a lock's folder disappears.
TEST(limits, a_folder_goes_after_it_had_a_contender_and_stays_if_it_never_had_one) {
    ensemble tidy{{.container_check_interval = 100ms}};
    const auto raw = zookeeper::make_coordinator(tidy.connect_string());
    probe by_hand{*raw};
    ASSERT_EQ(by_hand.ask(core::create_op{"/unused", {}, core::create_mode::container}).error,
              core::server_error::ok);
    const auto servers = connect(tidy.connect_string());
    mutex lock{*servers, "/used"};
    ASSERT_TRUE(lock.acquire({.timeout = limit()})->release(limit()));
    const auto there = [&](const std::string& path) {
        return by_hand.ask(core::exists_op{path}).error == core::server_error::ok;
    };
    EXPECT_TRUE(eventually([&] { return !there("/used"); }));
    EXPECT_TRUE(there("/unused"));
}

TEST(limits, local_sessions_that_are_made_global_hold_locks_and_keep_them_over_a_move) {
    ensemble three{
        {.count = 3,
         .config_lines = {"localSessionsEnabled=true", "localSessionsUpgradingEnabled=true"}}};
    const auto servers = connect(three.connect_string(), quick_options(10s));
    mutex lock{*servers, "/locks/a"};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto epoch = servers->session().epoch;
    const auto before = hold->valid_until();
    const auto at = servers->session().server;
    for (std::size_t i = 0; i != three.size(); ++i)
        if (three.connect_string(i) == at) three.stop(i);
    ASSERT_TRUE(eventually([&] {
        const auto now = servers->session();
        return now.state == session_state::connected && now.server != at &&
               hold->valid_until() > before;
    }));
    EXPECT_EQ(servers->session().epoch, epoch);
    EXPECT_TRUE(hold->valid());
    const auto others = connect(three.connect_string(), quick_options(10s));
    mutex same{*others, "/locks/a"};
    EXPECT_EQ(same.try_acquire().error(), errc::busy);
    ASSERT_TRUE(hold->release(limit()));
    EXPECT_TRUE(same.acquire({.timeout = limit()}).has_value());
}

TEST(limits, local_sessions_that_are_not_made_global_are_refused_with_what_to_set) {
    ensemble three{{.count = 3, .config_lines = {"localSessionsEnabled=true"}}};
    const auto servers = connect(three.connect_string(), quick_options(10s));
    const auto refused = mutex{*servers, "/locks/a"}.acquire({.timeout = limit()});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), errc::local_session);
    EXPECT_THAT(refused.error().message(), HasSubstr("localSessionsUpgradingEnabled=true"));
}

}  // namespace
}  // namespace turnstile::tests
