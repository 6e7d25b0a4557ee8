// SPDX-License-Identifier: Apache-2.0
// Tests what only SQLite files do: a process that dies frees its locks at once. Also tests what the library refuses,
// and with which message.
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "may_run.hpp"
#include "session_recorder.hpp"
#include "sql/coordinator.hpp"
#include "sql_backend.hpp"
#include "turnstile/sql.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {

std::string database() {
    static const testing::temporary_folder folder;
    return "sqlite:" + (folder.path() / "locks.db").string();
}

std::string run_sql(const std::string& text) {
    sqlite3* db = nullptr;
    EXPECT_EQ(::sqlite3_open(database().substr(7).c_str(), &db), SQLITE_OK);
    ::sqlite3_busy_timeout(db, 10'000);
    std::string found;
    const auto keep = [](void* kept, int columns, char** cells, char** /*names*/) {
        for (int i = 0; i != columns; ++i) *static_cast<std::string*>(kept) += cells[i];
        *static_cast<std::string*>(kept) += '\n';
        return 0;
    };
    EXPECT_EQ(::sqlite3_exec(db, text.c_str(), keep, &found, nullptr), SQLITE_OK);
    ::sqlite3_close(db);
    return found;
}

namespace {

using ::testing::HasSubstr;

class holder_process {
public:
    explicit holder_process(const std::string& path)
        : process_{
              {{TURNSTILE_CONTENDER, database(), path, "3600000", "hold", folder_.path().string()},
               {},
               folder_.path() / "held",
               {}}} {
        EXPECT_TRUE(process_.wait_for_output("grant ")) << process_.output();
    }
    testing::process& operator*() noexcept { return process_; }
    testing::process* operator->() noexcept { return &process_; }

private:
    const testing::temporary_folder folder_;
    testing::process process_;
};

// A container and its host may have different boot ids. A process on either side then believes that the sessions of
// processes on the other side began before a reboot.
TEST(sqlite_boot, another_number_of_it_ends_no_session_whose_process_lives) {
    const auto path = lock_path();
    const auto servers = connect_to_database(k_for_ever);
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    holder_process died{path + ".other"};
    died->kill();
    sqlite3* db = nullptr;
    ASSERT_EQ(::sqlite3_open(database().substr(7).c_str(), &db), SQLITE_OK);
    EXPECT_EQ(::sqlite3_exec(db, "UPDATE turnstile_meta SET value = 1 WHERE name = 'boot'", nullptr,
                             nullptr, nullptr),
              SQLITE_OK);
    ::sqlite3_close(db);
    const auto later = connect_to_database(k_for_ever);
    mutex other{*later, path + ".other"};
    EXPECT_TRUE(other.acquire({.timeout = limit()}).has_value())
        << "of a session whose process has died";
    mutex same{*later, path};
    EXPECT_EQ(same.try_acquire().error(), errc::busy);
    EXPECT_TRUE(hold->valid());
}

// The session must notice its end before it sends the waiting request, and must not send that request.
TEST(sqlite_session, that_is_found_ended_sends_nothing_that_waits) {
    auto settings = recorder_settings();
    settings.timeout = 3s;
    auto servers = sql::make_coordinator(database());
    const auto& opened_by = *servers;
    session_recorder me{std::move(servers), settings};
    const auto id = me.attached().session_id;
    const auto attached_at = boottime_clock::now();
    sqlite3* db = nullptr;
    ASSERT_EQ(::sqlite3_open(database().substr(7).c_str(), &db), SQLITE_OK);
    const auto run = [db](const std::string& text) {
        EXPECT_EQ(::sqlite3_exec(db, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    };
    ::sqlite3_busy_timeout(db, 10'000);
    run("BEGIN IMMEDIATE; DELETE FROM turnstile_sessions WHERE id = " + std::to_string(id));
    EXPECT_TRUE(
        eventually([&] { return boottime_clock::now() > attached_at + settings.timeout / 3; }));
    const auto request = me.submit(core::set_op{"/none"});
    run("COMMIT");
    ::sqlite3_close(db);
    me.link(core::link_kind::expired);
    EXPECT_EQ(me.wait(request).outcome, core::outcome::not_sent);
    EXPECT_FALSE(opened_by.last_failure()) << opened_by.last_failure()->message();
}

// If a holder continued to use the old file, other clients could get its lock in the new file.
TEST(sqlite_in_place, a_file_that_is_replaced_ends_the_holds_in_it) {
    const testing::temporary_folder folder;
    const auto file = folder.path() / "locks.db";
    const auto servers = connect("sqlite:" + file.string(), database_options(4s));
    mutex lock{*servers, lock_path()};
    testing::event lost;
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    hold->on_lost([&](const error& /*why*/) { lost.set(); });
    std::filesystem::rename(file, folder.path() / "away.db");
    EXPECT_TRUE(lost.wait());
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value()) << "in the file that is there now";
}

class sqlite_log_removed : public ::testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(hold) << hold.error().message();
        std::filesystem::remove(file + "-wal");
    }
    [[nodiscard]] result<commit_result> commit() {
        return hold->commit(transaction{}.create(path + ".written", ""), {.timeout = limit()});
    }

    const testing::temporary_folder folder;
    const std::string file = (folder.path() / "locks.db").string();
    const std::string path = lock_path();
    std::unique_ptr<client> servers = connect("sqlite:" + file, database_options(60s));
    result<guard> hold = mutex{*servers, path}.acquire({.timeout = limit()});
};

// Other processes do not see the deleted write-ahead log, so a write into it must not count as a commit.
TEST_F(sqlite_log_removed, takes_no_commit_along) {
    EXPECT_TRUE(commit());
    const auto others = connect("sqlite:" + file, database_options());
    const auto written = read_node(*others, path + ".written");
    EXPECT_TRUE(written) << written.error().message();
}

// The next process that opens the file creates a new write-ahead log.
TEST_F(sqlite_log_removed, is_noticed_when_another_process_has_made_it_anew) {
    const auto others = connect("sqlite:" + file, database_options());
    const auto answer = commit();
    const auto written = read_node(*others, path + ".written");
    EXPECT_EQ(answer.has_value(), written.has_value()) << "what was reported is there";
    // The commit's caller gets its answer first, and the holder learns of the loss next.
    EXPECT_TRUE(answer || eventually([&] { return !hold->valid(); }));
}

TEST(sqlite_fork, a_child_is_refused_a_file_since_its_locks_are_the_parents) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer lets no child of a process with threads start threads";
#endif
    const testing::temporary_folder folder;
    const auto where = "sqlite:" + (folder.path() / "locks.db").string();
    const auto ours = connect(where, database_options());
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        client refused{where, database_options()};
        const bool said = eventually([&] {
            const auto connected = refused.wait_connected(100ms);
            return !connected &&
                   connected.error().message().find("before fork()") != std::string::npos;
        });
        ::_exit(said ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

// The boot clock in this time namespace is a day ahead. Deadlines must follow the host's clock.
TEST(sqlite_boot, a_process_in_a_time_namespace_ends_no_session) {
    const std::vector<std::string> apart{"unshare", "--time", "--boottime", "86400", "--fork"};
    auto trial = apart;
    trial.emplace_back("true");
    if (!may_run(trial)) GTEST_SKIP() << "this process may make no time namespace";
    const testing::temporary_folder folder;
    const auto path = lock_path();
    const auto servers = connect_to_database(k_for_ever);
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    auto contender = apart;
    contender.insert(contender.end(), {TURNSTILE_CONTENDER, database(), path, "3600000", "hold",
                                       folder.path().string()});
    testing::process other{{contender, {}, folder.path() / "other", {}}};
    ASSERT_TRUE(becomes_size(*servers, path, 2)) << other.output();
    EXPECT_TRUE(hold->valid());
    EXPECT_TRUE(hold->release(limit()));
    EXPECT_TRUE(other.wait_for_output("grant ")) << other.output();
}

// The sessions last for an hour, so only the death of the process can free the lock.
TEST(sqlite_crash, a_waiter_is_granted_when_the_holder_is_killed) {
    const auto path = lock_path();
    holder_process holder{path};
    const auto servers = connect_to_database(k_for_ever);
    mutex lock{*servers, path};
    testing::event granted;
    lock.async_acquire({}, [&](result<guard> hold) {
        EXPECT_TRUE(hold);
        granted.set();
    });
    ASSERT_TRUE(becomes_size(*servers, path, 2));
    EXPECT_FALSE(granted.is_set());
    holder->kill();
    EXPECT_TRUE(granted.wait());
}

TEST(sqlite_crash, what_a_killed_process_held_is_free_for_the_next_that_tries) {
    const auto path = lock_path();
    const auto servers = connect_to_database(k_for_ever);
    mutex lock{*servers, path};
    {
        holder_process holder{path};
        EXPECT_EQ(lock.try_acquire().error(), errc::busy);
        holder->kill();
    }
    const auto hold = lock.try_acquire();
    EXPECT_TRUE(hold) << hold.error().message();
}

TEST(sqlite_refusals, say_what_is_wrong) {
    const testing::temporary_folder folder;
    const auto file = [&](const std::string& name) { return (folder.path() / name).string(); };
    EXPECT_THAT(diagnosis_of("sqlite:" + file("none/locks.db")), HasSubstr("No such file"));
    std::ofstream{file("text.db")} << std::string(4096, 'x');
    EXPECT_THAT(diagnosis_of("sqlite:" + file("text.db")), HasSubstr("is no SQLite file"));
    EXPECT_THAT(
        diagnosis_of("sqlite:" + file("text.db/shop/a")),
        HasSubstr("is below the file " + file("text.db") +
                  ". If shop/a is a chroot, write sqlite:" + file("text.db") + "?chroot=/shop/a"));
    std::filesystem::create_directory(file("folder.db"));
    EXPECT_THAT(diagnosis_of("sqlite:" + file("folder.db")), HasSubstr("cannot be opened"));
    std::filesystem::create_symlink("circle.db", file("circle.db"));
    EXPECT_THAT(diagnosis_of("sqlite:" + file("circle.db")),
                HasSubstr("Too many levels of symbolic links"));
    ASSERT_EQ(::mkfifo(file("pipe.db").c_str(), 0600), 0);
    EXPECT_THAT(diagnosis_of("sqlite:" + file("pipe.db")), HasSubstr("is no regular file"));
    connect("sqlite:" + file("later.db"), database_options())->close();
    sqlite3* db = nullptr;
    ASSERT_EQ(::sqlite3_open(file("later.db").c_str(), &db), SQLITE_OK);
    ::sqlite3_exec(db, "UPDATE turnstile_meta SET value = 99 WHERE name = 'schema'", nullptr,
                   nullptr, nullptr);
    ::sqlite3_close(db);
    EXPECT_THAT(diagnosis_of("sqlite:" + file("later.db")),
                HasSubstr("has tables of version 99; this release needs version 2"));
}

TEST(sqlite_refusals, name_the_rule_of_connect_strings) {
    for (const auto* where : {"sqlite:relative.db", "sqlite:", "sqlite:/folder/",
                              "sqlite:/a.db?mode=ro", "sqlite:/a.db?chroot=relative"}) {
        try {
            const client servers{where};
            ADD_FAILURE() << where;
        } catch (const std::system_error& e) {
            EXPECT_EQ(e.code(), make_error_code(errc::bad_connect_string)) << where;
        }
    }
}

TEST(sqlite_promises, are_those_of_a_host) {
    const client servers{database(),
                         {.require = {.exclusion = exclusion_promise::leased,
                                      .waiting = waiting_promise::notified,
                                      .crash = crash_promise::at_once,
                                      .scope = scope_promise::host}}};
    EXPECT_THROW((client{database(), {.require = {.scope = scope_promise::server}}}),
                 std::system_error);
}

struct user_connection {
    user_connection() {
        EXPECT_EQ(::sqlite3_open(database().substr(7).c_str(), &db), SQLITE_OK);
        ::sqlite3_busy_timeout(db, 30'000);
    }
    ~user_connection() { ::sqlite3_close(db); }
    int run(const char* text) { return ::sqlite3_exec(db, text, nullptr, nullptr, nullptr); }
    sqlite3* db = nullptr;
};

TEST(sqlite_check, the_lock_does_not_pass_on_before_the_transaction_has_ended) {
    const auto path = lock_path();
    const auto client_a = connect_to_database(60s);
    const auto client_b = connect_to_database(60s);
    mutex mine{*client_a, path};
    mutex other{*client_b, path};
    auto hold = mine.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    user_connection user;
    EXPECT_EQ(sql::check(*hold, user.db).error(), errc::bad_option) << "in no transaction";
    ASSERT_EQ(user.run("BEGIN"), SQLITE_OK);
    const auto stands = sql::check(*hold, user.db);
    ASSERT_TRUE(stands) << stands.error().message();
    testing::event granted;
    testing::event committed;
    other.async_acquire({}, [&](result<guard> next) {
        EXPECT_TRUE(next);
        EXPECT_TRUE(committed.is_set());
        granted.set();
    });
    EXPECT_EQ(hold->release(50ms).error(), errc::timeout) << "its removal waits";
    EXPECT_FALSE(granted.is_set());
    committed.set();
    ASSERT_EQ(user.run("COMMIT"), SQLITE_OK);
    EXPECT_TRUE(granted.wait());
    ASSERT_EQ(user.run("BEGIN"), SQLITE_OK);
    EXPECT_EQ(sql::check(guard{}, user.db).error(), errc::not_held);
}

TEST(sqlite_check, says_that_the_connection_is_to_another_file) {
    const auto servers = connect_to_database();
    mutex lock{*servers, lock_path()};
    const auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    sqlite3* other = nullptr;
    ASSERT_EQ(::sqlite3_open(":memory:", &other), SQLITE_OK);
    EXPECT_EQ(::sqlite3_exec(other, "BEGIN", nullptr, nullptr, nullptr), SQLITE_OK);
    const auto refused = sql::check(*hold, other);
    ::sqlite3_close(other);
    EXPECT_EQ(refused.error(), errc::removed);
    EXPECT_THAT(refused.error().message(), HasSubstr("not to the database of the lock"));
}

TEST(sqlite_check, tells_of_a_hold_that_is_over) {
    const auto path = lock_path();
    auto client_a = connect_to_database(60s);
    mutex lock{*client_a, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    client_a->close();
    user_connection user;
    ASSERT_EQ(user.run("BEGIN"), SQLITE_OK);
    EXPECT_EQ(sql::check(*hold, user.db).error(), errc::removed);
}

// Another program locks the whole file in a transaction. The session must wait, and then continue.
TEST(sqlite_locked, a_hold_outlives_another_program_s_transaction) {
    const auto path = lock_path();
    const auto servers = connect_to_database(k_for_ever);
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    sqlite3* db = nullptr;
    ASSERT_EQ(::sqlite3_open(database().substr(7).c_str(), &db), SQLITE_OK);
    ASSERT_EQ(::sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    const auto refused = hold->commit(transaction{}.create(path + ".late", ""), {.timeout = 50ms});
    EXPECT_FALSE(refused);
    ASSERT_EQ(::sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
    ::sqlite3_close(db);
    EXPECT_TRUE(hold->commit(transaction{}.create(path + ".then", ""), {.timeout = limit()}));
    EXPECT_TRUE(hold->valid());
}

}  // namespace
}  // namespace turnstile::tests
