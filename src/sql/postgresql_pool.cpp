// SPDX-License-Identifier: Apache-2.0
// postgresql_database: checks whether the server process of a connection belongs to this session alone.
//
// A pool of connections (PgBouncer) may give a server process to another client after each transaction. A session
// keeps its prepared statements, its settings and LISTEN there.
//
// When a client connects, a server sends the number of its process, and a pool sends another number. If that is
// the process's own number, there is no pool and the check ends. Behind a pool a second connection rings the bell, as
// other sessions would. A bell that comes while no request is in progress proves that the process is kept for this
// session, whatever the pool's size: if a process has no client at that moment, PgBouncer discards the bell, and if
// it has another client, that client gets it.
//
// A pool whose processes are all in use has none for the second connection. Then a shared process is detected later:
// the names of prepared statements differ between sessions, and each transaction begins with one (`fail`).
#include <libpq-fe.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sql/postgresql_database.hpp"

namespace turnstile::sql {
namespace {

// The fraction of the patience for the second connection and the bell.
constexpr int k_bell_part = 4;

}  // namespace

void postgresql_database::check_pool(const std::string& process) {
    if (has_own_process_ || process == std::to_string(::PQbackendPID(connection_))) return;
    const auto bound = settings_.patience / k_bell_part;
    auto settings_of_ringer = settings_;
    settings_of_ringer.patience = bound;
    postgresql_database ringer{std::move(settings_of_ringer)};
    ringer.first_host_ = first_host_;
    const std::string channel = "turnstile_pool_" + process;
    run_text("LISTEN " + channel);
    const int closing = settings_.closing->closing.fd();
    // Listens like other clients of the process, and reads what came with that answer.
    static_cast<void>(wait(closing, boottime_clock::now()));
    bool rung = false;
    try {
        ringer.begin_patience();
        ringer.open_connection();
        ringer.run_text("NOTIFY " + channel);
        rung = true;
    } catch (const database_error&) {
        // The check proved nothing.
    }
    const auto until = std::min(patient_until_, boottime_clock::now() + bound);
    woken how = rung ? woken::by_time : woken::by_caller;
    while (how == woken::by_time && boottime_clock::now() < until) how = wait(closing, until);
    run_text("UNLISTEN " + channel);
    has_own_process_ = how == woken::by_bell;
    if (how == woken::by_time)
        throw database_error{
            failure::fatal,
            settings_.name +
                ": is a pool that gives transactions a server's process in turn (PgBouncer's "
                "pool_mode = transaction or statement); set pool_mode = session"};
}

}  // namespace turnstile::sql
