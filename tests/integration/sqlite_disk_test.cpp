// SPDX-License-Identifier: Apache-2.0
// SQLite files on a disk that their write-ahead log has filled.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include "small_disk.hpp"
#include "sql_backend.hpp"

namespace turnstile::tests {

namespace {

// Another program's connection.
class other_program {
public:
    explicit other_program(const std::string& file) {
        EXPECT_EQ(::sqlite3_open(file.c_str(), &db_), SQLITE_OK);
    }
    ~other_program() { ::sqlite3_close(db_); }
    other_program(const other_program&) = delete;
    other_program& operator=(const other_program&) = delete;

    void run(const char* text) {
        EXPECT_EQ(::sqlite3_exec(db_, text, nullptr, nullptr, nullptr), SQLITE_OK);
    }

private:
    sqlite3* db_ = nullptr;
};

// Everything that it writes is new to the file, which then has to grow by all that the log has.
void fill_log(guard& hold, const std::string& path) {
    const std::string data(100'000, 'x');
    for (int i = 0;; ++i)
        if (!hold.commit(transaction{}.create(path + "." + std::to_string(i), data),
                         {.timeout = 500ms}))
            return;
}

class sqlite_disk : public ::testing::TestWithParam<const char*> {};

// Of several sizes: the file grows in steps, and the disk may be full right before one.
INSTANTIATE_TEST_SUITE_P(of, sqlite_disk, ::testing::Values("6500k", "7m", "7500k", "8m", "9m"),
                         [](const auto& disk) { return std::string{disk.param}; });

TEST_P(sqlite_disk, that_the_log_has_filled_is_free_again_when_its_reader_goes) {
    const small_disk disk{GetParam()};
    if (!disk.mounted()) GTEST_SKIP() << "this process may not mount";
    const std::string file = disk.file("locks.db");
    const auto servers = connect("sqlite:" + file, database_options(k_for_ever));
    const std::string path = "/of" + std::string{GetParam()};
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    // Its connection stays: SQLite empties the log when the last one is closed.
    other_program other{file};
    other.run("BEGIN; SELECT COUNT(*) FROM turnstile_nodes");
    fill_log(*hold, path);
    disk.fill();
    EXPECT_FALSE(hold->commit(transaction{}.create(path + ".full", std::string(100'000, 'x')),
                              {.timeout = 50ms}));
    other.run("COMMIT");
    EXPECT_TRUE(hold->commit(transaction{}.create(path + ".then", ""), {.timeout = limit()}));
    EXPECT_TRUE(hold->valid());
}

}  // namespace

}  // namespace turnstile::tests
