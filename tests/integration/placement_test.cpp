// SPDX-License-Identifier: Apache-2.0
// Tests which server a client chooses if its session timeout is too short for leases that are renewed through a
// follower. The three servers have the sample configuration (tickTime 2 s, syncLimit 5). So within 12 s (the relay
// bound) the leader learns of each message that a follower has answered.
#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "support.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;

// Three servers, each behind a proxy. After first_at(i), clients can attach only to server i, until one of them has
// attached.
class sample_ensemble {
public:
    explicit sample_ensemble(testing::ensemble_options options = sample()) : servers{options} {
        servers.wait_until_serving();
        for (std::size_t i = 0; i < servers.size(); ++i) {
            proxies_.push_back(std::make_unique<tcp_proxy>(servers.connect_string(i)));
            auto& proxy = *proxies_.back();
            proxy.filter(direction::to_server, [this, i](frame& f) {
                const bool begins = f.kind() == frame_kind::handshake;
                const auto only = first_.load();
                return begins && only != k_any && only != i ? verdict::cut_connection
                                                            : verdict::forward;
            });
            proxy.filter(direction::to_client, [this](frame& f) {
                if (f.kind() == frame_kind::handshake) first_ = k_any;
                return verdict::forward;
            });
        }
    }

    static testing::ensemble_options sample() {
        testing::ensemble_options options{.count = 3};
        options.tick_time = 2s;
        options.init_limit = 10;
        options.sync_limit = 5;
        options.config_lines = {"4lw.commands.whitelist=srvr"};  // the servers' default
        return options;
    }

    void first_at(std::size_t i) { first_ = i; }
    [[nodiscard]] tcp_proxy& proxy(std::size_t i) { return *proxies_.at(i); }
    [[nodiscard]] std::string connect_string() const {
        std::string all;
        for (const auto& proxy : proxies_) all += (all.empty() ? "" : ",") + proxy->address();
        return all;
    }

    ensemble servers;

private:
    static constexpr std::size_t k_any = 99;
    std::atomic<std::size_t> first_{k_any};
    std::vector<std::unique_ptr<tcp_proxy>> proxies_;
};

client_options short_options() {
    client_options options;
    options.session_timeout = 6s;
    options.retry_first = 10ms;
    options.retry_longest = 200ms;
    return options;
}

bool comes(boottime_clock::time_point then) {
    return eventually([&] { return boottime_clock::now() > then; });
}

// Waits for a whole session timeout. Afterwards a lease is valid only if a request has extended it meanwhile.
void be_idle_for_a_timeout(const client& idle) {
    EXPECT_TRUE(comes(boottime_clock::now() + idle.session().timeout));
}

// Waits until the time at which the last of the holds' present leases ends. Requests must extend all leases meanwhile,
// so that each hold is still valid.
void expect_kept(const std::vector<guard>& holds) {
    auto last = boottime_clock::now();
    for (const auto& hold : holds) last = std::max(last, hold.valid_until());
    EXPECT_TRUE(comes(last));
    for (const auto& hold : holds) EXPECT_TRUE(hold.valid()) << hold.path();
}

class placement : public ::testing::Test {
protected:
    static void SetUpTestSuite() { sample_ = std::make_unique<sample_ensemble>(); }
    static void TearDownTestSuite() { sample_.reset(); }
    static std::unique_ptr<sample_ensemble> sample_;
};
std::unique_ptr<sample_ensemble> placement::sample_;

TEST_F(placement, a_short_timeout_is_granted_whichever_server_comes_first) {
    std::vector<std::unique_ptr<client>> clients;
    for (std::size_t i = 0; i < 3; ++i) {
        sample_->first_at(i);
        clients.push_back(connect(sample_->connect_string(), short_options()));
    }
    be_idle_for_a_timeout(*clients.back());
    std::vector<guard> holds;
    for (std::size_t i = 0; i < 3; ++i) {
        mutex lock{*clients[i], lock_path() + std::to_string(i)};
        auto hold = lock.acquire({.timeout = limit()});
        ASSERT_TRUE(hold) << "first at " << i << ": " << hold.error().message();
        holds.push_back(std::move(*hold));
    }
    expect_kept(holds);
    for (const auto& each : clients) {
        EXPECT_EQ(each->session().role, server_role::leader);
        EXPECT_EQ(each->session().epoch, 1U) << "it is still the first session";
    }
}

