// SPDX-License-Identifier: Apache-2.0
// Implements the servers of contract/backend.hpp with a Redis server.
#include <chrono>

#include "contract/backend.hpp"
#include "redis/coordinator.hpp"
#include "turnstile/testing/redis_server.hpp"

namespace turnstile::contract {
namespace {

const std::string& address() {
    static testing::redis_server server;
    static const bool started = (server.start(), true);
    static const std::string text = started ? server.connect_string() : std::string{};
    return text;
}

}  // namespace

bool counts_every_write() {
    return false;
}

bool a_create_is_one_request() {
    return true;
}

std::unique_ptr<core::coordinator> shared_servers(const std::string& chroot) {
    using std::chrono_literals::operator""h;
    // The random scripts read containers, so the servers must never delete them.
    return redis::make_coordinator(address() + chroot, {.container_interval = 24h});
}

std::unique_ptr<core::coordinator> cleaning_servers() {
    using std::chrono_literals::operator""ms;
    return redis::make_coordinator(address() + "?tree=cleaning", {.container_interval = 100ms});
}

void clean_containers() {}

}  // namespace turnstile::contract
