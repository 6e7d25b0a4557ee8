// SPDX-License-Identifier: Apache-2.0
// database: one session's connection to a database, as the store uses it. sqlite_database.hpp implements it for
// SQLite, postgresql_database.hpp for PostgreSQL, mariadb_database.hpp for MariaDB.
//
//     db.begin(access::write);
//     db.lock({"/orders"}, lock_mode::exclusive);
//     for (const row& r : db.run("SELECT path FROM turnstile_nodes WHERE parent = ?1", {"/orders"}).rows) ...
//     db.commit();
//
// A statement whose result is not needed at once is asked or posted, not run. A database behind a network gets these
// together with the next statement that is waited for, or with the commit: a transaction takes two round trips instead
// of twelve.
//
// Statements are written for all databases; `phrases` has the differences. Parameters are ?1, ?2 ... All results are
// text: integers in decimal digits, and raw bytes.
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
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "turnstile/clock.hpp"

namespace turnstile::sql {

enum class failure {
    retry,  // the transaction met another one, or an existing key, and was rolled back: repeat it
    row_held,  // a user's transaction holds a row that had to be removed (turnstile/sql.hpp)
    lost,      // no connection, or no answer on it
    refused,   // wrong credentials
    fatal,     // permanent until an operator changes something
    too_old,   // the same, and the operator has to change the server's release
};

class database_error : public std::runtime_error {
public:
    database_error(failure kind, const std::string& message)
        : std::runtime_error{message}, kind_{kind} {}
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

// The differences between the databases.
struct phrases {
    std::string now;   // microseconds by the clock of session deadlines, an expression
    std::string wall;  // milliseconds since 1970
    std::string
        listed;  // before a table in which the list ?1 selects rows by their key, see database::list_of
    std::string among;          // after its text column: it is in the list
    std::string among_numbers;  // the same for numbers
    std::string
        keep_session;  // after the SELECT: the row is not removed before the transaction ends
    std::string
        claim_session;      // the row becomes this transaction's, or is skipped if it is another's
    std::string claim_own;  // the same, but waits for the row
    std::string remove_node;  // removes the path ?1; `row_held` if another transaction has its row
    // Follows it if a killed statement may report success: fails with `retry` if it removed no row.
    std::string was_removed{};
    std::string inserting;  // before an INSERT of a node: the same, if it would wait for a row
    std::string or_stays;   // after an INSERT: an existing row stays unchanged
};

// A statement that was asked, until its rows are taken.
enum class asked_statement : std::uint64_t {};

// read: a snapshot. write: sees everything committed before each statement.
enum class access { read, write };
enum class lock_mode { shared, exclusive };

class database {
public:
    virtual ~database() = default;

    // Connects, and creates the tables if there are none.
    virtual void connect() = 0;
    virtual void disconnect() noexcept = 0;

    virtual void begin(access how) = 0;
    // If commit() throws `lost`, the transaction may have been executed, or may still be executed. After any other
    // failure it was not executed.
    virtual void commit() = 0;
    // Returns false if the connection was lost as well.
    virtual bool rollback() noexcept = 0;
    virtual result_rows execute(const std::string& statement, std::span<const value> arguments) = 0;
    result_rows run(const std::string& statement, std::initializer_list<value> arguments = {}) {
        return execute(statement, std::span{arguments.begin(), arguments.size()});
    }

    // ---- statements that are not waited for ----
    // Statements of ask() and run() are executed in the order of the calls. If a statement fails, a later call reports
    // that (commit() at the latest), and the statements after it are not executed.
    asked_statement ask(const std::string& statement, std::initializer_list<value> arguments = {}) {
        return begin_asking(statement, std::span{arguments.begin(), arguments.size()});
    }
    // The rows of this statement are not needed.
    void post(const std::string& statement, std::initializer_list<value> arguments = {}) {
        begin_posting(statement, std::span{arguments.begin(), arguments.size()});
    }
    // Returns the answer to a statement of this transaction, also after the commit. Called once for each statement.
    virtual result_rows answer(asked_statement which);

    // UPDATEs a session's row, then SELECTs `answer`, a numeric expression over that row. No row: there is no such
    // session.
    virtual asked_statement ask_to_update_session(const std::string& assignments,
                                                  const std::string& condition,
                                                  const std::string& answer,
                                                  std::initializer_list<value> arguments);

    // The start of a write, in this order: updates its session's row, as above; locks the paths exclusively; takes a
    // number.
    struct asked_start {
        asked_statement session{};
        std::optional<asked_statement> number{};  // none: it comes with the session
    };
    struct start {
        std::int64_t session = 0;  // the `answer`
        std::int64_t number = 0;
    };
    virtual asked_start ask_to_start(const std::string& assignments, const std::string& condition,
                                     const std::string& answer,
                                     std::initializer_list<value> arguments,
                                     std::span<const std::string> paths);
    // Returns nothing if there is no such session.
    [[nodiscard]] std::optional<start> started(const asked_start& asked);

    [[nodiscard]] virtual const phrases& words() const noexcept = 0;
    [[nodiscard]] virtual value list_of(std::span<const std::string> items) const = 0;
    [[nodiscard]] virtual value list_of(std::span<const std::int64_t> items) const = 0;
    // The database cannot store longer paths.
    [[nodiscard]] virtual std::size_t longest_path() const noexcept = 0;

    // Locks the paths until this transaction ends: no other transaction gets an exclusive lock on one of them and, if
    // `exclusive`, no shared lock either. The paths need not have nodes. Called at most once in a transaction.
    virtual void lock(std::span<const std::string> paths, lock_mode mode) = 0;
    // Larger than the numbers of all transactions that have ended, or that had one of the same exclusive locks before.
    virtual std::int64_t next_number() = 0;
    // The same, as one cell of one row.
    virtual asked_statement ask_number() { return keep({{{std::to_string(next_number())}}, 0}); }

    // ---- waking a session ----
    // In the transaction that opens the session: from its commit on it counts as living.
    virtual void announce(std::int64_t session) = 0;
    // Called after each attach. From then on bells arrive.
    virtual void listen(std::int64_t session) = 0;
    enum class ended { no, yes };
    // This process no longer uses the session. `ended`: yes if it has ended the session at the database; no if another
    // process must end it.
    virtual void withdraw(ended how) noexcept = 0;
    // The system reports that the process of this session has certainly ended.
    [[nodiscard]] virtual bool is_gone(std::int64_t session) const = 0;
    // Called in a transaction, whose commit wakes these sessions. A bell may be lost together with its ringer.
    virtual void ring(std::span<const std::int64_t> sessions) = 0;

    // The nonces of all events of this session that it has fetched and whose rows still exist.
    virtual void has_heard(const std::set<std::int64_t>& /*events*/) {}

    enum class woken { by_time, by_caller, by_bell, by_departure };
    // Waits for a bell, until `caller` is readable, or until the time. by_departure: a process may have ended.
    virtual woken wait(int caller, boottime_clock::time_point until) = 0;

protected:
    // This default executes the statement at once.
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
    // begin() calls this to forget answers that were not taken.
    void forget_answers() noexcept { answers_.clear(); }

    std::unordered_map<asked_statement, result_rows> answers_;

private:
    std::uint64_t last_ = 0;
};

}  // namespace turnstile::sql
