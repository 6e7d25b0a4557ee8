// SPDX-License-Identifier: Apache-2.0
// mariadb_bell: wakes a session in MariaDB, which has no LISTEN and NOTIFY.
//
// A second connection of the session sleeps at the server, in one statement: "unless there is an event of this session
// that it does not know, wait for the door". The door is a user-level lock that the session's other connection always
// holds. A writer rings by ending that statement with KILL QUERY, after its commit. Another user-level lock identifies the
// statement: the sleeping connection holds it, and its name is the session's: KILL QUERY IS_USED_LOCK(name). So no client
// keeps a connection's number, which after a restart of the server could belong to another connection.
//
// SLEEP does not serve: all SLEEPs of a server share one lock, and a KILL QUERY at the wrong moment of a SLEEP tries to
// take it for two seconds. Meanwhile no other connection can sleep, end or begin (10.11, Item_func_sleep).
//
// | the bell comes                               | and is not lost, because                                            |
// |----------------------------------------------|---------------------------------------------------------------------|
// | while the connection sleeps                  | KILL QUERY ends the sleep                                           |
// | between the look and the sleep               | they are one statement for KILL QUERY                               |
// | between two statements                       | the event was committed before: the next one's look finds it        |
// | while there is no connection                 | the session fetches its events when it has attached                 |
// | never (its ringer was killed, or may not)    | the session polls each S/3, and at the earliest deadline of others  |
//
// While the connection sleeps it reads nothing and is in no transaction. In MySQL it has its snapshot of before the sleep,
// which keeps InnoDB from purging for as long. MariaDB lets a user end statements of the same
// user without a further right. A client that has gone is noticed by the server within five seconds of sleep.
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
    mariadb_bell(std::string name, mariadb_patience& patience);

    struct place {
        const mariadb_target& target;
        const mariadb_host* host;
        const std::string& database;  // the name that all its clients use
    };
    // Throws database_error. `settings` are statements for the connection; `other` is the session's other one.
    void open(const place& at, const mariadb_flavour& flavour, const std::string& settings,
              std::int64_t session, mariadb_link& other);

    // Sleeps, unless it sleeps already, or has an event that is not among `known`.
    void sleep(const std::set<std::int64_t>& known);
    [[nodiscard]] bool asleep() const noexcept { return asleep_; }
    [[nodiscard]] int socket() const noexcept { return link_.socket(); }
    [[nodiscard]] short events() const noexcept { return link_.events(); }
    // The latest time at which the server should have answered.
    [[nodiscard]] boottime_clock::time_point latest() const noexcept { return latest_; }
    // Reads the socket. Returns true if the bell rang. Throws database_error if the connection is lost.
    [[nodiscard]] bool rang(short ready);
    [[noreturn]] void lose(const std::string& why) const { link_.lose(why); }

    // SQL texts: `ring` wakes a session of this database, `end` closes the connection of the session's bell.
    [[nodiscard]] static std::string ring(const std::string& database, std::int64_t session);
    [[nodiscard]] static std::string end(const std::string& database, std::int64_t session);

private:
    mariadb_patience& patience_;
    mariadb_link link_;
    const mariadb_flavour* flavour_ = nullptr;
    std::int64_t session_ = 0;
    std::string door_;
    bool asleep_ = false;
    boottime_clock::time_point until_{};
    boottime_clock::time_point latest_{};
};

}  // namespace turnstile::sql