TEST_F(placement, a_long_timeout_stays_where_it_is) {
    const auto follower = *sample_->servers.follower();
    sample_->first_at(follower);
    auto options = short_options();
    options.session_timeout = 30s;
    const auto me = connect(sample_->connect_string(), options);
    ASSERT_TRUE(eventually([&] { return me->session().role != server_role::unknown; }));
    mutex lock{*me, lock_path()};
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    EXPECT_EQ(me->session().role, server_role::follower);
}

TEST_F(placement, a_hold_follows_the_leader) {
    const auto old = *sample_->servers.leader();
    auto options = short_options();
    options.session_timeout = 12s;
    const auto me = connect(sample_->connect_string(), options);
    mutex lock{*me, lock_path()};
    std::vector<guard> holds;
    holds.push_back(lock.acquire({.timeout = limit()}).value());
    const auto before = me->session().server;
    sample_->servers.kill(old);
    EXPECT_TRUE(eventually([&] {
        const auto now = me->session();
        return now.role == server_role::leader && now.server != before;
    }));
    expect_kept(holds);
    EXPECT_EQ(me->session().epoch, 1U);
    sample_->servers.start(old);
    sample_->servers.wait_until_serving();
}

// The proxy makes the leader unreachable, as leaderServes=no or a firewall does.
TEST_F(placement, a_leader_that_takes_no_clients_is_named_and_nothing_queues_meanwhile) {
    auto& leader = sample_->proxy(*sample_->servers.leader());
    const auto requests = [&] {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < 3; ++i) sum += sample_->proxy(i).requests(opcode::create2);
        return sum;
    };
    leader.refuse();
    const auto me = connect(sample_->connect_string(), short_options());
    be_idle_for_a_timeout(*me);
    mutex lock{*me, lock_path()};
    const auto before = requests();
    const auto refused = lock.acquire({.timeout = limit()});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), errc::lease_too_short);
    EXPECT_THAT(refused.error().message(), HasSubstr("leaderServes=no"));
    EXPECT_EQ(requests(), before) << "no znode of it stood in others' way";
    leader.accept();
    EXPECT_TRUE(eventually([&] { return lock.acquire({.timeout = limit()}).has_value(); }));
}

TEST(placement_beside_a_leader_that_serves_no_clients, is_what_the_session_timeout_allows) {
    auto options = sample_ensemble::sample();
    options.leader_serves = false;
    const ensemble servers{options};
    const auto hasty = connect(servers.connect_string(), short_options());
    auto long_options = short_options();
    long_options.session_timeout = 30s;
    const auto patient = connect(servers.connect_string(), long_options);
    be_idle_for_a_timeout(*hasty);
    mutex lock{*hasty, lock_path()};
    const auto refused = lock.acquire({.timeout = limit()});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), errc::lease_too_short);
    EXPECT_THAT(refused.error().message(), HasSubstr("leaderServes=no"));
    mutex same{*patient, lock_path()};
    EXPECT_TRUE(same.acquire({.timeout = limit()}).has_value())
        << "no znode of the other stands in its way";
    EXPECT_EQ(patient->session().role, server_role::follower);
}

// These servers report their tick and limits, so the client knows that its session timeout is long enough for leases
// through a follower.
TEST(placement_of_quick_servers, stays_where_it_is) {
    auto options = sample_ensemble::sample();
    options.tick_time = 500ms;
    options.config_lines = {"4lw.commands.whitelist=srvr,conf"};
    sample_ensemble quick{options};
    quick.first_at(*quick.servers.follower());
    auto wanted = short_options();
    wanted.session_timeout = 8s;  // longer than a relay bound of 3 s requires
    const auto me = connect(quick.connect_string(), wanted);
    be_idle_for_a_timeout(*me);
    mutex lock{*me, lock_path()};
    std::vector<guard> holds;
    holds.push_back(lock.acquire({.timeout = limit()}).value());
    expect_kept(holds);
    EXPECT_EQ(me->session().role, server_role::follower);
    EXPECT_EQ(holds.front().evidence(), lease_evidence::relayed);
}

}  // namespace
}  // namespace turnstile::tests
