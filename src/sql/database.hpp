// SPDX-License-Identifier: Apache-2.0
// database: one session's connection to a database, as the store uses it. sqlite_database.hpp implements this interface
// for SQLite, postgresql_database.hpp for PostgreSQL, and mariadb_database.hpp for MariaDB.
//
//     db.begin(access::write);
//     db.lock({"/orders"}, lock_mode::exclusive);
//     for (const row& r : db.run("SELECT path FROM turnstile_nodes WHERE parent = ?1", {"/orders"}).rows) ...
//     db.commit({});
//
// run() sends a statement and waits for its rows. ask() and post() do not wait: a database on a server sends their
// statements together with the next run() or with the commit. This saves round trips. The caller fetches the rows of
// ask() with answer(). post() is for statements whose rows the caller does not need.
//
// The store has one text of each statement for all databases. The object `phrases` contains the parts that differ.
// Parameters are ?1, ?2 ... All results are strings: an integer is in decimal digits, and a byte string is unchanged.
//
//     database_error   the exception with the kind of failure
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
    retry,     // conflict with another transaction, or with a key; this transaction was rolled back
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
    // `name`: the name of the database, or of the failed action.
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
    std::int64_t affected = 0;  // number of rows that INSERT, UPDATE or DELETE has changed
};

[[nodiscard]] std::int64_t to_integer(const std::string& cell);
// Throws database_error if the version of the tables, `of_tables`, differs from the version that this release needs.
// `name`: the database, for the message.
void check_version(const std::string& name, std::int64_t of_tables);

