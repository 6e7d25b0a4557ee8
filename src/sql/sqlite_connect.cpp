// SPDX-License-Identifier: Apache-2.0
// The part of sqlite_database that opens a file and creates Turnstile's tables in the file.
#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "base/process.hpp"
#include "sql/schema.hpp"
#include "sql/sqlite_database.hpp"
#include "sql/sqlite_file.hpp"
#include "support/time_namespace.hpp"

namespace turnstile::sql {
namespace {

constexpr int k_least_version = 3'035'000;  // the first release with RETURNING

// Reads by how much this process's boot clock is ahead of the host's boot clock. Throws if /proc shows the clock
// offsets of this process's children, and not the offsets of this process.
std::chrono::nanoseconds read_ahead_of_host() {
    constexpr const char* k_offsets = "/proc/self/timens_offsets";
    if (support::children_get_other_clocks())
        throw database_error{
            failure::fatal, k_offsets,
            "shows the clocks of this process's children, to which unshare(CLONE_NEWTIME) has "
            "given a time namespace. Open a sqlite: file before that call, or in a child"};
    std::ifstream offsets{k_offsets};
    std::string clock;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    while (offsets >> clock >> seconds >> nanoseconds)
        if (clock == "boottime")
            return std::chrono::seconds{seconds} + std::chrono::nanoseconds{nanoseconds};
    return {};
}

// Returns the difference between this process's boot clock and the host's boot clock. In a time namespace
// (time_namespaces(7)) it is not 0. Processes in different namespaces may use one file.
std::chrono::nanoseconds ahead_of_host() {
    static const auto k_ahead = read_ahead_of_host();
    return k_ahead;
}

void now(sqlite3_context* context, int /*count*/, sqlite3_value** /*values*/) {
    const auto since = boottime_clock::now().time_since_epoch() - ahead_of_host();
    ::sqlite3_result_int64(context,
                           std::chrono::duration_cast<std::chrono::microseconds>(since).count());
}

void wall(sqlite3_context* context, int /*count*/, sqlite3_value** /*values*/) {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    ::sqlite3_result_int64(context,
                           std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

struct numbers_of_table {
    std::string_view name;
    std::string_view key;
    std::array<std::string_view, 10> numbers;  // columns that SQLite's schema declares INTEGER
};
// The numeric columns of Turnstile's tables, without the ids of sessions and events. These ids are row ids, and SQLite
// itself stores only whole numbers in a row id.
constexpr std::array<numbers_of_table, 4> k_numbers_of_tables{{
    {"turnstile_sessions", "id", {"attachment", "lasts", "deadline", "changes"}},
    {"turnstile_nodes",
     "path",
     {"kind", "owner", "czxid", "mzxid", "pzxid", "ctime", "mtime", "version", "creates",
      "children"}},
    {"turnstile_watches", "path", {"kind", "session"}},
    {"turnstile_events", "id", {"session", "kind", "nonce"}},
}};

std::int64_t boot() {
    std::ifstream file{"/proc/sys/kernel/random/boot_id"};
    std::string text;
    std::getline(file, text);
    // FNV-1a, 63 bits: every build of every program gets the same result.
    std::uint64_t hash = 14695981039346656037U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return static_cast<std::int64_t>(hash >> 1U);
}

}  // namespace

void sqlite_database::connect() {
    disconnect();
    patience_.begin();
    check_process();
    if (::sqlite3_libversion_number() < k_least_version)
        throw database_error{failure::fatal, fmt::format("SQLite is {}; 3.35 or later is needed",
                                                         ::sqlite3_libversion())};
    check_clock_offset_is_known();
    static_cast<void>(ahead_of_host());  // throws here, and not in a function that SQLite calls
    const std::string file = prepare_sqlite_file(settings_.path);
    const int how = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int code = ::sqlite3_open_v2(file.c_str(), &db_, how, nullptr);
    if ((code & 0xff) == SQLITE_CANTOPEN)
        throw database_error{
            failure::fatal, settings_.path,
            "cannot be opened: " + std::generic_category().message(::sqlite3_system_errno(db_))};
    check(code, "open");
    rights_ = check_single_name(file);
    ::sqlite3_extended_result_codes(db_, 1);
    ::sqlite3_busy_handler(db_, wait_for_turn, this);
    prepare_file();
}

// Throws in a child of fork(). SQLite remembers in memory which locks its process has on a file. The child inherits
// this memory, but not the locks.
void sqlite_database::check_process() {
    static const auto k_first = base::process_generation();
    if (base::process_generation() != k_first)
        throw database_error{failure::fatal,
                             "this process opened a SQLite file before fork(), so the child can "
                             "open a SQLite file only after exec"};
}

void sqlite_database::prepare_file() {
    const auto function = [this](const char* name,
                                 void (*body)(sqlite3_context*, int, sqlite3_value**)) {
        check(::sqlite3_create_function_v2(db_, name, 0, SQLITE_UTF8, nullptr, body, nullptr,
                                           nullptr, nullptr),
              name);
    };
    function("turnstile_now", now);
    function("turnstile_wall", wall);
    // SQLite does not call the busy handler when it changes the journal mode, to avoid a deadlock. So this loop calls
    // the handler.
    constexpr const char* k_write_ahead = "PRAGMA journal_mode = WAL";
    int code = SQLITE_BUSY;
    for (int tries = 0; (code & 0xff) == SQLITE_BUSY; ++tries) {
        code = ::sqlite3_exec(db_, k_write_ahead, nullptr, nullptr, nullptr);
        if ((code & 0xff) == SQLITE_BUSY && wait_for_turn(this, tries) == 0) break;
    }
    check(code, k_write_ahead);
    const result_rows mode = run("PRAGMA journal_mode");
    if (mode.rows.empty() || mode.rows.front().front() != "wal")
        throw database_error{failure::fatal, settings_.path,
                             "SQLite cannot keep a write-ahead log for this file"};
    run("PRAGMA synchronous = FULL");
    log_.attach(db_);
    // Keeps SQLite's statement journals in memory, in small pieces. Without this setting, each statement would need 64
    // KiB.
    run("PRAGMA temp_store = MEMORY");
    const auto in_transaction = [this](const auto& work) {
        begin(access::write);
        try {
            work();
        } catch (...) {
            rollback();
            throw;
        }
        commit({});
    };
    in_transaction([this] { make_tables(); });
    open_session_files();
    in_transaction([this] {
        remove_malformed_rows();
        end_sessions_of_another_boot();
        raise_numbers();
    });
    log_file_ = log_in_place();  // the first transaction has created or found the log
}

void sqlite_database::open_session_files() {
    if (files_) return;
    if (const auto danger = danger_of_rights(rights_); !danger.empty())
        log::write(log_level::warning, "{}: {}", settings_.path, danger);
    try {
        files_.emplace(std::string{::sqlite3_db_filename(db_, "main")} + "-sessions", rights_,
                       settings_.guardian);
    } catch (const std::system_error& e) {
        throw database_error{failure::fatal, "cannot make the folder of the sessions", e.what()};
    }
}

// If several processes start at once, one of them creates the tables.
void sqlite_database::make_tables() {
    const result_rows there =
        run("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'turnstile_meta'");
    if (there.rows.empty())
        check(::sqlite3_exec(db_, k_sqlite_tables, nullptr, nullptr, nullptr), "make the tables");
    const result_rows version =
        run("SELECT CAST(value AS INTEGER) FROM turnstile_meta WHERE name = 'schema'");
    check_version(settings_.path,
                  version.rows.empty() ? 0 : to_integer(version.rows.front().front()));
}

// Removes and logs each row that has a text in a numeric column, which SQLite permits. Every statement that reads such
// a row fails. So the row would suspend every client, or block a lock for ever.
void sqlite_database::remove_malformed_rows() {
    run("UPDATE turnstile_meta SET value = CAST(value AS INTEGER) WHERE typeof(value) <> "
        "'integer'");
    for (const auto& table : k_numbers_of_tables) {
        std::string malformed;
        for (const auto column : table.numbers)
            if (!column.empty())
                malformed += fmt::format("{}typeof({}) <> 'integer'",
                                         malformed.empty() ? "" : " OR ", column);
        for (const row& r : run(fmt::format("DELETE FROM {0} WHERE {1} RETURNING {2}", table.name,
                                            malformed, table.key))
                                .rows)
            log::write(
                log_level::error,
                "{}: the client removed the row '{}' of {}, because a column of whole numbers "
                "has a value of another type. Only Turnstile may write into its tables",
                settings_.path, r.front(), table.name);
    }
}

// Ends the sessions of an earlier boot: their deadlines are times of a clock that has restarted. A session whose
// process lives belongs to this boot, even if the boot id differs, as it may in a container.
void sqlite_database::end_sessions_of_another_boot() {
    const auto changed =
        run("UPDATE turnstile_meta SET value = ?1 WHERE name = 'boot' AND value <> ?1", {boot()});
    if (changed.affected == 0) return;
    for (const row& session : run("SELECT id FROM turnstile_sessions").rows)
        if (const auto id = to_integer(session.front()); !files_->is_alive(id))
            run("UPDATE turnstile_sessions SET deadline = 0 WHERE id = ?1", {id});
}

// Makes all later transaction numbers larger than the wall clock's time in microseconds. Otherwise, after a restore of
// the file from a copy, transactions would get earlier numbers again. The statement never decreases the number.
void sqlite_database::raise_numbers() {
    run("UPDATE turnstile_meta SET value = max(value, 1000 * turnstile_wall()) "
        "WHERE name = 'number'");
}

}  // namespace turnstile::sql
