// SPDX-License-Identifier: Apache-2.0
// Tests grants to a contender that does not list the folder's children before the grant. Checks its requests on a real
// server, and exclusion while the plain C client deletes and creates the folder.
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace turnstile::tests {
namespace {

// A proxy that counts a client's requests to create a znode and to list a folder's children.
class counted_path {
public:
    explicit counted_path(const std::string& servers) : proxy_{servers} {
        proxy_.filter(direction::to_server, [this](const frame& request) {
            if (request.is(frame_kind::request, opcode::create2)) ++creates_;
            if (request.is(frame_kind::request, opcode::get_children2)) ++lists_;
            return verdict::forward;
        });
    }
    [[nodiscard]] std::string address() const { return proxy_.address(); }
    [[nodiscard]] std::int64_t creates() const { return creates_; }
    [[nodiscard]] std::int64_t lists() const { return lists_; }

private:
    std::atomic<std::int64_t> creates_{0};
    std::atomic<std::int64_t> lists_{0};
    tcp_proxy proxy_;
};

// The plain C client, which deletes and creates the folder and creates znodes in it.
class other_client {
public:
    explicit other_client(const std::string& servers)
        : handle_{zookeeper_init(servers.c_str(), nullptr, 20'000, nullptr, nullptr, 0)} {}
    ~other_client() { zookeeper_close(handle_); }
    other_client(const other_client&) = delete;
    other_client& operator=(const other_client&) = delete;

    [[nodiscard]] bool is_connected() const { return zoo_state(handle_) == ZOO_CONNECTED_STATE; }
    bool remove(const std::string& path) { return zoo_delete(handle_, path.c_str(), -1) == ZOK; }
    std::string create(const std::string& path, int flags) {
        std::array<char, 256> name{};
        const auto rc = zoo_create(handle_, path.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE, flags,
                                   name.data(), static_cast<int>(name.size()));
        return rc == ZOK ? std::string{name.data()} : std::string{};
    }

private:
    zhandle_t* handle_;
};

TEST(sole_contender, takes_a_lock_again_without_a_list) {
    const counted_path way{server().connect_string(0)};
    const auto client = connect(way.address());
    mutex lock{*client, lock_path()};
    const auto cycle = [&] {
        auto hold = lock.acquire({.timeout = limit()});
        ASSERT_TRUE(hold) << hold.error().message();
        ASSERT_TRUE(hold->release(limit()));
    };
    // Soon after it has connected, the client learns which kind of server it has. From then on it acquires the lock
    // without a request for the folder's children.
    ASSERT_TRUE(eventually([&] {
        const auto before = way.lists();
        cycle();
        return way.lists() == before;
    }));
    const auto before = way.lists();
    for (int i = 0; i != 50; ++i) cycle();
    EXPECT_LE(way.lists() - before, 5) << "a new connection lists again";
}

// The test counts the holders. Meanwhile another client deletes the folder, creates it again, and creates up to 11
// children in it. So the new folder gives sequence numbers that the deleted folder gave before.
TEST(sole_contender, excludes_while_its_folder_is_deleted_and_made_again) {
    constexpr int k_clients = 2;
    constexpr int k_cycles = 1500;
    const auto path = lock_path();
    const counted_path way{server().connect_string(0)};
    std::atomic<int> inside{0};
    std::atomic<int> running{k_clients};
    std::atomic<int> grants{0};
    const auto take = [&](unsigned seed) {
        const auto client = connect(way.address());
        mutex lock{*client, path};
        std::mt19937 chance{seed};
        const auto spin = [&chance](unsigned most) {
            for (auto left = chance() % most; left != 0; --left) std::this_thread::yield();
        };
        for (int i = 0; i != k_cycles; ++i) {
            auto hold = lock.acquire({.timeout = limit()});
            if (!hold) {
                ADD_FAILURE() << hold.error().message();
                break;
            }
            EXPECT_EQ(inside.fetch_add(1), 0) << "two clients hold the lock";
            ++grants;
            spin(50);
            --inside;
            EXPECT_TRUE(hold->release(limit()));
            if (chance() % 4 == 0) spin(3000);
        }
        --running;
    };
    std::vector<std::thread> clients;
    for (unsigned i = 0; i != k_clients; ++i) clients.emplace_back(take, i + 1);

    other_client other{server().connect_string(0)};
    EXPECT_TRUE(eventually([&] { return other.is_connected(); }));
    std::mt19937 chance{99};
    int made_again = 0;
    std::int32_t creates = 0;
    while (running != 0) {
        std::this_thread::yield();
        const auto found = other.create(path + "/by-hand-", ZOO_EPHEMERAL_SEQUENTIAL);
        if (!found.empty()) {
            creates = std::stoi(found.substr(found.rfind('-') + 1)) + 1;
            other.remove(found);
        }
        if (other.remove(path)) {
            ++made_again;
            other.create(path, 0);
            const auto wanted =
                std::min<std::int32_t>(creates, static_cast<std::int32_t>(chance() % 12));
            for (std::int32_t i = 0; i < wanted; ++i)
                other.remove(other.create(path + "/by-hand-", ZOO_EPHEMERAL_SEQUENTIAL));
        }
        for (auto left = chance() % 2'000; left != 0; --left) std::this_thread::yield();
    }
    for (auto& client : clients) client.join();
    std::cout << grants << " grants, " << way.creates() - way.lists()
              << " more creates than lists, the folder made again " << made_again << " times\n";
    EXPECT_EQ(grants, k_clients * k_cycles);
    EXPECT_GT(made_again, 0);
}

}  // namespace
}  // namespace turnstile::tests
