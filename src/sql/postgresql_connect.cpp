// SPDX-License-Identifier: Apache-2.0
// The part of postgresql_database that connects and checks the server.
#include <fmt/core.h>

#include <string>

#include "sql/postgresql_database.hpp"
#include "sql/schema.hpp"

namespace turnstile::sql {
namespace {

constexpr int k_least_version = 120000;
constexpr int k_checks_clients = 140000;       // has client_connection_check_interval and more
constexpr int k_limits_transactions = 170000;  // has transaction_timeout

}  // namespace

void postgresql_database::connect() {
    disconnect();
    patience_.begin();
    link_.open();
    check_server();
    make_tables();
}

bool postgresql_database::keeps_commits() {
    patience_.begin();
    link_.open();
    return run("SELECT current_setting('fsync')").rows.front().front() == "on";
}

void postgresql_database::check_server() {
    const row r = run("SELECT current_setting('server_version_num')::integer, "
                      "current_setting('server_version'), pg_is_in_recovery()::integer, "
                      "(current_setting('transaction_read_only') = 'on')::integer, "
                      "current_setting('server_encoding'), pg_backend_pid(), "
                      "(current_setting('fsync') = 'on')::integer")
                      .rows.front();
    const std::int64_t version = to_integer(r[0]);
    if (version < k_least_version)
        link_.refuse(failure::too_old, "is PostgreSQL " + r[1] + "; 12 or later is needed");
    if (to_integer(r[2]) != 0) link_.refuse(failure::fatal, "is a standby, which takes no writes");
    if (to_integer(r[3]) != 0)
        link_.refuse(failure::fatal, "takes no writes (default_transaction_read_only)");
    if (r[4] != "UTF8")
        link_.refuse(failure::fatal, "the database's encoding is " + r[4] + "; UTF8 is needed");
    if (to_integer(r[6]) == 0 && !settings_.lacking_without_fsync.empty())
        link_.refuse(
            failure::fatal,
            "fsync is off, so the server promises less than client_options::require demands; " +
                settings_.lacking_without_fsync);
    link_.check_pool(r[5]);
    // If this process is stopped inside a transaction, the server ends the transaction after the time limit. The client
    // itself limits all other waits. With synchronous_commit = off the server could lose acknowledged commits.
    std::string settings = fmt::format(
        "SET idle_in_transaction_session_timeout = {}; SET statement_timeout = 0; "
        "SET lock_timeout = 0; SELECT set_config('synchronous_commit', 'on', false) "
        "WHERE current_setting('synchronous_commit') = 'off'; ",
        settings_.patience.count());
    // Every statement finds its rows by a key, so one generic plan with plain index scans is always right. Only such
    // scans mark the index entries of deleted rows as dead. Between two vacuums, thousands of these entries accumulate
    // below a lock's znode, and other kinds of scans would visit all of them each time.
    settings +=
        "SET plan_cache_mode = force_generic_plan; SET enable_bitmapscan = off; "
        "SET enable_seqscan = off; SET jit = off";
    if (version >= k_checks_clients)
        settings += "; SET client_connection_check_interval = '1s'; SET idle_session_timeout = 0";
    if (version >= k_limits_transactions) settings += "; SET transaction_timeout = 0";
    link_.run(settings);
}

// If several clients start at once, one of them creates the tables. To see whether the tables exist, this function
// selects from pg_class. The function to_regclass() could still report a missing table after another client has
// created it.
void postgresql_database::make_tables() {
    const auto there = [this] {
        return run("SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class WHERE relname = "
                   "'turnstile_meta' AND pg_catalog.pg_table_is_visible(oid))")
                   .rows.front()
                   .front() == "t";
    };
    if (!there()) {
        link_.run("BEGIN");
        try {
            link_.run("SELECT pg_advisory_xact_lock(hashtext('turnstile tables'))");
            if (!there()) link_.run(k_postgresql_tables);
            link_.run("COMMIT");
        } catch (const database_error&) {
            rollback();
            throw;
        }
    }
    const result_rows found = run("SELECT value FROM turnstile_meta WHERE name = 'schema'");
    check_version(settings_.name, found.rows.empty() ? 0 : to_integer(found.rows.front().front()));
}

}  // namespace turnstile::sql
