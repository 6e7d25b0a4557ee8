// SPDX-License-Identifier: Apache-2.0
// mariadb_bell: lets one session wake another in MariaDB, which has no LISTEN and NOTIFY.
//
// Each session has a second connection, which sleeps at the server in one statement. The statement ends at once if the
// session has an event that the client does not know. Otherwise it waits for a user-level lock (the "door"). The
// session's first connection always holds the door, so the wait lasts. After its commit, a writer ends that statement
// with KILL QUERY; this is the bell.
//
// The sleeping connection also holds a second user-level lock, whose name contains the session's id. The writer finds
// the connection with KILL QUERY IS_USED_LOCK(name). A connection's number would not be safe: after a restart of the
// server, another connection may have it.
//
// The statement does not use SLEEP(). All SLEEPs of a server share one mutex. A KILL QUERY at the wrong moment tries to
// take this mutex for two seconds, and meanwhile no other connection can begin or end a SLEEP (MariaDB 10.11,
// Item_func_sleep).
//
// | when the bell comes                         | why the session does not miss the event                             |
// |---------------------------------------------|---------------------------------------------------------------------|
// | while the connection sleeps                 | KILL QUERY ends the sleep                                           |
// | between the check for events and the sleep  | both are one statement, which KILL QUERY ends                       |
// | between two statements                      | the writer committed the event before: the next check finds it      |
// | while there is no connection                | the session fetches its events when it has attached                 |
// | never (the writer died, or lacks the right) | the session polls after each third of its timeout, and at the       |
// |                                             | earliest deadline of another session                                |
//
// While the connection sleeps, it is in no transaction. In MySQL its statement still keeps the snapshot from before the
// sleep, so InnoDB cannot purge older rows. MariaDB lets a user end the statements of the same user without a further
// right. The server checks every five seconds whether a sleeping client has disconnected.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "sql/mariadb_flavour.hpp"
#include "sql/mariadb_link.hpp"

namespace turnstile::sql {

class mariadb_bell {
public:
    mariadb_bell(std::string name, patience& limit);

    struct place {
        const mariadb_target& target;
        const mariadb_host* host;
        const std::string& database;  // the name by which all clients know the database
    };
    // Throws database_error. `settings`: SQL statements that configure the new connection. `other`: the session's first
    // connection, which takes the user-level lock "door".
    void open(const place& at, const mariadb_flavour& flavour, const std::string& settings,
              std::int64_t session, mariadb_link& other);
    // Closes the sleeping connection. First kills its statement over `other`. Otherwise the server would notice the
    // closed connection only seconds later.
    void withdraw(mariadb_link& other, const std::string& database) noexcept;
    void close() noexcept { link_.close(); }

    // `events`: the events that the session has already fetched. They must not end a later sleep of the second
    // connection.
    void has_heard(const std::set<std::int64_t>& events);
    // Implements database::wait. Throws database_error if the connection is lost. Without a connection, no bell
    // (wake-up) comes.
    [[nodiscard]] database::woken wait(int caller, boottime_clock::time_point until);

    // Returns the SQL statement that wakes a session of this database.
    [[nodiscard]] static std::string ring(const std::string& database, std::int64_t session);

private:
    void sleep();
    // Reads the socket. Returns true if another session has woken this session: a KILL QUERY or an event has ended the
    // sleeping statement before its time.
    [[nodiscard]] bool rang(short ready);

    patience& patience_;
    mariadb_link link_;
    const mariadb_flavour* flavour_ = nullptr;
    std::int64_t session_ = 0;
    std::string door_;
    std::set<std::int64_t> known_;
    bool rung_ = false;  // the bell has rung, and the session has fetched nothing since
    bool asleep_ = false;
    boottime_clock::time_point until_{};
    boottime_clock::time_point latest_{};  // the time by which the server must have answered
};

}  // namespace turnstile::sql
