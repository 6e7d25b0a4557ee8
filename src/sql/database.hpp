// SPDX-License-Identifier: Apache-2.0
// database: one session's connection to a database, as far as the store needs it. SQLite's is in sqlite_database.hpp,
// PostgreSQL's in postgresql_database.hpp, MariaDB's in mariadb_database.hpp.
//
//     db.begin(access::write);
//     db.lock({"/orders"}, lock_mode::exclusive);
//     for (const row& r : db.run("SELECT path FROM turnstile_nodes WHERE parent = ?1", {"/orders"}).rows) ...
//     db.commit();
//
// What need not be answered before the next statement is asked or posted, not run: a database behind a network gets these
// together with the statement that is waited for, or with the commit, and a transaction is two trips in place of twelve.
//
// Statements are written for all databases; what differs stands in `phrases`. Parameters are ?1, ?2 ... All that a
// statement answers is text, integers in decimal digits and bytes as they are.
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
    retry,  // the transaction met another one, or a row with a key of its own, and was rolled back: begin it again
    row_held,  // a row that was to be removed is held by a transaction of the user's own (turnstile/sql.hpp)
    lost,     // no connection, or one that does not answer
    refused,  // the credentials
    fatal,    // goes on until an operator changes something
    too_old,  // the same, and what has to be changed is the server's release
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

// What the databases say differently.
struct phrases {
    std::string now;   // microseconds by the clock that sessions end by, an expression
    std::string wall;  // milliseconds since 1970
    std::string
        listed;  // before a table of which rows are looked up by the list ?1, see database::list_of
    std::string among;          // behind its column of text: it is in the list
    std::string among_numbers;  // the same for numbers
    std::string
        keep_session;  // behind a SELECT: the row is not removed before the transaction ends
    std::string
        claim_session;        // the row is this transaction's, or is left out while it is another's
    std::string claim_own;    // the same, but it is waited for
    std::string remove_node;  // at the path ?1; `row_held` if another transaction has its row
    // Behind it, where a statement that was ended may say that it was carried out: fails with `retry` if no row was
    // removed.
    std::string was_removed{};
    std::string inserting;  // before an INSERT of a node: the same, of what it would wait for
    std::string or_stays;   // behind an INSERT: a row that is there stays as it is
};

// A statement that was asked, until its rows are taken.
enum class asked_statement : std::uint64_t {};

// read: a snapshot. write: sees what was committed before each statement.
enum class access { read, write };
enum class lock_mode { shared, exclusive };

class database {
public:
    virtual ~database() = default;

    // Connects, and makes the tables where there are none.
    virtual void connect() = 0;
    virtual void disconnect() noexcept = 0;

    virtual void begin(access how) = 0;
    // After `lost` it may have been carried out or not, or may yet be; after any other failure it was not.
    virtual void commit() = 0;
    // False: the connection is gone with it.
    virtual bool rollback() noexcept = 0;
    virtual result_rows execute(const std::string& statement, std::span<const value> arguments) = 0;
    result_rows run(const std::string& statement, std::initializer_list<value> arguments = {}) {
        return execute(statement, std::span{arguments.begin(), arguments.size()});
    }

    // ---- statements that are not waited for ----
    // Carried out in their order, with those that are run. One that fails is told by a later call, at the latest by
    // commit(), and nothing behind it is carried out.
    asked_statement ask(const std::string& statement, std::initializer_list<value> arguments = {}) {
        return begin_asking(statement, std::span{arguments.begin(), arguments.size()});
    }
    // Its rows are not asked for.
    void post(const std::string& statement, std::initializer_list<value> arguments = {}) {
        begin_posting(statement, std::span{arguments.begin(), arguments.size()});
    }
    // Also behind the commit. Once for each that was asked in this transaction.
    virtual result_rows answer(asked_statement which);

    // UPDATE of a session's row, then a SELECT of `answer`, an expression over that row which gives a number. No row: there
    // is no such session.
    virtual asked_statement ask_to_update_session(const std::string& assignments,
                                                  const std::string& condition,
                                                  const std::string& answer,
                                                  std::initializer_list<value> arguments);

    // How a write starts, in this order: the row of its session is updated, as above; the paths are locked exclusively; a
    // number is taken.
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
    // None: there is no such session.
    [[nodiscard]] std::optional<start> started(const asked_start& asked);

    [[nodiscard]] virtual const phrases& words() const noexcept = 0;
    [[nodiscard]] virtual value list_of(std::span<const std::string> items) const = 0;
    [[nodiscard]] virtual value list_of(std::span<const std::int64_t> items) const = 0;
    // Longer ones cannot be kept.
    [[nodiscard]] virtual std::size_t longest_path() const noexcept = 0;

    // No other transaction has an exclusive lock on one of these paths at the same time until this one ends; if
    // `exclusive`, no shared one either. Whether there are nodes there does not matter. Once in a transaction.
    virtual void lock(std::span<const std::string> paths, lock_mode mode) = 0;
    // Larger than what any transaction got that has ended, or had one of the same exclusive locks before.
    virtual std::int64_t next_number() = 0;
    // The same, one cell of one row.
    virtual asked_statement ask_number() { return keep({{{std::to_string(next_number())}}, 0}); }

    // ---- what wakes a session ----
    // In the transaction that opens the session: it is known to live from its commit on.
    virtual void announce(std::int64_t session) = 0;
    // After each attach: bells are heard from now on.
    virtual void listen(std::int64_t session) = 0;
    enum class ended { no, yes };
    // This process has done with the session, which was ended at the database, or is to be ended by others.
    virtual void withdraw(ended how) noexcept = 0;
    // The process that had this session is gone for certain, says the system.
    [[nodiscard]] virtual bool is_gone(std::int64_t session) const = 0;
    // In a transaction: these sessions are woken when it is committed. A bell may be lost with its ringer.
    virtual void ring(std::span<const std::int64_t> sessions) = 0;

    // The nonces of all events of its own that the session has fetched and whose rows are still there.
    virtual void has_heard(const std::set<std::int64_t>& /*events*/) {}

    enum class woken { by_time, by_caller, by_bell, by_departure };
    // Until a bell, `caller` is readable, or the time has come. by_departure: a process may have gone.
    virtual woken wait(int caller, boottime_clock::time_point until) = 0;

protected:
    // Carry it out at once, unless a database does better.
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
    // For begin(): those that were not taken.
    void forget_answers() noexcept { answers_.clear(); }

    std::unordered_map<asked_statement, result_rows> answers_;

private:
    std::uint64_t last_ = 0;
};

}  // namespace turnstile::sql
