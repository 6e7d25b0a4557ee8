// SPDX-License-Identifier: Apache-2.0
// Tests SQLite files when the write-ahead log has filled the disk.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <atomic>
#include <filesystem>

#include "small_disk.hpp"
#include "sql_backend.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {

namespace {

// A connection of another program.
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

// Fills the write-ahead log with new data, so that the next checkpoint must enlarge the database file.
void fill_log(guard& hold, const std::string& path) {
    const std::string data(100'000, 'x');
    for (int i = 0;; ++i)
        if (!hold.commit(transaction{}.create(path + "." + std::to_string(i), data),
                         {.timeout = 500ms}))
            return;
}

class sqlite_disk : public ::testing::TestWithParam<const char*> {};

// The file grows in steps. With one of these sizes, the disk becomes full just before a step.
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
    // SQLite empties the log when the last connection closes. This open connection prevents that.
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

// The new connection's first statement finds no space.
TEST(sqlite_room, is_missing_for_a_new_file) {
    const small_disk disk{"8m"};
    if (!disk.mounted()) GTEST_SKIP() << "this process may not mount";
    disk.fill();
    client servers{"sqlite:" + disk.file("locks.db"), database_options(k_for_ever)};
    const auto refused = servers.wait_connected(500ms);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(), ::testing::HasSubstr("disk is full"));
    disk.empty();
    EXPECT_TRUE(servers.wait_connected(limit()));
}

TEST(sqlite_read_only_disk, is_named_as_the_cause) {
    const small_disk disk{"4m"};
    if (!disk.mounted()) GTEST_SKIP() << "this process may not mount";
    ASSERT_EQ(::mount("none", disk.folder().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
    const client servers{"sqlite:" + disk.file("locks.db"), database_options()};
    mutex lock{servers, "/first"};
    EXPECT_TRUE(eventually([&] {
        const auto refused = lock.acquire({.timeout = 100ms});
        return !refused &&
               refused.error().message().find("Read-only file system") != std::string::npos;
    }));
}

// Counts the writes of one byte that SQLite makes in this process.
class single_bytes {
public:
    single_bytes() : vfs_{::sqlite3_vfs_find(nullptr)} {
        k_written = 0;
        k_original = reinterpret_cast<write_call>(vfs_->xGetSystemCall(vfs_, k_name));
        set(reinterpret_cast<sqlite3_syscall_ptr>(&counted));
    }
    ~single_bytes() { set(nullptr); }  // restores the original
    single_bytes(const single_bytes&) = delete;
    single_bytes& operator=(const single_bytes&) = delete;

    [[nodiscard]] static int written() { return k_written; }

private:
    using write_call = ssize_t (*)(int, const void*, size_t, off_t);

    static ssize_t counted(int file, const void* data, size_t size, off_t at) {
        if (size == 1) ++k_written;
        return k_original(file, data, size, at);
    }
    void set(sqlite3_syscall_ptr call) { vfs_->xSetSystemCall(vfs_, k_name, call); }

    static constexpr const char* k_name = "pwrite64";
    static inline std::atomic<int> k_written = 0;
    static inline write_call k_original = nullptr;
    sqlite3_vfs* vfs_;
};

// The library must reserve disk space without writes of one byte: after a stop of the process, such a write could
// overwrite newer data (sqlite_log.cpp). The test writes too little for a checkpoint, which may write one byte.
TEST(sqlite_room, is_made_without_a_byte_in_the_file) {
    const turnstile::testing::temporary_folder folder;
    const std::string file = folder.path() / "locks.db";
    // SQLite makes writes of one byte when it enlarges its shared memory. The first client causes these writes before
    // the test begins to count.
    const auto first = connect("sqlite:" + file, database_options(k_for_ever));
    const auto length = std::filesystem::file_size(file);
    const single_bytes writes;
    const auto servers = connect("sqlite:" + file, database_options(k_for_ever));
    mutex lock{*servers, "/room"};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const std::string data(200'000, 'x');
    for (int i = 0; i != 14; ++i) {
        const auto written = hold->commit(transaction{}.create("/room." + std::to_string(i), data),
                                          {.timeout = limit()});
        ASSERT_TRUE(written) << written.error().message();
    }
    EXPECT_EQ(single_bytes::written(), 0);
    EXPECT_GT(std::filesystem::file_size(file), length);
}

int open_files_below(const std::filesystem::path& folder) {
    int count = 0;
    for (const auto& each : std::filesystem::directory_iterator{"/proc/self/fd"}) {
        std::error_code failed;
        if (std::filesystem::read_symlink(each, failed).string().starts_with(folder.string()))
            ++count;
    }
    return count;
}

// The library keeps a descriptor of each database file, because closing it would release SQLite's locks on the file.
// The library must close the descriptors of deleted files, so that their disk space becomes free.
TEST(sqlite_room, of_deleted_files_is_free_again) {
    const turnstile::testing::temporary_folder folder;
    for (int i = 0; i != 3; ++i) {
        const auto file = (folder.path() / (std::to_string(i) + ".db")).string();
        connect("sqlite:" + file, database_options())->close();
        std::filesystem::remove(file);
    }
    connect("sqlite:" + (folder.path() / "last.db").string(), database_options())->close();
    EXPECT_EQ(open_files_below(folder.path()), 1);
}

}  // namespace

}  // namespace turnstile::tests
