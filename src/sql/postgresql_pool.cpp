// SPDX-License-Identifier: Apache-2.0
// The part of postgresql_link that checks whether the server process of a connection serves this session alone.
//
// A pool of connections (PgBouncer) may give a server process to another client after each transaction. But a session
// keeps its prepared statements, its settings and its LISTEN in the process.
//
// When a client connects, a server sends the number of its process, and a pool sends another number. If the number is
// the process's own, there is no pool, and the check ends. Behind a pool, a second connection sends a NOTIFY, a bell,
// as other sessions would. The session waits for this bell without a request in progress. If the bell comes, the pool
// keeps the process for this session, whatever the pool's size is. If the process had no client at that moment,
// PgBouncer would discard the bell; if it had another client, that client would get the bell.
//
// If all processes of the pool are in use, the second connection gets none. Then fail() detects a shared process later:
// the names of prepared statements differ between sessions, and each transaction begins with a prepared statement.
#include <libpq-fe.h>

#include <string>

#include "sql/postgresql_link.hpp"

namespace turnstile::sql {
namespace {

// The fraction of the patience for the second connection and the bell.
constexpr int k_bell_part = 4;

}  // namespace

void postgresql_link::check_pool(const std::string& process) {
    if (has_own_process_ || process == std::to_string(::PQbackendPID(connection_))) return;
    const auto bound = patience_.length() / k_bell_part;
    patience of_ringer{bound, settings_.closing};
    postgresql_link ringer{settings_, of_ringer};
    ringer.first_host_ = first_host_;
    const std::string channel = "turnstile_pool_" + process;
    run("LISTEN " + channel);
    const int closing = settings_.closing->closing.fd();
    // Listens like other clients of the process, and reads what came with that answer.
    static_cast<void>(wait(closing, boottime_clock::now()));
    bool rung = false;
    try {
        of_ringer.begin();
        ringer.open();
        ringer.run("NOTIFY " + channel);
        rung = true;
    } catch (const database_error&) {
        // The check proved nothing.
    }
    const auto until = patience_.end_of(bound);
    auto how = rung ? database::woken::by_time : database::woken::by_caller;
    while (how == database::woken::by_time && boottime_clock::now() < until)
        how = wait(closing, until);
    run("UNLISTEN " + channel);
    has_own_process_ = how == database::woken::by_bell;
    if (how == database::woken::by_time)
        refuse(failure::fatal,
               "is a pool that lends server processes for single transactions or statements "
               "(PgBouncer's pool_mode = transaction or statement); set pool_mode = session");
}

}  // namespace turnstile::sql
