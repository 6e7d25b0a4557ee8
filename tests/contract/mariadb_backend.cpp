// SPDX-License-Identifier: Apache-2.0
// Implements the servers of contract/backend.hpp with a MariaDB server.
#include <chrono>

#include "contract/backend.hpp"
#include "sql/coordinator.hpp"
#include "turnstile/testing/mariadb_server.hpp"

namespace turnstile::contract {

namespace {

// The program's tests share the server. The tests of servers that delete empty containers have their tables in another
// database.
testing::mariadb_server& shared_server() {
    static testing::mariadb_server server{{.options = {"--innodb-flush-log-at-trx-commit=2"}}};
    return server;
}

std::string address(const std::string& database) {
    static const bool started = [] {
        shared_server().start();
        shared_server().run_sql("CREATE DATABASE cleaning");
        return true;
    }();
    return started
               ? "mysql://root@127.0.0.1:" + std::to_string(shared_server().port()) + "/" + database
               : "";
}

}  // namespace

// Each time that a session attaches, the zxids jump to a number that follows from the time of day.
bool counts_every_write() {
    return false;
}

bool a_create_is_one_request() {
    return true;
}

std::unique_ptr<core::coordinator> shared_servers(const std::string& chroot) {
    using std::chrono_literals::operator""h;
    return sql::make_coordinator(address("turnstile") + (chroot.empty() ? "" : "?chroot=" + chroot),
                                 {.container_interval = 24h});
}

std::unique_ptr<core::coordinator> cleaning_servers() {
    using std::chrono_literals::operator""ms;
    return sql::make_coordinator(address("cleaning"), {.container_interval = 1ms});
}

void clean_containers() {}

}  // namespace turnstile::contract
