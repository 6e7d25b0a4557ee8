// SPDX-License-Identifier: Apache-2.0
// Tests two rules: an SQLite file has one name, and only Turnstile writes it. The tests show which breaches the library
// refuses, detects and repairs.
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "client/log_lines.hpp"
#include "may_run.hpp"
#include "sql_backend.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class sqlite_file : public ::testing::Test {
protected:
    [[nodiscard]] std::string where() const { return "sqlite:" + file; }
    void make() const { connect(where(), database_options())->close(); }
    void run(const std::string& statement) const {
        sqlite3* db = nullptr;
        ASSERT_EQ(::sqlite3_open(file.c_str(), &db), SQLITE_OK);
        ::sqlite3_busy_timeout(db, 10'000);
        EXPECT_EQ(::sqlite3_exec(db, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << statement << ": " << ::sqlite3_errmsg(db);
        ::sqlite3_close(db);
    }
    static mode_t rights_of(const std::string& path) {
        struct stat found {};
        EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
        return found.st_mode & 0777U;
    }
    static bool may_mount() {
        return may_run({"unshare", "--mount", "mount", "-t", "tmpfs", "none", "/proc"});
    }
    // Starts a shell in a new mount namespace. The shell executes `commands`, and then becomes a contender.
    [[nodiscard]] testing::process contender_behind(const std::string& commands,
                                                    const std::string& connect_string) const {
        return testing::process{
            {{"unshare", "--mount", "sh", "-ec",
              commands + "; exec " + TURNSTILE_CONTENDER + " " + connect_string +
                  " /lock 4000 hold " + folder.path().string()},
             {},
             folder.path() / "contender",
             {}}};
    }

    const testing::temporary_folder folder;
    const std::string file = (folder.path() / "locks.db").string();
};

TEST_F(sqlite_file, with_a_hard_link_is_refused_by_both_names) {
    make();
    const auto link = (folder.path() / "second.db").string();
    fs::create_hard_link(file, link);
    for (const auto& name : {file, link})
        EXPECT_THAT(diagnosis_of("sqlite:" + name), HasSubstr(name + ": has 2 names (hard links)"));
    fs::remove(link);
    make();
}

TEST_F(sqlite_file, that_is_mounted_alone_is_refused_and_its_folder_is_not) {
    if (!may_mount()) GTEST_SKIP() << "this process may not mount";
    make();
    const auto beside = folder.path() / "beside";
    fs::create_directory(beside);
    const auto other = (beside / "other.db").string();
    auto alone = contender_behind("touch " + other + "; mount --bind " + file + " " + other,
                                  "sqlite:" + other);
    EXPECT_TRUE(alone.wait_for_output(other + ": is a mount point")) << alone.output();
    auto with_folder =
        contender_behind("mount --bind " + folder.path().string() + " " + beside.string(),
                         "sqlite:" + (beside / "locks.db").string());
    EXPECT_TRUE(with_folder.wait_for_output("grant ")) << with_folder.output();
}

// Sessions in a file depend on the host's boot clock and on POSIX locks. Hosts that share a file have different boot
// clocks, and do not see each other's POSIX locks.
TEST_F(sqlite_file, on_a_file_system_that_other_hosts_may_see_is_refused_by_name) {
    const std::vector<std::pair<const char*, const char*>> kinds{{"0x6969", "NFS"},
                                                                 {"0xFF534D42", "CIFS"},
                                                                 {"0x01021997", "9p"},
                                                                 {"0x65735546", "FUSE"},
                                                                 {"0x00C36400", "Ceph"}};
    for (const auto& [kind, name] : kinds) {
        testing::process there{
            {{TURNSTILE_CONTENDER, where(), "/lock", "4000", "hold", folder.path().string()},
             {std::string{"TURNSTILE_TEST_FILE_SYSTEM="} + kind},
             folder.path() / name,
             {}}};
        EXPECT_TRUE(there.wait_for_output(std::string{"other hosts may see ("} + name + ")"))
            << there.output();
    }
    EXPECT_FALSE(fs::exists(file));
}

// A time namespace has its own clocks, whose offset only /proc shows.
TEST_F(sqlite_file, is_refused_without_proc) {
    if (!may_mount()) GTEST_SKIP() << "this process may not mount";
    auto blind = contender_behind("mount -t tmpfs none /proc", where());
    EXPECT_TRUE(blind.wait_for_output("needs the /proc of this process's PID namespace"))
        << blind.output();
}

TEST_F(sqlite_file, by_a_symbolic_link_is_the_same_file) {
    make();
    const auto link = (folder.path() / "link.db").string();
    fs::create_symlink(file, link);
    const auto direct = connect(where(), database_options());
    const auto other = connect("sqlite:" + link, database_options());
    mutex mine{*direct, "/lock"};
    mutex same{*other, "/lock"};
    const auto hold = mine.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_EQ(same.try_acquire().error(), errc::busy);
}

TEST_F(sqlite_file, is_made_for_its_owner_only) {
    const auto servers = connect(where(), database_options());
    EXPECT_EQ(rights_of(file), 0600U);
    EXPECT_EQ(rights_of(file + "-wal"), 0600U);
    EXPECT_EQ(rights_of(file + "-shm"), 0600U);
    EXPECT_EQ(rights_of(file + "-sessions"), 0700U);
}

TEST_F(sqlite_file, is_made_for_its_owner_only_behind_a_link) {
    const auto link = folder.path() / "link.db";
    fs::create_symlink("locks.db", link);
    const auto servers = connect("sqlite:" + link.string(), database_options());
    EXPECT_EQ(rights_of(file), 0600U);
    EXPECT_EQ(rights_of(file + "-sessions"), 0700U);
}

TEST_F(sqlite_file, that_others_may_read_is_told) {
    make();
    const auto told = [&](mode_t rights) {
        EXPECT_EQ(::chmod(file.c_str(), rights), 0);
        const log_lines log;
        make();
        EXPECT_TRUE(flush_log(limit()));
        return log.with("may stop every lock in the file");
    };
    EXPECT_EQ(told(0644), 1);
    EXPECT_EQ(told(0640), 1);
    EXPECT_EQ(told(0660), 0) << "a group that shares the file";
    EXPECT_EQ(told(0600), 0);
}

// The session lasts for an hour, so only the kernel's notice about the file can end the hold.
void expect_loss_at_once(const std::string& file, const std::function<void()>& change) {
    const auto servers = connect("sqlite:" + file, database_options(std::chrono::hours{1}));
    mutex lock{*servers, "/lock"};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    testing::event lost;
    hold->on_lost([&](const error& /*why*/) { lost.set(); });
    change();
    EXPECT_TRUE(lost.wait());
}

TEST_F(sqlite_file, that_is_renamed_ends_its_holds_at_once) {
    expect_loss_at_once(file, [&] { fs::rename(file, folder.path() / "away.db"); });
}

TEST_F(sqlite_file, whose_folder_is_renamed_ends_its_holds_at_once) {
    const auto data = folder.path() / "data";
    fs::create_directory(data);
    expect_loss_at_once((data / "locks.db").string(), [&] {
        fs::rename(data, folder.path() / "away");
        fs::create_directory(data);
    });
}

// Makes the link point to another file, which clients use when they open the path next.
void point(const fs::path& link, const fs::path& target) {
    const auto fresh = link.string() + "-new";
    fs::create_symlink(target, fresh);
    fs::rename(fresh, link);
}

TEST_F(sqlite_file, that_a_link_leaves_ends_its_holds_at_once) {
    const auto link = folder.path() / "link.db";
    point(link, file);
    expect_loss_at_once(link.string(), [&] { point(link, folder.path() / "other.db"); });
}

TEST_F(sqlite_file, whose_folder_a_chain_of_links_leaves_ends_its_holds_at_once) {
    for (const auto* name : {"one", "two"}) fs::create_directory(folder.path() / name);
    const auto current = folder.path() / "current";
    point(current, "one");
    const auto link = folder.path() / "link";
    point(link, "current");
    expect_loss_at_once((link / "locks.db").string(), [&] { point(current, "two"); });
}

// The file has older contents again, without the latest grant. The library must not give that grant's token to a later
// grant.
TEST_F(sqlite_file, with_older_contents_is_noticed_and_gives_no_number_again) {
    const log_lines log;
    const auto servers = connect(where(), database_options());
    mutex lock{*servers, "/lock"};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto before = hold->fencing_token();
    ASSERT_TRUE(hold->release(limit()));
    run("UPDATE turnstile_meta SET value = 7 WHERE name = 'number'");
    auto later = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(later) << later.error().message();
    EXPECT_GT(later->fencing_token(), before);
    EXPECT_TRUE(flush_log(limit()));
    EXPECT_GT(log.with("has older contents than this client has seen"), 0);
}

// Only the requests that extend the holder's lease can detect the older contents, because the holder's callers send no
// request.
TEST_F(sqlite_file, with_older_contents_is_noticed_by_a_holder_that_asks_for_nothing) {
    const log_lines log;
    const auto servers = connect(where(), database_options());
    mutex lock{*servers, "/lock"};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    run("UPDATE turnstile_meta SET value = 7 WHERE name = 'number'");
    EXPECT_TRUE(
        eventually([&] { return log.with("has older contents than this client has seen") > 0; }));
}

// The session lasts for an hour. The kernel's notice, or a request that extends the lease, must suspend the session
// until the hard link is gone.
TEST_F(sqlite_file, that_gets_a_hard_link_suspends_its_clients_until_the_link_goes) {
    const log_lines log;
    const auto servers = connect(where(), database_options(std::chrono::hours{1}));
    mutex lock{*servers, "/lock"};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto link = folder.path() / "second.db";
    fs::create_hard_link(file, link);
    EXPECT_TRUE(eventually([&] { return log.with(file + ": has 2 names (hard links)") > 0; }));
    fs::remove(link);
    mutex other{*servers, "/other"};
    const auto granted = other.acquire({.timeout = limit()});
    EXPECT_TRUE(granted) << granted.error().message();
    EXPECT_TRUE(hold->valid());
}

struct column {
    std::string table;
    std::string name;
};

class sqlite_malformed_row : public sqlite_file, public ::testing::WithParamInterface<column> {};

// All clients must continue. The library removes the malformed row and logs that.
TEST_P(sqlite_malformed_row, suspends_no_client) {
    const log_lines log;
    const auto early = connect(where(), database_options());
    mutex lock{*early, "/lock"};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    run("INSERT INTO turnstile_watches VALUES ('/lock', 0, 1, 'x')");
    run("INSERT INTO turnstile_events VALUES (NULL, 1, 0, '/lock', 1)");
    run("UPDATE " + GetParam().table + " SET " + GetParam().name + " = 'text'" +
        (GetParam().table == "turnstile_meta" ? " WHERE name <> 'schema'" : ""));
    const auto late = connect(where(), database_options());
    mutex other{*late, "/other"};
    auto granted = other.acquire({.timeout = limit()});
    EXPECT_TRUE(granted) << granted.error().message();
    mutex third{*early, "/third"};
    auto again = third.acquire({.timeout = limit()});
    EXPECT_TRUE(again) << again.error().message();
    EXPECT_TRUE(flush_log(limit()));
    if (GetParam().table != "turnstile_meta") {
        EXPECT_GT(log.with("of " + GetParam().table), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(
    all, sqlite_malformed_row,
    ::testing::Values(column{"turnstile_meta", "value"}, column{"turnstile_sessions", "attachment"},
                      column{"turnstile_sessions", "lasts"},
                      column{"turnstile_sessions", "deadline"},
                      column{"turnstile_sessions", "changes"}, column{"turnstile_nodes", "kind"},
                      column{"turnstile_nodes", "owner"}, column{"turnstile_nodes", "czxid"},
                      column{"turnstile_nodes", "mtime"}, column{"turnstile_nodes", "children"},
                      column{"turnstile_watches", "session"}, column{"turnstile_events", "session"},
                      column{"turnstile_events", "nonce"}),
    [](const auto& each) { return each.param.table + "_" + each.param.name; });

}  // namespace
}  // namespace turnstile::tests
