// SPDX-License-Identifier: Apache-2.0
// Tests a quorum_lock on five independent Redis servers that do not persist data.
#include <array>
#include <atomic>
#include <future>

#include "redis_support.hpp"

namespace turnstile::tests {
namespace {

constexpr auto k_timeout = 4s;
constexpr std::array<const char*, 5> k_names{"a", "b", "c", "d", "e"};

class quorum_of_redis : public on_redis_servers {
protected:
    struct party {
        std::vector<std::unique_ptr<client>> clients;
        std::unique_ptr<quorum_lock> lock;
    };

    quorum_of_redis() {
        for (auto& server : servers) server.start();
    }
    [[nodiscard]] static std::string with_option(const std::string& address) {
        return "redis://" + address + "?stay_out=4";
    }
    // Makes a party: clients of these servers, and their lock. Does not wait for unreachable servers.
    [[nodiscard]] party join(const std::vector<std::string>& addresses) const {
        party result;
        std::vector<quorum_member> members;
        for (std::size_t i = 0; i != servers.size(); ++i) {
            result.clients.push_back(
                std::make_unique<client>(with_option(addresses[i]), with_timeout(k_timeout)));
            members.push_back({*result.clients.back(), k_names[i]});
        }
        result.lock = std::make_unique<quorum_lock>(
            members, path,
            quorum_options{.attempt = 200ms, .retry_first = 10ms, .retry_longest = 200ms});
        return result;
    }
    [[nodiscard]] party join() const {
        std::vector<std::string> addresses;
        for (const auto& server : servers) addresses.push_back(server.address());
        return join(addresses);
    }
    static bool has_parts(const guard& hold, std::size_t count) {
        return eventually([&] { return hold.fencing_tokens().size() == count; });
    }

    std::array<redis_server, 5> servers;
};

TEST_F(quorum_of_redis, contenders_exclude_each_other_and_all_get_it) {
    std::vector<party> all;
    for (int i = 0; i != 3; ++i) all.push_back(join());
    std::atomic<int> inside{0};
    std::vector<std::future<void>> ends;
    for (auto& each : all)
        ends.push_back(std::async(std::launch::async, [&] {
            for (int i = 0; i != 3; ++i) {
                const auto hold = each.lock->acquire({.timeout = limit()});
                ASSERT_TRUE(hold) << hold.error().message();
                EXPECT_EQ(++inside, 1);
                --inside;
            }
        }));
    for (auto& end : ends) end.get();
}

TEST_F(quorum_of_redis, two_servers_that_die_are_survived_and_a_third_one_ends_it) {
    auto ours = join();
    auto theirs = join();
    auto hold = ours.lock->acquire({.timeout = limit()}).value();
    ASSERT_TRUE(has_parts(hold, 5));
    const auto tokens = hold.fencing_tokens();
    servers[0].kill();
    servers[1].kill();
    ASSERT_TRUE(has_parts(hold, 3)) << "the leases of the other two have ended";
    EXPECT_TRUE(hold.valid());
    EXPECT_EQ(theirs.lock->try_acquire({.timeout = 1s}).error(), errc::busy);
    EXPECT_TRUE(hold.release(limit()));
    auto next = theirs.lock->acquire({.timeout = limit()}).value();
    EXPECT_TRUE(tokens.is_behind(next.fencing_tokens()));
    servers[2].kill();
    EXPECT_TRUE(eventually([&] { return next.lost().stop_requested(); }));
    EXPECT_FALSE(next.valid());
}

// The holder has the locks of three of the five servers. One of these servers restarts without its data, and the holder
// does not notice that. Another contender must not get that server's lock together with the two free locks.
TEST_F(quorum_of_redis, a_server_that_forgot_its_part_makes_no_second_holder) {
    tcp_proxy third{servers[2].address()};
    tcp_proxy fourth{servers[3].address()};
    tcp_proxy fifth{servers[4].address()};
    fourth.refuse();
    fifth.refuse();
    auto ours = join({servers[0].address(), servers[1].address(), third.address(), fourth.address(),
                      fifth.address()});
    auto theirs = join();
    for (const auto& each : theirs.clients) ASSERT_TRUE(each->wait_connected(limit()));
    auto hold = ours.lock->acquire({.timeout = limit()}).value();
    ASSERT_TRUE(has_parts(hold, 3));
    EXPECT_EQ(theirs.lock->try_acquire({.timeout = 1s}).error(), errc::busy);
    third.refuse();
    servers[2].kill();
    servers[2].start();
    const auto next = theirs.lock->acquire({.timeout = limit()});
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_FALSE(hold.valid());
    EXPECT_TRUE(hold.lost().stop_requested());
}

}  // namespace
}  // namespace turnstile::tests
