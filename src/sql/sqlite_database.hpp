// SPDX-License-Identifier: Apache-2.0
// sqlite_database: a session's connection to a SQLite file.
//
// A write transaction locks the whole file at its start (BEGIN IMMEDIATE), so lock() does nothing. With the write-ahead
// log, readers and a writer do not wait for each other. A commit is on the disk when SQLite returns from it
// (synchronous = FULL).
//
// Deadlines are times of the host's boot clock, which all its processes share and no program can set. A reboot restarts
// this clock and ends all sessions.
//
// Thread safety: one thread at a time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "sql/database.hpp"
#include "sql/patience.hpp"
#include "sql/session_files.hpp"
#include "sql/sqlite_bell.hpp"
#include "sql/sqlite_log.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace turnstile::sql {

struct sqlite_settings {
    std::string path;
    // The time limit for a transaction's wait for the file's write lock.
    std::chrono::milliseconds patience{};
    std::shared_ptr<closing_signal> closing;              // ends such a wait at once
    std::shared_ptr<guardian::guardian_link> guardian{};  // null: none
};

class sqlite_database final : public database {
public:
    explicit sqlite_database(sqlite_settings settings);
    ~sqlite_database() override { sqlite_database::disconnect(); }
    sqlite_database(const sqlite_database&) = delete;
    sqlite_database& operator=(const sqlite_database&) = delete;

    void connect() override;
    void disconnect() noexcept override;
    void begin(access how) override;
    void commit(std::span<const std::int64_t> to_wake) override;
    bool rollback() noexcept override;
    result_rows execute(const std::string& statement, std::span<const value> arguments) override;

    [[nodiscard]] const phrases& words() const noexcept override;

    void lock(std::span<const std::string> /*paths*/, lock_mode /*mode*/) override {}
    asked_statement ask_number() override;

    void announce(std::int64_t session) override;
    void listen(std::int64_t session) override;
    void withdraw(ended how) noexcept override;
    [[nodiscard]] bool is_gone(std::int64_t session) const override;
    woken wait(int caller, boottime_clock::time_point until) override;

private:
    static void check_process();
    void check_in_place();
    void check_contents();
    [[nodiscard]] std::optional<std::pair<dev_t, ino_t>> log_in_place() const;
    void prepare_file();
    void make_tables();
    void open_session_files();
    void remove_malformed_rows();
    void end_sessions_of_another_boot();
    void raise_numbers();
    void check(int code, const char* doing);
    [[nodiscard]] std::string make_room();
    [[nodiscard]] sqlite3_stmt* statement_of(const std::string& text);
    static int wait_for_turn(void* self, int tries) noexcept;

    const sqlite_settings settings_;
    patience patience_;
    sqlite3* db_ = nullptr;
    std::unordered_map<std::string, sqlite3_stmt*> statements_;
    sqlite_log log_;
    std::optional<std::pair<dev_t, ino_t>> log_file_;  // the log that this connection uses
    mode_t rights_ = 0;                                // the rights of the file
    std::int64_t taken_number_ = 0;                    // the number that this transaction has taken
    std::int64_t last_number_ = 0;                     // the largest committed number seen
    std::optional<session_files> files_;
    sqlite_bell bell_;
};

}  // namespace turnstile::sql
