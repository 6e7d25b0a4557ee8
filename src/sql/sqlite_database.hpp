// SPDX-License-Identifier: Apache-2.0
// sqlite_database: a session's connection to a SQLite file.
//
// A write transaction locks the whole file at its start (BEGIN IMMEDIATE), so `lock` does nothing. The file has a
// write-ahead log, so readers and a writer do not wait for each other. A commit is on the disk when SQLite returns from
// it (synchronous = FULL).
//
// Deadlines are times of the system's boot clock, which all processes of the host share and no program can set. A
// reboot of the system restarts the clock and ends all sessions.
//
// Thread safety: one thread at a time.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/wake_up.hpp"
#include "sql/database.hpp"
#include "sql/file_bells.hpp"
#include "sql/session_files.hpp"
#include "sql/sqlite_log.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace turnstile::sql {

struct sqlite_settings {
    std::string path;
    // The longest time for which a transaction waits for the file's write lock.
    std::chrono::milliseconds patience{};
    // If this function returns true, the wait ends early.
    std::function<bool()> give_up;
    std::shared_ptr<guardian::link> guardian{};  // null: none
};

class sqlite_database final : public database {
public:
    explicit sqlite_database(sqlite_settings settings);
    ~sqlite_database() override;
    sqlite_database(const sqlite_database&) = delete;
    sqlite_database& operator=(const sqlite_database&) = delete;

    void connect() override;
    void disconnect() noexcept override;
    void begin(access how) override;
    void commit() override;
    bool rollback() noexcept override;
    result_rows execute(const std::string& statement, std::span<const value> arguments) override;

    [[nodiscard]] const phrases& words() const noexcept override;
    [[nodiscard]] value list_of(std::span<const std::string> items) const override;
    [[nodiscard]] value list_of(std::span<const std::int64_t> items) const override;
    [[nodiscard]] std::size_t longest_path() const noexcept override;

    void lock(std::span<const std::string> /*paths*/, lock_mode /*mode*/) override {}
    std::int64_t next_number() override;

    void announce(std::int64_t session) override;
    void listen(std::int64_t session) override;
    void withdraw(ended how) noexcept override;
    [[nodiscard]] bool is_gone(std::int64_t session) const override;
    void ring(std::span<const std::int64_t> sessions) override;
    woken wait(int caller, boottime_clock::time_point until) override;

private:
    static void check_process();
    void check_in_place();
    void check_contents();
    [[nodiscard]] std::optional<std::pair<dev_t, ino_t>> log_in_place() const;
    void prepare_file();
    void make_tables();
    void open_session_files();
    void repair_tables();
    void remove_malformed_rows();
    void end_sessions_of_another_boot();
    void raise_numbers();
    void check(int code, const char* doing);
    [[nodiscard]] std::string make_room();
    [[nodiscard]] sqlite3_stmt* statement_of(const std::string& text);
    void stop_listening() noexcept;
    static int wait_for_turn(void* self, int tries) noexcept;

    const sqlite_settings settings_;
    sqlite3* db_ = nullptr;
    std::unordered_map<std::string, sqlite3_stmt*> statements_;
    sqlite_log log_;
    std::optional<std::pair<dev_t, ino_t>> log_file_;  // the log that this connection uses
    mode_t rights_ = 0;                                // the rights of the file
    std::int64_t taken_number_ = 0;                    // the number that this transaction has taken
    std::int64_t last_number_ = 0;                     // the largest committed number seen
    std::optional<session_files> files_;
    boottime_clock::time_point patient_until_{};
    std::vector<std::int64_t> to_ring_;

    base::wake_up bell_;
    std::atomic<bool> departure_{false};
    std::atomic<bool> renamed_{false};  // a name on the way to the file, or its rights, changed
    std::shared_ptr<file_bells> bells_;
    std::vector<file_bells::token> heard_;
};

}  // namespace turnstile::sql
