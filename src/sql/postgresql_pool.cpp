// SPDX-License-Identifier: Apache-2.0
// The part of postgresql_link that detects a connection pool which shares server processes between clients.
//
// A pool such as PgBouncer may give a server process to another client after each transaction. But a session keeps its
// prepared statements, its settings and its LISTEN in the process.
//
// At the connect, a server sends the number of its process, and a pool sends another number. If the server process
// itself reports the number that arrived, there is no pool. Otherwise a second connection sends a NOTIFY while the
// session waits without a request in progress. If the NOTIFY arrives, the pool reserves the process for this session. A
// PgBouncer that shares the process discards the NOTIFY, or gives it to the process's current client.
//
// If all processes of the pool are in use, the second connection fails, and this check proves nothing. Then fail()
// detects a shared process later, because the names of prepared statements differ between sessions.
#include <libpq-fe.h>

#include <string>

#include "sql/postgresql_link.hpp"

namespace turnstile::sql {
namespace {

// To check whether a connection pool shares the server process, the session opens a second connection, and waits for a
// NOTIFY. Each of these two steps may take 1/k_bell_part of the session's time limit.
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
    // Drops each NOTIFY that arrived together with the answer to LISTEN.
    static_cast<void>(wait(closing, boottime_clock::now()));
    bool rung = false;
    try {
        of_ringer.begin();
        ringer.open();
        ringer.run("NOTIFY " + channel);
        rung = true;
    } catch (const database_error&) {
        // If the second connection fails, the check for a connection pool proves nothing.
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
