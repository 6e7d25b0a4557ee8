// SPDX-License-Identifier: Apache-2.0
// database: one session's connection to a database, as the store uses it. sqlite_database.hpp implements this interface
// for SQLite, postgresql_database.hpp for PostgreSQL, and mariadb_database.hpp for MariaDB.
//
//     db.begin(access::write);
//     db.lock({"/orders"}, lock_mode::exclusive);
//     for (const row& r : db.run("SELECT path FROM turnstile_nodes WHERE parent = ?1", {"/orders"}).rows) ...
//     db.commit({});
//
// run() waits for the rows of a statement. ask() and post() do not wait. A database on a server gets asked and posted
// statements together with the next statement that the caller waits for, or with the commit. So a transaction takes two
// round trips instead of twelve.
//
// The store has one text of each statement for all databases; `phrases` has the differences. Parameters are ?1, ?2 ...
// All results are text: integers as decimal digits, and raw bytes.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "turnstile/clock.hpp"

namespace turnstile::sql {

enum class failure {
    retry,     // another transaction or an existing key was in the way; rolled back: repeat it
    row_held,  // a user's transaction holds a row that must be removed (turnstile/sql.hpp)
    lost,      // there is no connection, or no answer on it
    refused,   // wrong credentials
    fatal,     // permanent until an operator changes something
    too_old,   // the server's release is too old: an operator must replace it
};

class database_error : public std::runtime_error {
public:
    database_error(failure kind, const std::string& message)
        : std::runtime_error{message}, kind_{kind} {}
    // `name`: the database's, or the failed action.
    database_error(failure kind, const std::string& name, const std::string& message)
        : database_error{kind, name + ": " + message} {}
    [[nodiscard]] failure kind() const noexcept { return kind_; }

private:
    failure kind_;
};

struct bytes {
    std::string data;
};
using value = std::variant<std::int64_t, std::string, bytes>;
using row = std::vector<std::string>;
struct result_rows {
    std::vector<row> rows;
    std::int64_t affected = 0;  // by INSERT, UPDATE, DELETE
};

[[nodiscard]] std::int64_t to_integer(const std::string& cell);
// Throws database_error if the tables of the database `name` have another version than this release needs.
void check_version(const std::string& name, std::int64_t of_tables);

// The texts in which statements for the databases differ, and the databases' limits.
struct phrases {
    std::string now;   // an expression: microseconds by the clock of the session deadlines
    std::string wall;  // an expression: milliseconds since 1970
    // Before a table from which the list ?1 selects rows by their key, see database::list_of.
    std::string listed{};
    std::string among;          // after a text column: the column's value is in the list
    std::string among_numbers;  // after a column of numbers: the column's value is in the list
    // After a SELECT: no transaction removes the row before this transaction ends.
    std::string keep_session{};
    // Locks the row for this transaction: `claim_session` skips a locked row, and `claim_own` waits for it.
    std::string claim_session{}, claim_own{};
    std::string remove_node;  // removes the path ?1; `row_held` if another transaction has its row
    // A statement after remove_node, for a database that may report success for a killed statement. Fails with `retry`
    // if remove_node has removed no row.
    std::string was_removed{};
    std::string inserting{};  // before an INSERT of a znode: `row_held` instead of a wait for a row
    std::string or_stays;     // after an INSERT: leaves an existing row unchanged
    std::string list_begin{}, list_end{};          // around the items of a list
    std::string empty_list;                        // a list without items
    std::string (*quoted)(std::string_view item);  // the text of an item
    // The length of the longest path that the database can store, in bytes.
    std::size_t longest_path = SIZE_MAX;
};
// Returns an item of a list in double quotes, as JSON and PostgreSQL's arrays have it. Paths contain no control
// characters.
[[nodiscard]] std::string in_double_quotes(std::string_view item);

// Identifies a statement of ask() until the caller has taken its rows.
enum class asked_statement : std::uint64_t {};

// read: all statements see one snapshot. write: each statement sees all transactions that were committed before it.
enum class access { read, write };
enum class lock_mode { shared, exclusive };

class database {
public:
    virtual ~database() = default;

    // Connects to the database. Creates the tables if they do not exist.
    virtual void connect() = 0;
    virtual void disconnect() noexcept = 0;

    virtual void begin(access how) = 0;
    // If commit() throws `lost`, the database may have executed the transaction, or may still execute it. After any
    // other failure, the database has not executed the transaction. The commit wakes the sessions `to_wake`. A bell is
    // lost if this process dies before it has rung.
    virtual void commit(std::span<const std::int64_t> to_wake) = 0;
    // Returns false if the rollback has also lost the connection.
    virtual bool rollback() noexcept = 0;
    virtual result_rows execute(const std::string& statement, std::span<const value> arguments) = 0;
    result_rows run(const std::string& statement, std::initializer_list<value> arguments = {}) {
        return execute(statement, std::span{arguments.begin(), arguments.size()});
    }

