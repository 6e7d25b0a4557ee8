// SPDX-License-Identifier: Apache-2.0
// Tests a quorum_lock on three real servers, each a separate ensemble, some of which die.
#include <array>

#include "support.hpp"

namespace turnstile::tests {
namespace {

class quorum_of_servers : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        for (auto& server : servers) server = std::make_unique<ensemble>();
        for (auto& server : servers) server->wait_until_serving();
    }
    static void TearDownTestSuite() {
        for (auto& server : servers) server.reset();
    }

    struct party {
        std::vector<std::unique_ptr<client>> clients;
        std::unique_ptr<quorum_lock> lock;
    };
    static party join(const std::string& path) {
        party result;
        for (auto& server : servers) result.clients.push_back(connect(server->connect_string()));
        result.lock = std::make_unique<quorum_lock>(
            std::vector<quorum_member>{{*result.clients[0], "east"},
                                       {*result.clients[1], "north"},
                                       {*result.clients[2], "west"}},
            path, quorum_options{.attempt = 200ms, .retry_first = 10ms, .retry_longest = 200ms});
        return result;
    }
    static bool has_parts(const guard& hold, std::size_t count) {
        return eventually([&] { return hold.fencing_tokens().size() == count; });
    }

    static std::array<std::unique_ptr<ensemble>, 3> servers;
};
std::array<std::unique_ptr<ensemble>, 3> quorum_of_servers::servers;

TEST_F(quorum_of_servers, three_contenders_of_three_busy_servers_all_get_it) {
    std::vector<party> all;
    for (int i = 0; i != 3; ++i) all.push_back(join(lock_path()));
    // Each hold keeps one server's lock until all contenders have queued at every server.
    std::vector<guard> firsts;
    for (std::size_t i = 0; i != 3; ++i) {
        mutex lock{*all[i].clients[i], lock_path()};
        firsts.push_back(lock.acquire({.timeout = limit()}).value());
    }
    testing::event granted;
    std::atomic<int> inside{0};
    for (auto& contender : all) {
        contender.lock->async_acquire({}, [&](const result<guard>& hold) {
            EXPECT_TRUE(hold);
            EXPECT_EQ(++inside, 1);
            --inside;
            granted.set();
        });
    }
    for (std::size_t i = 0; i != 3; ++i)
        EXPECT_TRUE(becomes_size(*all[i].clients[i], lock_path(), 4));
    firsts.clear();
    EXPECT_TRUE(granted.wait(3));
    for (auto& client : all[0].clients) EXPECT_TRUE(becomes_empty(*client, lock_path()));
}

TEST_F(quorum_of_servers, a_server_that_dies_is_survived_while_held_and_while_acquiring) {
    auto ours = join(lock_path());
    auto theirs = join(lock_path());
    auto hold = ours.lock->acquire({.timeout = limit()}).value();
    ASSERT_TRUE(has_parts(hold, 3));
    const auto tokens = hold.fencing_tokens();

    servers[2]->server(0).kill();
    ASSERT_TRUE(has_parts(hold, 2)) << "the lease of the third has ended";
    EXPECT_TRUE(hold.valid());
    EXPECT_EQ(theirs.lock->try_acquire({.timeout = 1s}).error(), errc::busy);

    // The holder can release the lock, and another contender can take it, without the third server.
    EXPECT_TRUE(hold.release(limit()));
    auto next = theirs.lock->acquire({.timeout = limit()}).value();
    EXPECT_TRUE(next.valid());
    EXPECT_TRUE(tokens.is_behind(next.fencing_tokens()));
    EXPECT_FALSE(next.fencing_tokens().is_behind(tokens));

    // The third server is back, and the holder has that server's lock again.
    servers[2]->server(0).start();
    ASSERT_TRUE(has_parts(next, 3));
    EXPECT_GT(*next.fencing_tokens().find("west"), *tokens.find("west"));
    servers[0]->server(0).kill();
    ASSERT_TRUE(has_parts(next, 2));
    EXPECT_TRUE(next.valid()) << "what came back counts";

    // A second server dies, so the holder loses its majority and must be notified.
    testing::event told;
    next.on_lost([&](const error&) { told.set(); });
    servers[1]->server(0).kill();
    EXPECT_TRUE(told.wait());
    EXPECT_FALSE(next.valid());
    servers[0]->server(0).start();
    servers[1]->server(0).start();
}

}  // namespace
}  // namespace turnstile::tests
