// SPDX-License-Identifier: Apache-2.0
// Settings and slots for the nodes of a Redis Cluster that a test starts.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "redis_support.hpp"
#include "turnstile/testing/loopback_port.hpp"

namespace turnstile::tests {

// The port on which a node talks to the other nodes. Before Redis 7, this port is always the node's port plus 10,000.
class cluster_bus {
public:
    cluster_bus() {
        if (has_redis_version(7)) port_.emplace();
    }
    // Returns the lines of redis.conf for a node with this bus.
    [[nodiscard]] std::string config() const {
        std::string lines{"cluster-enabled yes\n"};
        if (port_) lines += "cluster-port " + std::to_string(port_->number()) + '\n';
        return lines;
    }
    // Returns the arguments with which CLUSTER MEET adds `node`. The configuration of that node must come from this
    // object.
    [[nodiscard]] std::string place_of(const redis_server& node) const {
        constexpr int k_distance = 10'000;
        const int number = port_ ? port_->number() : node.port() + k_distance;
        return "127.0.0.1 " + std::to_string(node.port()) + ' ' + std::to_string(number);
    }

private:
    std::optional<testing::loopback_port> port_;
};

// Assigns the slots from `first` to `last` to the node. Redis 6 has no CLUSTER ADDSLOTSRANGE.
inline void assign_slots(const redis_server& node, int first, int last) {
    constexpr int k_most = 4096;  // a server refuses longer lines than 64 KiB
    for (int begin = first; begin <= last; begin += k_most) {
        std::string command{"CLUSTER ADDSLOTS"};
        const int end = std::min(begin + k_most, last + 1);
        for (int slot = begin; slot != end; ++slot) command += ' ' + std::to_string(slot);
        EXPECT_EQ(node.ask(command), "+OK");
    }
}

// Returns true if a cluster of these servers may have several databases. Valkey allows this since version 9.
inline bool has_cluster_databases(const redis_server& server) {
    return !server.ask("CONFIG GET cluster-databases").empty();
}

}  // namespace turnstile::tests
