// SPDX-License-Identifier: Apache-2.0
// sqlite_counts: counts this process's statements on SQLite. Uses SQLite's trace on each connection.
//
// Thread safety: any thread may call all functions.
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
    std::atomic<std::int64_t> writes{0};  // transactions that take the file's write lock
    std::atomic<std::int64_t> statements{0};
};

inline sqlite_counts& counted() {
    static sqlite_counts all;
    return all;
}

// Called by SQLite at the beginning of a statement, with the statement's text.
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
    // SQLite requires the type void (*)() for every extension.
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
