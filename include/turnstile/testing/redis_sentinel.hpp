// SPDX-License-Identifier: Apache-2.0
// redis_sentinel: a real Redis master with replicas, and sentinels that replace the master when it fails.
//
// Sentinels watch the servers, and make a replica the new master when the master does not answer. Use this class to
// test a failover.
//
//     redis_sentinel servers{{.replicas = 2}};
//     servers.start();
//     turnstile::client client{servers.connect_string()};
//     const auto old = servers.master();
//     servers.server(old).kill();              // or pause, or servers.fail_over()
//     const bool replaced = servers.wait_until_replaced(old);
//
// Each server and each sentinel is a redis_server on a free port of 127.0.0.1. Sentinels change the configuration files
// of the servers and of themselves. So if a killed server is started again, it gets the role that the sentinels have
// given to it.
//
// Thread safety: any thread may call const members; one thread at a time calls the others.
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

// The options of the group of servers and sentinels.
struct redis_sentinel_options {
    std::size_t replicas = 1;       // number of replicas of the master
    std::size_t sentinels = 3;      // number of sentinels
    std::string config{};           // lines of redis.conf, for the master and the replicas
    std::string sentinel_config{};  // lines of sentinel.conf
    // A sentinel considers a master gone after this time without an answer. More than half of the sentinels must agree.
    std::chrono::milliseconds down_after{1'000};
};

// The servers and their sentinels.
class redis_sentinel {
public:
    // The sentinels' name for the master.
    static constexpr std::string_view k_name = "locks";

    // Writes the configurations, and starts nothing. Throws std::system_error if a file cannot be written.
    explicit redis_sentinel(redis_sentinel_options options = {});

    // Starts all servers and sentinels. Returns when the replicas have the master's data, and each sentinel knows the
    // replicas and the other sentinels. Throws std::runtime_error if that takes longer than the deadline.
    void start(test_deadline until = {});

    // Returns a text like "redis+sentinel://127.0.0.1:20004,127.0.0.1:20005,127.0.0.1:20006/locks".
    [[nodiscard]] std::string connect_string() const;
    // Returns the text of connect_string() with two additions: `login` ("user:password@") before the sentinels, and
    // `rest` (a chroot and options) after the master's name.
    [[nodiscard]] std::string connect_string(std::string_view login, std::string_view rest) const;

    // These functions return the servers and the sentinels, and how many there are. `index` counts from 0. At the start
    // the first server is the master.
    [[nodiscard]] std::size_t server_count() const noexcept { return servers_.size(); }
    [[nodiscard]] redis_server& server(std::size_t index) { return *servers_.at(index); }
    [[nodiscard]] std::size_t sentinel_count() const noexcept { return sentinels_.size(); }
    [[nodiscard]] redis_server& sentinel(std::size_t index) { return *sentinels_.at(index); }

    // Returns the index of the server that the first running sentinel names as the master. Throws std::runtime_error if
    // no sentinel runs or names a master.
    [[nodiscard]] std::size_t master(test_deadline until = {}) const;
    // Waits until all running sentinels name a server other than `old` as the master. Returns false if the deadline
    // came first.
    [[nodiscard]] bool wait_until_replaced(std::size_t old, test_deadline until = {}) const;
    // Makes the sentinels fail over, as an operator can: a replica becomes the master, and seconds later the old master
    // becomes its replica. First waits until an earlier failover is complete. Returns the index of the new master.
    // Throws std::runtime_error if the failover takes longer than the deadline.
    std::size_t fail_over(test_deadline until = {});

private:
    [[nodiscard]] bool is_formed(const redis_server& sentinel, test_deadline until) const;
    [[nodiscard]] static bool sees_replicas(const redis_server& sentinel, test_deadline until);
    [[nodiscard]] std::size_t named_by(const redis_server& sentinel, test_deadline until) const;

    std::vector<std::unique_ptr<redis_server>> servers_;
    std::vector<std::unique_ptr<redis_server>> sentinels_;
};

}  // namespace turnstile::testing
