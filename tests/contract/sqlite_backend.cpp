// SPDX-License-Identifier: Apache-2.0
// Implements the servers of contract/backend.hpp with SQLite files.
#include <chrono>

#include "contract/backend.hpp"
#include "sql/coordinator.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::contract {

namespace {

std::string file(const std::string& name) {
    static const testing::temporary_folder folder;
    return "sqlite:" + (folder.path() / name).string();
}

}  // namespace

// A confirmation (a request that only extends the lease) overtakes earlier requests, and takes a zxid before they do.
// So the zxids do not count the tested writes one by one.
bool counts_every_write() {
    return false;
}

bool a_create_is_one_request() {
    return true;
}

std::unique_ptr<core::coordinator> shared_servers(const std::string& chroot) {
    using std::chrono_literals::operator""h;
    // Deleting empty containers would take zxids that the tests count.
    return sql::make_coordinator(file("contract.db") + (chroot.empty() ? "" : "?chroot=" + chroot),
                                 {.container_interval = 24h});
}

std::unique_ptr<core::coordinator> cleaning_servers() {
    using std::chrono_literals::operator""ms;
    return sql::make_coordinator(file("cleaning.db"), {.container_interval = 1ms});
}

void clean_containers() {}

}  // namespace turnstile::contract
