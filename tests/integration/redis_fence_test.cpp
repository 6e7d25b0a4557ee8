// SPDX-License-Identifier: Apache-2.0
// Tests redis::check: a user's script writes only while the hold exists.
#include <future>

#include "redis_cluster_node.hpp"
#include "redis_support.hpp"
#include "turnstile/redis.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class fence_on_redis : public on_redis {
protected:
    fence_on_redis() = default;
    explicit fence_on_redis(const std::string& config) : on_redis{config} {}

    // Runs the user's script on the user's connection. Returns ":1" if the script sold the item, and ":0" if the hold
    // was gone.
    [[nodiscard]] std::string sell(const redis::script_check& check,
                                   const std::string& sold = "{turnstile}:sold") const {
        return server.ask("EVAL \"" + std::string{redis::stands_function()} +
                          "if not turnstile_stands(KEYS[1], ARGV[1]) then return 0 end "
                          "redis.call('RPUSH', KEYS[2], ARGV[1]) return 1\" 2 " +
                          check.key + ' ' + sold + ' ' + check.znode);
    }
    [[nodiscard]] std::string sales() const { return server.ask("LLEN {turnstile}:sold"); }
};

TEST_F(fence_on_redis, a_script_writes_while_the_hold_stands_and_not_after_its_release) {
    const auto servers = connect(server.connect_string());
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const auto check = redis::check(*hold);
    ASSERT_TRUE(check) << check.error().message();
    EXPECT_EQ(check->znode, hold->znode());
    EXPECT_EQ(sell(*check), ":1");
    EXPECT_EQ(sell(*check), ":1") << "it is good for as long as the hold";
    ASSERT_TRUE(hold->release(limit()));
    EXPECT_EQ(sell(*check), ":0");
    EXPECT_EQ(sales(), ":2");
}

// The holder receives nothing any more. It tries to write after its session has expired.
TEST_F(fence_on_redis, a_holder_that_was_overtaken_writes_nothing) {
    tcp_proxy proxy{server.address()};
    const auto cut_off = connect("redis://" + proxy.address(), with_timeout(2s));
    const auto servers = connect(server.connect_string());
    mutex theirs{*cut_off, path};
    mutex lock{*servers, path};
    const auto hold = theirs.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const auto check = redis::check(*hold);
    ASSERT_TRUE(check);
    auto waiting =
        std::async(std::launch::async, [&] { return lock.acquire({.timeout = limit()}); });
    ASSERT_TRUE(becomes_size(*servers, path, 2));
    EXPECT_EQ(sell(*check), ":1");
    proxy.refuse();
    const auto next = waiting.get();
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_EQ(sell(*check), ":0");
    EXPECT_EQ(sell(redis::check(*next).value()), ":1");
    EXPECT_EQ(sales(), ":2");
}

TEST_F(fence_on_redis, knows_trees_and_chroots) {
    const auto outside = connect(server.connect_string() + "?tree=blue");
    ASSERT_TRUE((mutex{*outside, "/shop/first"}.acquire({.timeout = limit()}).has_value()));
    const auto servers = connect(server.connect_string() + "/shop?tree=blue");
    auto hold = mutex{*servers, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto check = redis::check(*hold);
    ASSERT_TRUE(check);
    EXPECT_THAT(check->key, StartsWith("{turnstile:blue}"));
    EXPECT_EQ(check->znode, "/shop" + hold->znode());
    EXPECT_EQ(sell(*check), ":1");
    ASSERT_TRUE(hold->release(limit()));
    EXPECT_EQ(sell(*check), ":0");
}

// A writer that becomes a reader gets another znode. So a check that was made for the writer must fail, and a check
// that is made for the reader must succeed.
TEST_F(fence_on_redis, a_hold_that_was_changed_is_asked_for_again) {
    const auto servers = connect(server.connect_string());
    shared_mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    const auto before = redis::check(*hold).value();
    ASSERT_TRUE(lock.downgrade_to_shared(*hold));
    EXPECT_EQ(sell(before), ":0");
    EXPECT_EQ(sell(redis::check(*hold).value()), ":1");
}

TEST_F(fence_on_redis, refuses_what_it_cannot_check) {
    const auto servers = connect(server.connect_string());
    EXPECT_EQ(redis::check(guard{}).error(), errc::not_held);
    mutex first{*servers, path + "/a"};
    mutex second{*servers, path + "/b"};
    multi_lock both{first, second};
    const auto several = both.acquire({.timeout = limit()});
    ASSERT_TRUE(several);
    EXPECT_EQ(redis::check(*several).error(), errc::bad_option);
    const client elsewhere{"local:fence"};
    const auto hold = mutex{elsewhere, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    EXPECT_EQ(redis::check(*hold).error(), errc::bad_option);
}

class fence_on_a_cluster : public fence_on_redis {
protected:
    fence_on_a_cluster() : fence_on_a_cluster{cluster_bus{}} {}

private:
    explicit fence_on_a_cluster(cluster_bus&& bus)
        : fence_on_redis{bus.config()}, bus_{std::move(bus)} {}
    const cluster_bus bus_;
};

// A single node with all slots refuses the same scripts as a node of a larger cluster.
TEST_F(fence_on_a_cluster, the_keys_of_a_script_have_the_locks_hash_tag) {
    assign_slots(server, 0, 16383);
    ASSERT_TRUE(
        eventually([&] { return server.ask("CLUSTER INFO").starts_with("cluster_state:ok"); }));
    const auto servers = connect(server.connect_string());
    const auto hold = mutex{*servers, path}.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto check = redis::check(*hold).value();
    EXPECT_EQ(sell(check), ":1");
    EXPECT_THAT(sell(check, "sold"), HasSubstr("CROSSSLOT"));
}

}  // namespace
}  // namespace turnstile::tests
