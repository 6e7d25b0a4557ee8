// SPDX-License-Identifier: Apache-2.0
// Tests a fenced write to SQLite (docs/how-to/fencing.md): packed tokens must compare as tokens do, and a single
// statement both checks and writes.
#include <gtest/gtest.h>

#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "turnstile/fencing_token.hpp"

namespace turnstile {
namespace {

class fenced_write : public ::testing::Test {
protected:
    fenced_write() {
        sqlite3* opened = nullptr;
        EXPECT_EQ(sqlite3_open(":memory:", &opened), SQLITE_OK);
        database_.reset(opened);
        run("CREATE TABLE t (id INTEGER PRIMARY KEY, value INTEGER, token BLOB NOT NULL)");
        run("INSERT INTO t VALUES (1, 0, x'')");
    }

    struct close {
        void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    using statement = std::unique_ptr<sqlite3_stmt, close>;

    void run(const char* sql) {
        EXPECT_EQ(sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr), SQLITE_OK);
    }
    statement prepare(const char* sql) {
        sqlite3_stmt* prepared = nullptr;
        EXPECT_EQ(sqlite3_prepare_v2(database_.get(), sql, -1, &prepared, nullptr), SQLITE_OK);
        return statement{prepared};
    }
    static void bind(const statement& to, int place, const fencing_token& token) {
        const auto packed = token.pack();
        EXPECT_EQ(
            sqlite3_bind_blob(to.get(), place, packed.data(), packed.size(), SQLITE_TRANSIENT),
            SQLITE_OK);
    }
    // Executes the update. Returns the number of changed rows.
    int write(int value, const fencing_token& token, const char* sql = k_fenced) {
        const auto update = prepare(sql);
        EXPECT_EQ(sqlite3_bind_int(update.get(), 1, value), SQLITE_OK);
        bind(update, 2, token);
        EXPECT_EQ(sqlite3_step(update.get()), SQLITE_DONE);
        return sqlite3_changes(database_.get());
    }
    int value() {
        const auto select = prepare("SELECT value FROM t WHERE id = 1");
        EXPECT_EQ(sqlite3_step(select.get()), SQLITE_ROW);
        return sqlite3_column_int(select.get(), 0);
    }

    static constexpr const char* k_fenced =
        "UPDATE t SET value = ?1, token = ?2 WHERE id = 1 AND token <= ?2";
    static constexpr const char* k_once =
        "UPDATE t SET value = ?1, token = ?2 WHERE id = 1 AND token < ?2";

    std::unique_ptr<sqlite3, close> database_;
};

TEST_F(fenced_write, refuses_an_overtaken_holder) {
    EXPECT_EQ(write(10, fencing_token{0x1'0000'0005}), 1);
    EXPECT_EQ(write(11, fencing_token{0x1'0000'0005}), 1);
    EXPECT_EQ(write(20, fencing_token{0x2'0000'0001}), 1);
    EXPECT_EQ(write(12, fencing_token{0x1'0000'0005}), 0);
    EXPECT_EQ(write(13, fencing_token{0xffff'ffff, 9}), 0);
    EXPECT_EQ(value(), 20);
}

TEST_F(fenced_write, is_once_for_each_hold_where_that_is_wanted) {
    EXPECT_EQ(write(10, fencing_token{5}, k_once), 1);
    EXPECT_EQ(write(11, fencing_token{5}, k_once), 0);
    EXPECT_EQ(write(12, fencing_token{5, 1}, k_once), 1);
    EXPECT_EQ(value(), 12);
}

TEST_F(fenced_write, compares_packed_tokens_as_tokens_compare) {
    base::random chance{20261121};
    std::vector<fencing_token> tokens;
    for (int i = 0; i != 2'000; ++i) {
        // Makes numbers of every length, so that each byte decides some comparisons.
        const auto zxid = chance() >> (chance() % 64);
        tokens.emplace_back(zxid, static_cast<std::uint32_t>(chance() >> (32 + chance() % 32)));
        if (i % 3 == 0) tokens.emplace_back(zxid, static_cast<std::uint32_t>(chance()));
    }
    run("CREATE TABLE tokens (token BLOB)");
    run("BEGIN");
    for (const auto& token : tokens) {
        const auto insert = prepare("INSERT INTO tokens VALUES (?1)");
        bind(insert, 1, token);
        ASSERT_EQ(sqlite3_step(insert.get()), SQLITE_DONE);
    }
    run("COMMIT");
    std::sort(tokens.begin(), tokens.end());
    const auto select = prepare("SELECT token FROM tokens ORDER BY token");
    for (const auto& token : tokens) {
        ASSERT_EQ(sqlite3_step(select.get()), SQLITE_ROW);
        fencing_token::packed packed{};
        ASSERT_EQ(sqlite3_column_bytes(select.get(), 0), static_cast<int>(packed.size()));
        const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(select.get(), 0));
        std::copy(bytes, bytes + packed.size(), packed.begin());
        ASSERT_EQ(fencing_token::unpack(packed), token);
    }
}

}  // namespace
}  // namespace turnstile