    // ---- statements without waiting ----
    // The database executes the statements of ask() and run() in the order of the calls. If a statement fails, a later
    // call reports the failure, commit() at the latest. The database does not execute the statements after the failed
    // statement.
    asked_statement ask(const std::string& statement, std::initializer_list<value> arguments = {}) {
        return begin_asking(statement, std::span{arguments.begin(), arguments.size()});
    }
    // Asks a statement whose rows the caller does not need.
    void post(const std::string& statement, std::initializer_list<value> arguments = {}) {
        begin_posting(statement, std::span{arguments.begin(), arguments.size()});
    }
    // Returns the rows of a statement that this transaction has asked, also after the commit. Call this once for each
    // statement.
    virtual result_rows answer(asked_statement which);

    // UPDATEs the row of a session, then SELECTs `answer`, a numeric expression over the updated row. The result is
    // empty if the session has no row.
    virtual asked_statement ask_to_update_session(const std::string& assignments,
                                                  const std::string& condition,
                                                  const std::string& answer,
                                                  std::initializer_list<value> arguments);

    // The three steps that begin a write: update the session's row, as ask_to_update_session() does; lock the paths
    // exclusively; take a transaction number.
    struct asked_start {
        asked_statement session{};
        std::optional<asked_statement> number{};  // nothing: it comes with `session`
    };
    struct start {
        std::int64_t session = 0;  // the value of `answer`
        std::int64_t number = 0;
    };
    virtual asked_start ask_to_start(const std::string& assignments, const std::string& condition,
                                     const std::string& answer,
                                     std::initializer_list<value> arguments,
                                     std::span<const std::string> paths);
    // Returns the answers of the start; nothing if the session has no row.
    [[nodiscard]] std::optional<start> started(const asked_start& asked);

    [[nodiscard]] virtual const phrases& words() const noexcept = 0;
    [[nodiscard]] value list_of(std::span<const std::string> items) const;
    [[nodiscard]] value list_of(std::span<const std::int64_t> items) const;

    // Locks the paths until this transaction ends. Meanwhile no other transaction gets an exclusive lock on one of the
    // paths, and, if `mode` is exclusive, no shared lock either. The paths need not have znodes. Call this at most once
    // in a transaction.
    virtual void lock(std::span<const std::string> paths, lock_mode mode) = 0;
    // Asks for a new number; the answer is one row with one cell. The number is larger than the numbers of all
    // transactions that have ended, and of all earlier transactions with one of the same exclusive locks.
    virtual asked_statement ask_number() = 0;
    std::int64_t next_number() { return to_integer(answer(ask_number()).rows.front().front()); }

    // ---- bells: messages that wake a session ----
    // Call this in the transaction that opens the session. From the commit on, other processes see that this process
    // uses the session.
    virtual void announce(std::int64_t /*session*/) {}
    // Call this after each attach. From this call on, bells for the session arrive.
    virtual void listen(std::int64_t session) = 0;
    enum class ended { no, yes };
    // This process no longer uses the session. `how`: yes if this process has ended the session at the database; no if
    // another process must end it.
    virtual void withdraw(ended /*how*/) noexcept {}
    // True if the system has reported that the process of this session has ended.
    [[nodiscard]] virtual bool is_gone(std::int64_t /*session*/) const { return false; }
    // `events`: the nonces of all events that the session has fetched and whose rows still exist. These events need no
    // bell.
    virtual void has_heard(const std::set<std::int64_t>& /*events*/) {}

    enum class woken { by_time, by_caller, by_bell, by_departure };
    // Waits for a bell, until the descriptor `caller` is readable, or until `until`. by_departure: the process of
    // another session may have ended.
    virtual woken wait(int caller, boottime_clock::time_point until) = 0;

protected:
    // This default executes the statement at once, for a database without a network.
    virtual asked_statement begin_asking(const std::string& statement,
                                         std::span<const value> arguments) {
        return keep(execute(statement, arguments));
    }
    virtual void begin_posting(const std::string& statement, std::span<const value> arguments) {
        static_cast<void>(execute(statement, arguments));
    }

    [[nodiscard]] asked_statement new_ticket() noexcept {
        return static_cast<asked_statement>(++last_);
    }
    asked_statement keep(result_rows&& rows) {
        const asked_statement ticket = new_ticket();
        answers_.emplace(ticket, std::move(rows));
        return ticket;
    }
    // Removes the answers that no caller has taken. begin() calls this.
    void forget_answers() noexcept { answers_.clear(); }

    std::unordered_map<asked_statement, result_rows> answers_;

private:
    std::uint64_t last_ = 0;
};

}  // namespace turnstile::sql
