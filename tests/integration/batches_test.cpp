// SPDX-License-Identifier: Apache-2.0
// Tests that many acquires and releases at once share requests. If the servers refuse one acquire, only its lock may be
// affected.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <vector>

#include "packet_counts.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

constexpr std::size_t k_locks = 64;

class batches : public ::testing::Test {
protected:
    using outcomes = std::vector<std::optional<result<guard>>>;

    ensemble servers{};
    const std::string path = lock_path();
    std::vector<std::unique_ptr<mutex>> locks;

    void SetUp() override { servers.wait_until_serving(); }

    [[nodiscard]] std::unique_ptr<client> session(
        client_options options = quick_options(10s)) const {
        auto opened = connect(servers.connect_string(), std::move(options));
        // The client puts several creates into one request only when it knows that the server is a ZooKeeper server.
        EXPECT_TRUE(eventually([&] { return opened->session(0).role != server_role::unknown; }));
        return opened;
    }
    [[nodiscard]] std::string path_of(std::size_t i) const {
        return path + "/" + std::to_string(i);
    }
    void make_locks(client& of) {
        for (std::size_t i = 0; i != k_locks; ++i)
            locks.push_back(std::make_unique<mutex>(of, path_of(i)));
    }
    outcomes acquire_all() {
        outcomes all(locks.size());
        std::atomic<std::size_t> open{locks.size()};
        testing::event done;
        for (std::size_t i = 0; i != locks.size(); ++i)
            locks[i]->async_acquire({.timeout = limit()}, [&, i](result<guard> answer) {
                all[i].emplace(std::move(answer));
                if (--open == 0) done.set();
            });
        EXPECT_TRUE(done.wait()) << open << " are open";
        return all;
    }
    void take_all() {
        auto all = acquire_all();
        for (auto& hold : all) {
            ASSERT_TRUE(hold && *hold);
            (*hold)->unlock();
        }
    }
};

TEST_F(batches, of_locks_that_are_taken_again_cost_less_than_a_request_each) {
    const auto client = session();
    make_locks(*client);
    for (int i = 0; i != 3; ++i) take_all();  // creates the folders and their watches
    constexpr int k_rounds = 4;
    const auto before = counted_packets(servers);
    for (int i = 0; i != k_rounds; ++i) take_all();
    for (auto& lock : locks) ASSERT_TRUE(lock->acquire({.timeout = limit()}).has_value());
    const auto received = counted_packets(servers).received - before.received;
    constexpr std::int64_t k_alone = 2 * k_locks;  // requests of a round without batches
    EXPECT_LT(received, k_alone + k_rounds * k_alone * 3 / 4);
}

TEST_F(batches, give_each_lock_a_token_that_grows) {
    const auto client = session();
    make_locks(*client);
    std::vector<fencing_token> latest;
    for (int round = 0; round != 4; ++round) {
        auto all = acquire_all();
        for (std::size_t i = 0; i != all.size(); ++i) {
            ASSERT_TRUE(all[i] && *all[i]) << path_of(i);
            const auto token = (*all[i])->fencing_token();
            if (latest.size() < all.size()) {
                latest.push_back(token);
            } else {
                EXPECT_LT(latest[i], token) << path_of(i);
                latest[i] = token;
            }
        }
    }
}

TEST_F(batches, refuse_one_lock_and_grant_the_others) {
    constexpr std::size_t k_refused = 40;
    auto options = quick_options(10s);
    options.credentials = "ann:secret";
    options.acl = access_policy::creator_only;
    const auto owner = session(options);
    const auto client = session();
    make_locks(*client);
    // Only the owner may write below the folder of the refused lock. Below the root folder, any user may write.
    ASSERT_TRUE(locks[0]->acquire({.timeout = limit()}).has_value());
    mutex elsewhere{*owner, path_of(k_refused)};
    auto kept = elsewhere.acquire({.timeout = limit()});
    ASSERT_TRUE(kept) << kept.error().message();
    for (std::size_t round = 0; round != 2; ++round) {
        auto all = acquire_all();
        for (std::size_t i = 0; i != all.size(); ++i) {
            ASSERT_TRUE(all[i]);
            if (i == k_refused) {
                EXPECT_EQ(all[i]->error(), errc::no_permission);
            } else {
                EXPECT_TRUE(*all[i]) << path_of(i) << ": " << all[i]->error().message();
            }
        }
    }
}

// The client creates missing folders one by one, and then the contenders' znodes.
TEST_F(batches, create_the_folders_that_are_missing) {
    const auto client = session();
    make_locks(*client);
    for (const auto& hold : acquire_all()) {
        ASSERT_TRUE(hold);
        EXPECT_TRUE(*hold) << hold->error().message();
    }
}

}  // namespace
}  // namespace turnstile::tests
