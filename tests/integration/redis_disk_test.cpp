// SPDX-License-Identifier: Apache-2.0
// Tests Redis servers whose append-only file has filled the disk.
#include <future>

#include "redis_support.hpp"
#include "small_disk.hpp"

namespace turnstile::tests {
namespace {

class full_disk_of_redis : public on_redis_servers {
protected:
    void SetUp() override {
        if (!disk.mounted()) GTEST_SKIP() << "this process may not mount";
    }
    [[nodiscard]] redis_server server_with(const std::string& config) const {
        return redis_server{{.config = config + "dir " + disk.folder().string() + '\n'}};
    }
    [[nodiscard]] bool commits(guard& hold, const std::string& name,
                               std::chrono::nanoseconds timeout) const {
        const std::string data(10'000, 'x');  // more than the free part of the file's last page
        return hold.commit(transaction{}.create(path + '.' + name, data), {.timeout = timeout})
            .has_value();
    }

    const small_disk disk{"8m"};
};

// A server that cannot persist a write exits before it answers.
TEST_F(full_disk_of_redis, a_server_that_persists_each_write_goes_on_with_all_that_it_answered) {
    auto server = server_with(k_durable);
    server.start();
    const auto holding = connect(server.connect_string(), with_timeout(30s));
    const auto waiting = connect(server.connect_string(), with_timeout(30s));
    mutex lock{*holding, path};
    mutex same{*waiting, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    auto next = std::async(std::launch::async, [&] { return same.acquire({.timeout = limit()}); });
    ASSERT_TRUE(becomes_size(*holding, path, 2));

    disk.fill();
    EXPECT_FALSE(commits(*hold, "full", 1s));
    ASSERT_TRUE(eventually([&] { return !server.running(); })) << server.log();
    disk.empty();
    server.start();

    EXPECT_TRUE(commits(*hold, "then", limit()));
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release(limit()));
    const auto granted = next.get();
    ASSERT_TRUE(granted) << granted.error().message();
    EXPECT_GT(granted->fencing_token(), hold->fencing_token());
}

// The server refuses writes until it can write its file again.
TEST_F(full_disk_of_redis, a_server_that_persists_once_a_second_is_asked_again) {
    auto server = server_with("appendonly yes\nappendfsync everysec\n");
    server.start();
    const auto servers = connect(server.connect_string(), with_timeout(30s));
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto session = servers->session().id;

    disk.fill();
    // The server may answer before it notices that the disk is full.
    static_cast<void>(commits(*hold, "last", limit()));
    ASSERT_TRUE(eventually([&] { return server.ask("SET other 1").starts_with("-MISCONF"); }));
    EXPECT_FALSE(commits(*hold, "full", 1s));
    disk.empty();

    EXPECT_TRUE(commits(*hold, "then", limit()));
    EXPECT_EQ(servers->session().id, session);
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release(limit()));
}

}  // namespace
}  // namespace turnstile::tests
