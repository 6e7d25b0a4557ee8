// SPDX-License-Identifier: Apache-2.0
// mariadb_bell: wakes a session in MariaDB, which has no LISTEN and NOTIFY. A bell is the message that wakes a session.
//
// A second connection of the session sleeps at the server in one statement, which says: unless the session has an event
// that it does not know, wait for the door. The door is a user-level lock that the session's first connection always
// holds. After its commit, a writer rings the bell: it ends that statement with KILL QUERY. To find the statement, the
// writer uses another user-level lock, which the sleeping connection holds and whose name contains the session's id:
// KILL QUERY IS_USED_LOCK(name). So no client needs the number of another client's connection, which after a restart of
// the server could belong to another connection.
//
// The statement does not use SLEEP(). All SLEEPs of a server share one lock, and a KILL QUERY at the wrong moment of a
// SLEEP tries to take that lock for two seconds. Meanwhile no other connection can sleep, end or begin (10.11,
// Item_func_sleep).
//
// | when the bell comes                          | why the session does not miss the event                             |
// |----------------------------------------------|---------------------------------------------------------------------|
// | while the connection sleeps                  | KILL QUERY ends the sleep                                           |
// | between the check for events and the sleep   | both are one statement, which KILL QUERY ends                       |
// | between two statements                       | the writer committed the event before: the next check finds it      |
// | while there is no connection                 | the session fetches its events when it has attached                 |
// | never (the writer died, or lacks the right)  | the session polls each third of its timeout, and at the earliest    |
// |                                              | deadline of another session                                         |
//
// While the connection sleeps, it reads nothing and is in no transaction. In MySQL its statement keeps the snapshot
// from before the sleep, so InnoDB cannot purge older rows meanwhile. MariaDB lets a user end statements of the same
// user without a further right. The server notices within five seconds of sleep that a client has gone.
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
    // Throws database_error. `settings`: statements for this connection. `other`: the session's first connection, which
    // holds the door.
    void open(const place& at, const mariadb_flavour& flavour, const std::string& settings,
              std::int64_t session, mariadb_link& other);
    // Closes the connection, which sleeps in a statement. `other` first kills the statement: without that, the server
    // would notice the closed connection only seconds later.
    void withdraw(mariadb_link& other, const std::string& database) noexcept;
    void close() noexcept { link_.close(); }

    // `events`: the events that the session has fetched. They end no sleep.
    void has_heard(const std::set<std::int64_t>& events);
    // Implements database::wait. Throws database_error if the connection is lost. Without a connection no bell comes.
    [[nodiscard]] database::woken wait(int caller, boottime_clock::time_point until);

    // Returns the SQL statement that wakes a session of this database.
    [[nodiscard]] static std::string ring(const std::string& database, std::int64_t session);

private:
    void sleep();
    // Reads the socket. Returns true if the bell has rung.
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
