// SPDX-License-Identifier: Apache-2.0
// postgresql_database: a session's connection to PostgreSQL, through libpq.
//
// A write transaction is READ COMMITTED: each statement sees all transactions that were committed before it. A read
// transaction is REPEATABLE READ: all statements see one snapshot.
//
// To lock a path, a transaction takes an advisory lock. So a path without a znode can be locked, and the server writes
// no row. The path's hash selects one of k_stripes lock numbers (stripes.hpp), so that many paths cannot fill the
// server's lock table. Two paths may share a number; their transactions may then wait for each other without need.
//
// A transaction uses libpq's pipeline. The client collects the statements of ask() and post(), and sends them with the
// next statement that it waits for, or with the commit. After a failed statement, the server skips the rest of the
// pipeline, and COMMIT rolls back.
//
// NOTIFY wakes a session: each session listens on a separate channel, and PostgreSQL sends the message when the writer
// commits.
//
// Thread safety: one thread at a time.
#pragma once

#include "sql/database.hpp"
#include "sql/patience.hpp"
#include "sql/postgresql_link.hpp"
#include "sql/postgresql_pipeline.hpp"

namespace turnstile::sql {

class postgresql_database final : public database {
public:
    explicit postgresql_database(postgresql_settings settings);

    void connect() override;
    // Connects to the server. Returns true if acknowledged commits survive a crash of the machine (the setting fsync is
    // on).
    [[nodiscard]] bool keeps_commits();
    void disconnect() noexcept override;
    void begin(access how) override;
    void commit(std::span<const std::int64_t> to_wake) override;
    bool rollback() noexcept override;
    result_rows execute(const std::string& statement, std::span<const value> arguments) override;

    [[nodiscard]] const phrases& words() const noexcept override;

    void lock(std::span<const std::string> paths, lock_mode mode) override;
    // Sends one statement, which updates the session's row, locks the paths, and takes a transaction number.
    asked_start ask_to_start(const std::string& assignments, const std::string& condition,
                             const std::string& answer, std::initializer_list<value> arguments,
                             std::span<const std::string> paths) override;
    asked_statement ask_number() override { return ask("SELECT nextval('turnstile_number')"); }
    result_rows answer(asked_statement which) override;

    void listen(std::int64_t session) override;
    woken wait(int caller, boottime_clock::time_point until) override;

protected:
    asked_statement begin_asking(const std::string& statement,
                                 std::span<const value> arguments) override;
    void begin_posting(const std::string& statement, std::span<const value> arguments) override;

private:
    void check_server();
    void make_tables();

    const postgresql_settings settings_;
    patience patience_;
    postgresql_link link_;
    postgresql_pipeline pipeline_;
};

}  // namespace turnstile::sql
