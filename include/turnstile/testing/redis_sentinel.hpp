// SPDX-License-Identifier: Apache-2.0
// redis_sentinel: a real Redis master with replicas, and the sentinels that replace it.
//
// Sentinels watch the servers, and make a replica the master when the master is gone. Use it to test a failover.
//
//     redis_sentinel servers{{.replicas = 2}};
//     servers.start();
//     turnstile::client client{servers.connect_string()};
//     const auto old = servers.master();
//     servers.server(old).kill();              // or pause, or servers.fail_over()
//     const bool replaced = servers.wait_until_replaced(old);
//
// Each program is a redis_server on a free port of 127.0.0.1. Sentinels rewrite the configuration of the servers and
// their own, so a killed server returns with the role that it has by then.
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

// The options of the group.
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

    // Starts all. Returns when the replicas have the master's data, and each sentinel knows the replicas and the other
    // sentinels. Throws std::runtime_error if that takes longer than the deadline.
    void start(test_deadline until = {});

    // Returns "redis+sentinel://127.0.0.1:20004,127.0.0.1:20005,127.0.0.1:20006/locks".
    [[nodiscard]] std::string connect_string() const;
    // Returns the same with `login` ("user:password@") before the sentinels, and with `rest` (a chroot and options)
    // after the name.
    [[nodiscard]] std::string connect_string(std::string_view login, std::string_view rest) const;

    // The servers and the sentinels, by `index` from 0. The first server is the master at the start.
    [[nodiscard]] std::size_t server_count() const noexcept { return servers_.size(); }
    [[nodiscard]] redis_server& server(std::size_t index) { return *servers_.at(index); }
    [[nodiscard]] std::size_t sentinel_count() const noexcept { return sentinels_.size(); }
    [[nodiscard]] redis_server& sentinel(std::size_t index) { return *sentinels_.at(index); }

    // Returns the server that the first running sentinel names as the master. Throws std::runtime_error if there is
    // none.
    [[nodiscard]] std::size_t master(test_deadline until = {}) const;
    // Waits until all running sentinels name another server than `old`, the present master, as the master. Returns
    // false if the deadline came first.
    [[nodiscard]] bool wait_until_replaced(std::size_t old, test_deadline until = {}) const;
    // Fails over, as an operator does: a replica becomes the master, and seconds later the old master becomes its
    // replica. Returns the new master. First waits until an earlier failover is complete. Throws std::runtime_error if
    // it takes longer than the deadline.
    std::size_t fail_over(test_deadline until = {});

private:
    [[nodiscard]] bool is_formed(const redis_server& sentinel, test_deadline until) const;
    [[nodiscard]] static bool sees_replicas(const redis_server& sentinel, test_deadline until);
    [[nodiscard]] std::size_t named_by(const redis_server& sentinel, test_deadline until) const;

    std::vector<std::unique_ptr<redis_server>> servers_;
    std::vector<std::unique_ptr<redis_server>> sentinels_;
};

}  // namespace turnstile::testing
