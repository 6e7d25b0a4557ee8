// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/redis_sentinel.hpp"

#include <algorithm>
#include <stdexcept>

namespace turnstile::testing {

namespace {

constexpr const char* k_not_formed = "the sentinels have not found each other and the replicas";

std::string words(std::string_view before, std::string_view behind = {}) {
    std::string all{before};
    all += ' ';
    all += redis_sentinel::k_name;
    if (!behind.empty()) all.append(" ").append(behind);
    return all;
}

std::string line(std::string_view before, std::string_view behind) {
    return words(before, behind) + '\n';
}

// Returns the server's answer; empty if the server was killed.
std::string answer_of(const redis_server& server, const std::string& command, test_deadline until) {
    try {
        return server.ask(command, until);
    } catch (const std::system_error&) {
        return {};
    }
}

bool is_replica_connected(const redis_server& replica, test_deadline until) {
    return answer_of(replica, "INFO replication", until).find("master_link_status:up") !=
           std::string::npos;
}

// Returns true if `is` returns true for all running sentinels.
template <class Predicate>
bool all_running(const std::vector<std::unique_ptr<redis_server>>& sentinels, Predicate&& is) {
    return std::all_of(sentinels.begin(), sentinels.end(),
                       [&](const auto& sentinel) { return !sentinel->running() || is(*sentinel); });
}

}  // namespace

redis_sentinel::redis_sentinel(redis_sentinel_options options) {
    servers_.push_back(std::make_unique<redis_server>(
        redis_server_options{.config = "repl-diskless-sync-delay 0\n" + options.config}));
    const auto port = std::to_string(servers_.front()->port());
    for (std::size_t i = 0; i != options.replicas; ++i)
        servers_.push_back(std::make_unique<redis_server>(
            redis_server_options{.config = "repl-diskless-sync-delay 0\nreplicaof 127.0.0.1 " +
                                           port + '\n' + options.config}));
    const auto quorum = std::to_string(options.sentinels / 2 + 1);
    const auto config =
        line("sentinel monitor", "127.0.0.1 " + port + ' ' + quorum) +
        line("sentinel down-after-milliseconds",
             std::to_string(scaled(options.down_after).count())) +
        line("sentinel failover-timeout", std::to_string(4 * scaled(options.down_after).count())) +
        options.sentinel_config;
    for (std::size_t i = 0; i != options.sentinels; ++i)
        sentinels_.push_back(std::make_unique<redis_server>(
            redis_server_options{.config = config, .sentinel = true}));
}

void redis_sentinel::start(test_deadline until) {
    for (const auto& server : servers_) server->start(until);
    const bool connected = eventually(
        [&] {
            return std::all_of(servers_.begin() + 1, servers_.end(), [&](const auto& replica) {
                return is_replica_connected(*replica, until);
            });
        },
        until);
    for (const auto& sentinel : sentinels_) {
        sentinel->start(until);
        // With this command (Redis 7), sentinels check and inform each other more often. The leader of a failover
        // checks the new master once a second, and informs the other sentinels within a publish period, which must be
        // at least a second. A sentinel without this information for four periods makes the new master a replica.
        (void)answer_of(*sentinel, "SENTINEL DEBUG info-period 200 publish-period 1000", until);
    }
    const bool formed = eventually(
        [&] {
            return std::all_of(sentinels_.begin(), sentinels_.end(),
                               [&](const auto& sentinel) { return is_formed(*sentinel, until); });
        },
        until);
    if (!connected || !formed)
        throw std::runtime_error{std::string{k_not_formed} + "; a sentinel's log:\n" +
                                 sentinels_.front()->log()};
}

bool redis_sentinel::is_formed(const redis_server& sentinel, test_deadline until) const {
    const auto known = answer_of(sentinel, words("SENTINEL MASTER"), until) + ' ';
    const auto knows = [&](std::string_view field, std::size_t count) {
        const auto text = std::string{field} + ' ' + std::to_string(count) + ' ';
        return known.find(text) != std::string::npos;
    };
    return knows("num-slaves", servers_.size() - 1) &&
           knows("num-other-sentinels", sentinels_.size() - 1);
}

std::string redis_sentinel::connect_string() const {
    return connect_string({}, {});
}

std::string redis_sentinel::connect_string(std::string_view login, std::string_view rest) const {
    std::string all{"redis+sentinel://"};
    all += login;
    for (const auto& sentinel : sentinels_) all += sentinel->address() + ',';
    all.back() = '/';
    return all.append(k_name).append(rest);
}

// Returns the index of the server that the sentinel names as the master, or the number of servers if it names none.
std::size_t redis_sentinel::named_by(const redis_server& sentinel, test_deadline until) const {
    const auto named = answer_of(sentinel, words("SENTINEL GET-MASTER-ADDR-BY-NAME"), until);
    const auto found = std::find_if(servers_.begin(), servers_.end(), [&](const auto& server) {
        return named == "127.0.0.1 " + std::to_string(server->port());
    });
    return static_cast<std::size_t>(found - servers_.begin());
}

std::size_t redis_sentinel::master(test_deadline until) const {
    for (const auto& sentinel : sentinels_) {
        if (!sentinel->running()) continue;
        const auto named = named_by(*sentinel, until);
        if (named != servers_.size()) return named;
    }
    throw std::runtime_error{"no sentinel names a master"};
}

bool redis_sentinel::wait_until_replaced(std::size_t old, test_deadline until) const {
    return eventually(
        [&] {
            return all_running(sentinels_, [&](const redis_server& sentinel) {
                const auto named = named_by(sentinel, until);
                return named != old && named != servers_.size();
            });
        },
        until);
}

// Returns true if this sentinel knows that each replica is a replica. The sentinel may still take a former master for a
// master. Then it makes that server a replica four publish periods after the failover, even if a second failover has
// made the server the master again.
bool redis_sentinel::sees_replicas(const redis_server& sentinel, test_deadline until) {
    const auto known = answer_of(sentinel, words("SENTINEL REPLICAS"), until);
    return known.find("role-reported slave") != std::string::npos &&
           known.find("role-reported master") == std::string::npos;
}

std::size_t redis_sentinel::fail_over(test_deadline until) {
    const bool settled = eventually(
        [&] {
            return all_running(sentinels_, [&](const redis_server& sentinel) {
                return sees_replicas(sentinel, until);
            });
        },
        until);
    if (!settled) throw std::runtime_error{"the sentinels do not see that replicas are replicas"};
    const auto old = master(until);
    const auto& first = *std::find_if(sentinels_.begin(), sentinels_.end(),
                                      [](const auto& each) { return each->running(); });
    const auto port_of_old = " port " + std::to_string(servers_[old]->port()) + ' ';
    std::string answer;
    // The sentinel refuses a failover until it has seen a suitable replica, and gives up a slow failover. So the loop
    // asks again. It reads the master and the failover's state from one answer. With two answers, the failover might
    // end in between, and a second failover would undo the first failover.
    const bool done = eventually(
        [&] {
            const auto known = answer_of(*first, words("SENTINEL MASTER"), until) + ' ';
            if (known.find("failover_in_progress") != std::string::npos) return false;
            if (known.find(port_of_old) == std::string::npos) return true;
            answer = answer_of(*first, words("SENTINEL FAILOVER"), until);
            return false;
        },
        until);
    if (!done || !wait_until_replaced(old, until))
        throw std::runtime_error{"no failover: " + answer + "; the sentinel's log:\n" +
                                 first->log()};
    return master(until);
}

}  // namespace turnstile::testing
