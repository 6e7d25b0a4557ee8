// SPDX-License-Identifier: Apache-2.0
// sqlite_counts: what this process asks of SQLite, counted by SQLite's own trace on each connection that is opened.
//
// Thread safety: from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol.hpp"

#ifdef TURNSTILE_BENCH_COUNTS_SQLITE
#include <sqlite3.h>
#endif

namespace bench {

#ifdef TURNSTILE_BENCH_COUNTS_SQLITE

struct sqlite_counts {
    std::atomic<std::int64_t> transactions{0};
    std::atomic<std::int64_t> writes{0};  // of them: those that take the file's write lock
    std::atomic<std::int64_t> statements{0};
};

inline sqlite_counts& counted() {
    static sqlite_counts all;
    return all;
}

// A statement begins. SQLite gives its text.
inline int count_statement(unsigned /*what*/, void* /*unused*/, void* /*statement*/, void* text) {
    const std::string_view begun{static_cast<const char*>(text)};
    ++counted().statements;
    if (begun.starts_with("BEGIN")) ++counted().transactions;
    if (begun.starts_with("BEGIN IMMEDIATE")) ++counted().writes;
    return 0;
}

inline int trace_connection(sqlite3* db, char** /*message*/, const void* /*functions*/) {
    return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, count_statement, nullptr);
}

inline void count_sqlite() {
    // The type that SQLite wants for whatever extension there is.
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(trace_connection));
}

inline void add_sqlite_counts(commands& known) {
    known.emplace("counts", [](const arguments&) {
        const auto& all = counted();
        return "transactions=" + std::to_string(all.transactions) +
               " writes=" + std::to_string(all.writes) +
               " statements=" + std::to_string(all.statements);
    });
}

#else

inline void count_sqlite() {}
inline void add_sqlite_counts(commands& /*known*/) {}

#endif

}  // namespace bench
