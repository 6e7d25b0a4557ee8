// SPDX-License-Identifier: Apache-2.0
// postgresql_database: a session's connection to PostgreSQL, by libpq.
//
// All calls of libpq that wait are its asynchronous ones: a server that does not answer is given up after `patience`, and
// close() ends a wait at once. A write transaction is READ COMMITTED, each of its statements sees what was committed
// before it; a read is REPEATABLE READ, one snapshot.
//
// Paths are locked by advisory locks of the transaction, so a path can be locked on which there is no node, and no row
// is written for it. They are of one of k_stripes numbers, by a hash of the path: paths that share a number wait for
// each other without need, and the server's lock table is not used up by many.
//
// Sessions are woken by NOTIFY, which PostgreSQL sends with the commit, on one channel for each session.
//
// Thread safety: one thread at a time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>

#include "sql/database.hpp"

struct pg_conn;
struct pg_result;

namespace turnstile::sql {

struct closing_signal;

struct postgresql_settings {
    std::string uri;   // libpq's
    std::string name;  // for people, without a password
    std::chrono::milliseconds patience{};
    std::shared_ptr<closing_signal> closing;
};

class postgresql_database final : public database {
public:
    explicit postgresql_database(postgresql_settings settings);
    ~postgresql_database() override;
    postgresql_database(const postgresql_database&) = delete;
    postgresql_database& operator=(const postgresql_database&) = delete;

    void connect() override;
    void disconnect() noexcept override;
    void begin(access how) override;
    void commit() override;
    void rollback() noexcept override;
    result_rows execute(const std::string& statement, std::span<const value> arguments) override;

    [[nodiscard]] const phrases& words() const noexcept override;
    [[nodiscard]] value list_of(std::span<const std::string> items) const override;
    [[nodiscard]] value list_of(std::span<const std::int64_t> items) const override;
    [[nodiscard]] std::size_t longest_path() const noexcept override;

    void lock(std::span<const std::string> paths, lock_mode mode) override;
    std::int64_t next_number() override;

    void announce(std::int64_t /*session*/) override {}
    void listen(std::int64_t session) override;
    void withdraw(ended /*how*/) noexcept override {}
    [[nodiscard]] bool is_gone(std::int64_t /*session*/) const override { return false; }
    void ring(std::span<const std::int64_t> sessions) override;
    woken wait(int caller, boottime_clock::time_point until) override;

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

    // ---- postgresql_database.cpp ----
    // Of several statements the last one's. Throws database_error for one that failed.
    owned_result run_text(const std::string& text);
    void send_prepared(const std::string& statement, std::span<const value> arguments);
    owned_result await_result();
    // Waits until the socket can be read (or written), as long as `until`, and no longer than close() allows.
    void await_socket(short events, boottime_clock::time_point until);
    [[noreturn]] void fail(const pg_result* r) const;
    [[noreturn]] void lose(const std::string& why) const;
    [[nodiscard]] const std::string& prepare(const std::string& statement);

    const postgresql_settings settings_;
    pg_conn* connection_ = nullptr;
    std::unordered_map<std::string, std::string> prepared_;
    boottime_clock::time_point patient_until_{};
    bool closing_seen_ = false;
};

}  // namespace turnstile::sql
