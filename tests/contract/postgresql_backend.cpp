// SPDX-License-Identifier: Apache-2.0
// Implements the servers of contract/backend.hpp with a PostgreSQL server.
#include <chrono>

#include "contract/backend.hpp"
#include "sql/coordinator.hpp"
#include "turnstile/testing/postgres_server.hpp"

namespace turnstile::contract {

namespace {

// The program's tests share the server. The tests of servers that delete empty containers have their tables in another
// schema.
const std::string& address() {
    static testing::postgres_server server;
    static const std::string text = [] {
        server.start();
        server.run_sql("CREATE SCHEMA cleaning");
        return server.connect_string();
    }();
    return text;
}

}  // namespace

// PostgreSQL does not roll back sequences, so a transaction that restarts after a conflict skips a number.
bool counts_every_write() {
    return false;
}

bool a_create_is_one_request() {
    return true;
}

std::unique_ptr<core::coordinator> shared_servers(const std::string& chroot) {
    using std::chrono_literals::operator""h;
    // Deleting empty containers would take zxids that the tests count.
    return sql::make_coordinator(address() + (chroot.empty() ? "" : "?chroot=" + chroot),
                                 {.container_interval = 24h});
}

std::unique_ptr<core::coordinator> cleaning_servers() {
    using std::chrono_literals::operator""ms;
    return sql::make_coordinator(address() + "?options=-csearch_path%3Dcleaning",
                                 {.container_interval = 1ms});
}

void clean_containers() {}

}  // namespace turnstile::contract
