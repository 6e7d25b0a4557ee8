// SPDX-License-Identifier: Apache-2.0
// postgresql_database: a session's connection to PostgreSQL, through libpq.
//
// All waits use libpq's asynchronous calls. So the session gives up a server that does not answer within `patience`,
// and close() ends a wait at once. A write transaction is READ COMMITTED: each of its statements sees all transactions
// that were committed before it. A read is REPEATABLE READ: all statements see one snapshot.
//
// To lock a path, a transaction takes an advisory lock. So a path without a znode can be locked, and the server writes
// no row for the lock. The number of the lock is one of k_stripes numbers (stripes.hpp). So many locked paths do not
// use up the server's lock table, but transactions whose paths share a number may wait for each other without need.
//
// A transaction uses libpq's pipeline. Asked and posted statements are sent with the next statement that the caller
// waits for, or with the commit. After a failed statement, the server discards the rest of what was sent together. The
// commit of a failed transaction rolls it back.
//
// NOTIFY wakes a session. Each session has a channel, on which PostgreSQL sends the message at the commit.
//
// Thread safety: one thread at a time.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/latest_failure.hpp"
#include "sql/closing_signal.hpp"
#include "sql/database.hpp"

struct pg_conn;
struct pg_result;

namespace turnstile::sql {

struct postgresql_settings {
    std::string uri;   // in libpq's form
    std::string name;  // for messages, without a password
    std::chrono::milliseconds patience{};
    std::shared_ptr<closing_signal> closing;
    std::string lacking_without_fsync{};  // required promises that a server without fsync lacks
    std::shared_ptr<base::latest_failure> failures = std::make_shared<base::latest_failure>();
};

class postgresql_database final : public database {
public:
    explicit postgresql_database(postgresql_settings settings);
    ~postgresql_database() override;
    postgresql_database(const postgresql_database&) = delete;
    postgresql_database& operator=(const postgresql_database&) = delete;

    void connect() override;
    // Connects to the server. Returns true if acknowledged commits survive a crash of the machine (fsync is on).
    [[nodiscard]] bool keeps_commits();
    void disconnect() noexcept override;
    void begin(access how) override;
    void commit() override;
    bool rollback() noexcept override;
    result_rows execute(const std::string& statement, std::span<const value> arguments) override;

    [[nodiscard]] const phrases& words() const noexcept override;
    [[nodiscard]] value list_of(std::span<const std::string> items) const override;
    [[nodiscard]] value list_of(std::span<const std::int64_t> items) const override;
    [[nodiscard]] std::size_t longest_path() const noexcept override;

    void lock(std::span<const std::string> paths, lock_mode mode) override;
    // Sends the three steps of the start as one statement.
    asked_start ask_to_start(const std::string& assignments, const std::string& condition,
                             const std::string& answer, std::initializer_list<value> arguments,
                             std::span<const std::string> paths) override;
    std::int64_t next_number() override { return to_integer(answer(ask_number()).rows[0][0]); }
    asked_statement ask_number() override { return ask("SELECT nextval('turnstile_number')"); }
    result_rows answer(asked_statement which) override;

    void announce(std::int64_t /*session*/) override {}
    void listen(std::int64_t session) override;
    void withdraw(ended /*how*/) noexcept override {}
    [[nodiscard]] bool is_gone(std::int64_t /*session*/) const override { return false; }
    void ring(std::span<const std::int64_t> sessions) override;
    woken wait(int caller, boottime_clock::time_point until) override;

protected:
    asked_statement begin_asking(const std::string& statement,
                                 std::span<const value> arguments) override;
    void begin_posting(const std::string& statement, std::span<const value> arguments) override;

private:
    struct result_end {
        void operator()(pg_result* r) const noexcept;
    };
    using owned_result = std::unique_ptr<pg_result, result_end>;

    // ---- postgresql_connect.cpp ----
    void open_connection();
    void check_server();
    void make_tables();
    [[noreturn]] void fail_to_connect(const std::string& why) const;

    // ---- postgresql_pool.cpp ----
    // `process`: the number that the server process reports for itself. Throws database_error if other clients use the
    // process too.
    void check_pool(const std::string& process);

    // ---- postgresql_pipeline.cpp ----
    // A statement that was sent and has no answer yet.
    struct awaited {
        // sync: libpq's message that ends the statements of one round trip.
        enum class purpose { preparation, statement, commit, sync } kind = purpose::statement;
        std::string text;                      // preparation: the text of the prepared statement
        std::optional<asked_statement> asker;  // statement: the identity for answer()
    };
    void send(const std::string& statement, std::span<const value> arguments, awaited&& expected);
    [[nodiscard]] const std::string& prepare(const std::string& statement);
    void require_transaction() const;
    // Takes the answer to the first statement of `awaited_`.
    void take_next();
    void take(const awaited& answered, const pg_result* r);
    void sync_pipeline();
    void take_sync();
    // Ends the pipeline. Discards a failure and all answers after it.
    void end_pipeline();
    void abandon_pipeline();
    void flush();
    [[nodiscard]] owned_result next_result();

    // ---- postgresql_database.cpp ----
    // Runs statements outside a transaction of begin(). Returns the result of the last statement. Throws database_error
    // if a statement fails.
    owned_result run_text(const std::string& text);
    owned_result await_result();
    void begin_patience();
    // Waits until the socket is readable or writable, up to `until`, or as long as close() allows.
    void await_socket(short events, boottime_clock::time_point until);
    [[noreturn]] void fail(const pg_result* r);
    [[noreturn]] void lose(const std::string& why) const;
    const postgresql_settings settings_;
    pg_conn* connection_ = nullptr;
    std::unordered_map<std::string, std::string> prepared_;
    std::uint64_t names_ = 0;       // number of prepared statements so far
    bool has_own_process_ = false;  // behind a pool: check_pool() has proved it
    bool in_pipeline_ = false;
    bool ending_ = false;  // the end of the pipeline has been sent
    std::deque<awaited> awaited_;
    boottime_clock::time_point patient_until_{};
    std::optional<boottime_clock::time_point> closing_until_;  // the limit that close() has set
    std::size_t first_host_ = 0;  // index of the host with which the next attempt begins
};

}  // namespace turnstile::sql