// The parts of SQL statements that differ between the databases, and the databases' limits.
struct phrases {
    std::string now;   // an expression: microseconds by the clock of the session deadlines
    std::string wall;  // an expression: milliseconds since 1970
    // A text to put before a table's name, for a statement that selects the rows whose keys are in a list. The list is
    // the parameter ?1, which list_of() makes.
    std::string listed{};
    std::string among;          // after a text column: the column's value is in the list
    std::string among_numbers;  // after a column of numbers: the column's value is in the list
    // A text to put after a SELECT: prevents other transactions from removing the row until this transaction ends.
    std::string keep_session{};
    // Texts to put after a SELECT: they lock the row until this transaction ends. `claim_session` skips a row that
    // another transaction has locked, and `claim_own` waits for the row.
    std::string claim_session{}, claim_own{};
    std::string remove_node;  // removes the path ?1; fails with `row_held` if its row is locked
    // A statement to send after `remove_node`. It fails with `retry` if `remove_node` has removed no row. Only
    // databases that may report success for a killed statement need it.
    std::string was_removed{};
    std::string
        inserting{};  // before an INSERT of a znode: it then fails with `row_held` if a row is locked
    std::string or_stays;                  // after an INSERT: leaves an existing row unchanged
    std::string list_begin{}, list_end{};  // around the items of a list
    std::string empty_list;                // a list without items
    std::string (*quoted)(std::string_view item);  // the text of an item
    // The length of the longest path that the database can store, in bytes.
    std::size_t longest_path = SIZE_MAX;
};
// Returns the item in double quotes, as JSON and PostgreSQL's arrays need it. Does not escape control characters,
// because paths contain none.
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
    // If commit() throws `lost`, the outcome is unknown: the database may have executed the transaction, or may still
    // execute it. After any other failure, the database has not executed the transaction. After the commit, wakes the
    // sessions `to_wake`. If this process dies just after the commit, these sessions may not be woken.
    virtual void commit(std::span<const std::int64_t> to_wake) = 0;
    // Returns false if the rollback has also lost the connection.
    virtual bool rollback() noexcept = 0;
    virtual result_rows execute(const std::string& statement, std::span<const value> arguments) = 0;
    result_rows run(const std::string& statement, std::initializer_list<value> arguments = {}) {
        return execute(statement, std::span{arguments.begin(), arguments.size()});
    }

    // ---- statements without waiting ----
    // The database executes statements in the order of the calls to ask(), post() and run(). After a failed statement,
    // the database executes none of the later statements. A later call, at the latest commit(), throws the failure.
    asked_statement ask(const std::string& statement, std::initializer_list<value> arguments = {}) {
        return begin_asking(statement, std::span{arguments.begin(), arguments.size()});
    }
    // Sends a statement as ask() does. Use this for statements whose rows the caller does not need.
    void post(const std::string& statement, std::initializer_list<value> arguments = {}) {
        begin_posting(statement, std::span{arguments.begin(), arguments.size()});
    }
    // Returns the rows of a statement that this transaction sent with ask(). The caller may call this after the commit,
    // but only once for each statement.
    virtual result_rows answer(asked_statement which);

    // Updates the row of a session. The answer is the value of `answer`, a numeric expression over the updated row. The
    // result is empty if the session has no row.
    virtual asked_statement ask_to_update_session(const std::string& assignments,
                                                  const std::string& condition,
                                                  const std::string& answer,
                                                  std::initializer_list<value> arguments);

    // The identities of the statements that begin a write transaction. The statements do three things: update the
    // session's row as ask_to_update_session() does, lock the paths exclusively, and take a transaction number.
    struct asked_start {
        asked_statement session{};
        std::optional<asked_statement> number{};  // nothing: the answer to `session` contains it
    };
    struct start {
        std::int64_t session = 0;  // the answer that ask_to_start() requested
        std::int64_t number = 0;
    };
    virtual asked_start ask_to_start(const std::string& assignments, const std::string& condition,
                                     const std::string& answer,
                                     std::initializer_list<value> arguments,
                                     std::span<const std::string> paths);
    // Returns the answers to the statements that ask_to_start() has sent; nothing if the session has no row.
    [[nodiscard]] std::optional<start> started(const asked_start& asked);

    [[nodiscard]] virtual const phrases& words() const noexcept = 0;
    [[nodiscard]] value list_of(std::span<const std::string> items) const;
    [[nodiscard]] value list_of(std::span<const std::int64_t> items) const;

    // Locks the paths, which need not have znodes, until this transaction ends. An exclusive lock excludes all other
    // locks of the same path. A shared lock excludes only exclusive locks. Call this at most once in a transaction.
    virtual void lock(std::span<const std::string> paths, lock_mode mode) = 0;
    // Asks for a new transaction number; the answer is one row with one cell. The number is larger than the numbers of
    // all transactions that have ended. It is also larger than the number of each earlier transaction that locked
    // exclusively a path that this transaction has locked.
    virtual asked_statement ask_number() = 0;
    std::int64_t next_number() { return to_integer(answer(ask_number()).rows.front().front()); }

    // ---- bells: messages that wake a session ----
    // Call this in the transaction that opens the session. After the commit, other processes can see whether the
    // session's process is alive.
    virtual void announce(std::int64_t /*session*/) {}
    // Call this after each attach. Afterwards wait() receives the bells (wake-up messages) for the session.
    virtual void listen(std::int64_t session) = 0;
    enum class ended { no, yes };
    // Call this when this process stops using the session. `how`: yes if this process has removed the session from the
    // database; no if another process must do so.
    virtual void withdraw(ended /*how*/) noexcept {}
    // True if the operating system shows that the process of this session has ended.
    [[nodiscard]] virtual bool is_gone(std::int64_t /*session*/) const { return false; }
    // `events`: the nonces of all events that the session has fetched and whose rows still exist. These events must not
    // end a later wait().
    virtual void has_heard(const std::set<std::int64_t>& /*events*/) {}

    enum class woken { by_time, by_caller, by_bell, by_departure };
    // Waits until another process wakes this session, until the descriptor `caller` is readable, or until the time
    // `until`. Returns by_departure if the process of another session may have ended.
    virtual woken wait(int caller, boottime_clock::time_point until) = 0;

protected:
    // Sends a statement of ask(). This default is for databases without a network: it executes the statement at once.
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
    // Drops the answers that no caller has taken. Each begin() calls this.
    void forget_answers() noexcept { answers_.clear(); }

    std::unordered_map<asked_statement, result_rows> answers_;

private:
    std::uint64_t last_ = 0;
};

}  // namespace turnstile::sql
