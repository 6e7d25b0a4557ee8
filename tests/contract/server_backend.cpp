// SPDX-License-Identifier: Apache-2.0
// Implements the servers of contract/backend.hpp with real ZooKeeper servers.
#include <chrono>

#include "contract/backend.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "zookeeper/coordinator.hpp"

namespace turnstile::contract {

bool counts_every_write() {
    return true;
}

bool a_create_is_one_request() {
    return true;
}

std::unique_ptr<core::coordinator> shared_servers(const std::string& chroot) {
    using std::chrono_literals::operator""h;
    // Deleting empty containers would take zxids that the tests count.
    static const testing::ensemble servers{{.container_check_interval = 24h}};
    return zookeeper::make_coordinator(servers.connect_string() + chroot);
}

std::unique_ptr<core::coordinator> cleaning_servers() {
    using std::chrono_literals::operator""ms;
    static const testing::ensemble servers{{.container_check_interval = 100ms}};
    return zookeeper::make_coordinator(servers.connect_string());
}

void clean_containers() {}

}  // namespace turnstile::contract
