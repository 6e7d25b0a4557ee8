// SPDX-License-Identifier: Apache-2.0
// redis_sentinel: a real Redis master with replicas, and sentinels that watch them and make a replica the master when
// the master is gone.
//
//     redis_sentinel servers{{.replicas = 2}};
//     servers.start();
//     turnstile::client client{servers.connect_string()};
//     const auto old = servers.master();
//     servers.server(old).kill();              // or pause, or servers.fail_over()
//     const bool replaced = servers.wait_until_replaced(old);
//
// Each is a redis_server, on a free port of 127.0.0.1. Sentinels rewrite the configuration of the servers and their own:
// what was killed comes back with the role that it has by then.
//
// Thread safety: const members from any thread; the others from one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/testing/redis_server.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing {

struct redis_sentinel_options {
    std::size_t replicas = 1;
    std::size_t sentinels = 3;
    std::string config{};           // lines of redis.conf, of the master and the replicas
    std::string sentinel_config{};  // lines of sentinel.conf
    // After so long without an answer a sentinel takes the master for gone; more than half of them have to.
    std::chrono::milliseconds down_after{1'000};
};

class redis_sentinel {
public:
    // The sentinels' name for the master.
    static constexpr std::string_view k_name = "locks";

    // Writes the configurations; starts nothing. Throws std::system_error if a file cannot be written.
    explicit redis_sentinel(redis_sentinel_options options = {});

    // Returns once the replicas have the master's data and each sentinel knows the replicas and the other sentinels.
    // Throws std::runtime_error if that does not come to pass in time.
    void start(test_deadline until = {});

    // "redis+sentinel://127.0.0.1:20004,127.0.0.1:20005,127.0.0.1:20006/locks".
    [[nodiscard]] std::string connect_string() const;
    // The same with "user:password@" before the sentinels, a chroot and options behind the name.
    [[nodiscard]] std::string connect_string(std::string_view login, std::string_view rest) const;

    // The first one is the master at the start.
    [[nodiscard]] std::size_t server_count() const noexcept { return servers_.size(); }
    [[nodiscard]] redis_server& server(std::size_t index) { return *servers_.at(index); }
    [[nodiscard]] std::size_t sentinel_count() const noexcept { return sentinels_.size(); }
    [[nodiscard]] redis_server& sentinel(std::size_t index) { return *sentinels_.at(index); }

    // The server that the first sentinel that runs names as the master. Throws std::runtime_error if there is none.
    [[nodiscard]] std::size_t master(test_deadline until = {}) const;
    // Waits until all sentinels that run name another master than server `old`, which is one; false if the deadline
    // came first.
    [[nodiscard]] bool wait_until_replaced(std::size_t old, test_deadline until = {}) const;
    // An operator's failover: a replica becomes the master, and the master its replica, seconds later. Returns the new
    // one. Waits before for what an earlier failover has left to do. Throws std::runtime_error if that does not come to
    // pass in time.
    std::size_t fail_over(test_deadline until = {});

private:
    [[nodiscard]] bool is_formed(const redis_server& sentinel, test_deadline until) const;
    [[nodiscard]] static bool sees_replicas(const redis_server& sentinel, test_deadline until);
    [[nodiscard]] std::size_t named_by(const redis_server& sentinel, test_deadline until) const;

    std::vector<std::unique_ptr<redis_server>> servers_;
    std::vector<std::unique_ptr<redis_server>> sentinels_;
};

}  // namespace turnstile::testing
