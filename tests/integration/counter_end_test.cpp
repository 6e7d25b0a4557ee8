// SPDX-License-Identifier: Apache-2.0
// Tests failure F18: a folder's sequence counter ends at 2^31. The test makes the real server's counter start just
// below 2^31. On ZooKeeper 3.8.0 all later contenders get the same number, and 3 of 12 Curator clients held one mutex
// at once.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "support.hpp"
#include "turnstile/testing/java_program.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

class counter_end : public ::testing::Test {
protected:
    const std::string path = "/locks/orders";
    const testing::temporary_folder folder;
    std::unique_ptr<ensemble> servers;

    void SetUp() override {
        const auto data = folder.path() / "data";
        testing::java_program{"NearEndSnapshot", TURNSTILE_JAVA_CLASSES}.run(
            {data, path, "2147483643"});
        servers = std::make_unique<ensemble>(testing::ensemble_options{.data_from = data});
        servers->wait_until_serving();
    }
};

TEST_F(counter_end, F18_exclusion_is_kept_among_twelve_clients) {
    constexpr int k_clients = 12;
    constexpr int k_grants = 5;
    const std::string inside = folder.path() / "inside";
    std::atomic<int> violations{0};
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int i = 0; i != k_clients; ++i) {
        threads.emplace_back([&] {
            const auto mine = connect(servers->connect_string());
            mutex lock{*mine, path};
            for (int n = 0; n != k_grants; ++n) {
                const auto hold = lock.acquire({.timeout = limit()});
                if (!hold) {
                    ++failures;
                    return;
                }
                const int file =
                    ::open(inside.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
                if (file < 0) ++violations;
                ::close(file);
                ::unlink(inside.c_str());
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(violations, 0);
    EXPECT_EQ(failures, 0);
    const auto observer = connect(servers->connect_string());
    EXPECT_TRUE(becomes_empty(*observer, path));
}

TEST_F(counter_end, F18_order_is_kept_among_equal_numbers) {
    constexpr std::size_t k_waiters = 10;
    const auto contender = connect(servers->connect_string());
    mutex lock{*contender, path};
    std::mutex order_lock;
    std::vector<std::size_t> order;
    std::vector<fencing_token> tokens;
    testing::event done;
    auto first = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(first);
    for (std::size_t i = 0; i != k_waiters; ++i) {
        lock.async_acquire({}, [&, i](result<guard> hold) {
            {
                const std::lock_guard held{order_lock};
                order.push_back(i);
                if (hold) tokens.push_back(hold->fencing_token());
            }
            done.set();
        });
        ASSERT_TRUE(becomes_size(*contender, path, i + 2));
    }
    const auto queue = lock.queue().value();
    EXPECT_EQ(queue.at(k_waiters - 1).sequence, queue.at(k_waiters).sequence);
    first->unlock();
    ASSERT_TRUE(done.wait(k_waiters));
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    ASSERT_EQ(tokens.size(), k_waiters);
    for (std::size_t i = 1; i != tokens.size(); ++i) EXPECT_LT(tokens[i - 1], tokens[i]);
}

}  // namespace
}  // namespace turnstile::tests
