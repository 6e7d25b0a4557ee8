// SPDX-License-Identifier: Apache-2.0
// postgresql_database: whether the server's process at the end of a connection is this session's alone.
//
// A pool of connections (PgBouncer) may give a server's process to another client after each transaction. A session keeps
// its prepared statements, its settings and LISTEN there.
//
// A server tells its clients the number of their process as they connect, and a pool a number of its own: nothing more is
// asked for where that is the number which the process itself has. Behind a pool a second connection rings, as other
// sessions would. A bell that comes while nothing is asked proves that the process is kept for this session, in a pool of
// any size: of a process that no client has just then PgBouncer throws it away, and another client's goes to that one.
//
// A pool whose processes are all taken has none for the second connection. What there is to see is then seen later: the
// names of prepared statements are unlike in all sessions, and each transaction begins with one (`fail`).
#include <libpq-fe.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sql/postgresql_database.hpp"

namespace turnstile::sql {
namespace {

// The part of the patience that the second connection gets, and the bell.
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
    // What other clients of the process listen to, and what came with that answer.
    static_cast<void>(wait(closing, boottime_clock::now()));
    bool rung = false;
    try {
        ringer.begin_patience();
        ringer.open_connection();
        ringer.run_text("NOTIFY " + channel);
        rung = true;
    } catch (const database_error&) {
        // Nothing is proved.
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
