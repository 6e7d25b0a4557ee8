// SPDX-License-Identifier: Apache-2.0
// Tests the commands on Redis and SQL servers. The output must be as on ZooKeeper, and no server may get a request that
// only ZooKeeper answers.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"
#include "turnstile/testing/mariadb_server.hpp"
#include "turnstile/testing/postgres_server.hpp"
#include "turnstile/testing/redis_sentinel.hpp"
#include "turnstile/testing/redis_server.hpp"

namespace turnstile::tests {
namespace {

using nlohmann::json;

class cli_kinds : public cli {
protected:
    int code_at(const std::string& servers, const words& command) const {
        auto running = start_at(servers, command);
        EXPECT_TRUE(running.wait());
        return running.exit_code().value_or(-1);
    }
    // Runs a command that must exit with 0. Returns its output.
    [[nodiscard]] json said_at(const std::string& servers, const words& command) const {
        std::filesystem::remove(log());
        EXPECT_EQ(code_at(servers, command), 0) << output();
        return json::parse(output(), nullptr, false);
    }
    [[nodiscard]] words run_here(const words& options, const words& command) const {
        return words{TURNSTILE_PROGRAM, "run"} + options + words{path, "--"} + command;
    }

    // These servers have no followers, so `run` accepts --grace 2s with a session timeout of 6 s.
    void expect_run(const std::string& servers) const {
        const words inside{TURNSTILE_PROGRAM, "show", "-o", "json", path};
        const auto shown = said_at(servers, run_here({"--session-timeout", "6s"}, inside));
        EXPECT_EQ(shown.at("locks").at(0).at("path"), path) << shown;
        EXPECT_EQ(code_at(servers, run_here({}, run_here({"--try"}, {"true"}))), 75) << output();
        EXPECT_TRUE(printed("; held by ")) << output();
        // `run` refuses other kinds of locks at a mutex's path, because they would not exclude the mutex.
        for (const char* const kind : {"--shared", "--exclusive", "--permits=2"})
            EXPECT_EQ(code_at(servers, run_here({}, run_here({"--try", kind}, {"true"}))), 64)
                << output();
        EXPECT_TRUE(printed(path + ": a mutex came first at this path")) << output();
        const words once{"--once-per", "1h", "--not-due-exit-code", "9"};
        EXPECT_EQ(code_at(servers, run_here(once, {"true"})), 0) << output();
        EXPECT_EQ(code_at(servers, run_here(once, {"true"})), 9) << output();
        EXPECT_EQ(code_at(servers, {TURNSTILE_PROGRAM, "elect", "--once", path + "/term", "--",
                                    "sh", "-c", "exit 3"}),
                  3)
            << output();
    }
    void expect_taken(const std::string& servers) const {
        std::filesystem::remove(log());
        auto holder = start_at(servers, run_here({}, stubborn("in")));
        ASSERT_TRUE(holder.wait_for_output("in")) << output();
        EXPECT_EQ(code_at(servers,
                          {TURNSTILE_PROGRAM, "take", "--now", "--yes", "--reason", "test", path}),
                  0)
            << output();
        ASSERT_TRUE(holder.wait());
        EXPECT_EQ(holder.exit_code(), 76) << output();
    }
    void expect_looks(const std::string& servers) const {
        const words inside{TURNSTILE_PROGRAM, "sessions", "-o", "json", path};
        const auto listed = said_at(servers, run_here({}, inside));
        ASSERT_EQ(listed.at("sessions").size(), 1U) << listed;
        EXPECT_EQ(listed.at("sessions").at(0).at("znodes").size(), 1U) << listed;
        ASSERT_EQ(listed.at("not_told").size(), 1U) << listed;
        EXPECT_EQ(code_at(servers, run_here({}, {TURNSTILE_PROGRAM, "sessions", path})), 0);
        EXPECT_TRUE(printed("turnstile: addresses or znodes are missing")) << output();
        const auto report = said_at(servers, {TURNSTILE_PROGRAM, "doctor", "-o", "json", path});
        EXPECT_TRUE(report.at("servers").empty()) << report;
        EXPECT_EQ(report.at("lease").at("relay_bound_ms"), 0) << report;
        EXPECT_EQ(report.at("promises").at("writes"), "guarded") << report;
        for (const auto& each : report.at("findings"))
            EXPECT_EQ(each.at("weight"), "note") << report;
    }
    void expect_mkdir(const std::string& servers) const {
        const auto chrooted =
            servers +
            (servers.find("://") == std::string::npos || servers.find("sql://") != std::string::npos
                 ? "?chroot="
                 : "") +
            "/chroot" + path;
        const words look{TURNSTILE_PROGRAM, "ls"};
        EXPECT_EQ(code_at(chrooted, look), 69);
        EXPECT_TRUE(printed("`turnstile mkdir /`")) << output();
        for (int i = 0; i != 2; ++i)
            EXPECT_EQ(code_at(chrooted, {TURNSTILE_PROGRAM, "mkdir", "/"}), 0) << output();
        EXPECT_EQ(code_at(chrooted, {TURNSTILE_PROGRAM, "mkdir", "/deep/er"}), 0) << output();
        EXPECT_EQ(code_at(chrooted, look), 0) << output();
        client inside{chrooted};
        EXPECT_TRUE(read_node(inside, "/deep/er", {.timeout = limit()}));
    }
    void expect_all(const std::string& servers) const {
        expect_run(servers);
        expect_mkdir(servers);
        expect_taken(servers);
        expect_looks(servers);
    }
    // Checks that `turnstile doctor` reports unreachable servers, and calls them `named` in its report.
    void expect_away(const std::string& servers, const std::string& named) const {
        EXPECT_EQ(code_at(servers, {TURNSTILE_PROGRAM, "doctor", "--connect-timeout", "200ms"}),
                  69);
        EXPECT_TRUE(printed("problem  " + named)) << output();
    }
};

#ifdef TURNSTILE_WITH_SQLITE
TEST_F(cli_kinds, a_file_of_sqlite) {
    expect_all("sqlite:" + file("locks.db"));
}

TEST_F(cli_kinds, a_file_of_sqlite_that_clients_refuse_or_that_others_may_read) {
    const auto locks = file("locks.db");
    const words doctor{TURNSTILE_PROGRAM, "doctor", "--connect-timeout", "1s", path};
    ASSERT_EQ(code_at("sqlite:" + locks, doctor), 0) << output();
    ASSERT_EQ(::chmod(locks.c_str(), 0644), 0);
    EXPECT_EQ(code_at("sqlite:" + locks, doctor), 1);
    EXPECT_TRUE(printed("warning  " + locks + ": the file's rights are 0644: every user may stop"))
        << output();
    ASSERT_EQ(::chmod(locks.c_str(), 0600), 0);
    std::filesystem::create_hard_link(locks, file("second.db"));
    EXPECT_EQ(code_at("sqlite:" + file("second.db"), doctor), 69);
    EXPECT_TRUE(printed("problem  " + file("second.db") + ": has 2 names")) << output();
    EXPECT_TRUE(printed("-> give the file one name")) << output();
}
#endif

#ifdef TURNSTILE_WITH_REDIS
TEST_F(cli_kinds, a_server_of_redis) {
    testing::redis_server redis;
    redis.start();
    expect_all(redis.connect_string());
    redis.kill();
    expect_away(redis.connect_string(), redis.connect_string() + ": ");
}
#endif

#ifdef TURNSTILE_WITH_REDIS
TEST_F(cli_kinds, servers_say_why_they_cannot_be_used) {
    testing::redis_server redis{{.config = "requirepass right\n"}};
    redis.start();
    const auto wrong = "redis://:wrong@" + redis.address();
    const words look{TURNSTILE_PROGRAM, "ls", "--connect-timeout", "5s"};
    EXPECT_EQ(code_at(wrong, look), 77);
    EXPECT_TRUE(printed(": WRONGPASS ")) << output();
    EXPECT_EQ(code_at(wrong, run_here({"--connect-timeout", "5s"}, {"true"})), 77);
    EXPECT_EQ(code_at(wrong, {TURNSTILE_PROGRAM, "doctor", "--connect-timeout", "5s"}), 77);
    EXPECT_TRUE(printed("-> check the user and the password")) << output();
    EXPECT_FALSE(printed(":wrong@")) << output();
    redis.kill();
    EXPECT_EQ(code_at(redis.connect_string(), {TURNSTILE_PROGRAM, "ls", "--connect-timeout", "1s"}),
              69);
    EXPECT_TRUE(printed("in time: " + redis.connect_string() + " (Connection refused)\n"))
        << output();
}
#endif

#ifdef TURNSTILE_WITH_REDIS
TEST_F(cli_kinds, a_master_that_sentinels_name) {
    testing::redis_sentinel servers;
    servers.start();
    expect_all(servers.connect_string());
    for (std::size_t i = 0; i != servers.sentinel_count(); ++i) servers.sentinel(i).kill();
    expect_away(servers.connect_string(), servers.connect_string() + ": ");
}
#endif

#ifdef TURNSTILE_WITH_POSTGRESQL
TEST_F(cli_kinds, a_server_of_postgresql) {
    testing::postgres_server database;
    database.start();
    expect_all(database.connect_string());
    EXPECT_EQ(code_at(database.connect_string() + "_not_there",
                      {TURNSTILE_PROGRAM, "ls", "--connect-timeout", "3s"}),
              69);
    EXPECT_TRUE(printed(" does not exist")) << output();
    database.kill();
    expect_away(database.connect_string(), "postgresql://");
}
#endif

#ifdef TURNSTILE_WITH_MARIADB
TEST_F(cli_kinds, a_server_of_mariadb) {
    testing::mariadb_server database;
    database.start();
    expect_all(database.connect_string());
    database.kill();
    expect_away(database.connect_string(), "mysql://");
}
#endif

// Other users can read the command line. So the command must refuse a command line with a password, even if the
// environment has that password, too.
TEST_F(cli_kinds, a_password_on_the_command_line) {
    const auto* const servers = "redis://locks:secret@127.0.0.1:1";
    const words look{TURNSTILE_PROGRAM, "ls", "--connect-timeout", "200ms"};
    EXPECT_EQ(code_at(servers, look + words{"--servers", servers}), 64);
    EXPECT_TRUE(printed("--servers has a password in it, ")) << output();
    EXPECT_EQ(code_at(servers, look), 69);
    EXPECT_FALSE(printed("secret")) << output();
}

#ifdef TURNSTILE_WITH_REDIS
// Neither the command nor its parents may show the password in their command line or environment. The command can still
// read the file that the variable TURNSTILE_SERVERS_FILE names.
TEST_F(cli_kinds, a_password_stays_with_the_program) {
    testing::redis_server redis{{.config = "requirepass well-kept\n"}};
    redis.start();
    const auto servers = "redis://:well-kept@" + redis.address();
    const auto secret = file("servers");
    std::ofstream{secret} << servers << '\n';
    ASSERT_EQ(::chmod(secret.c_str(), 0600), 0);
    const words look{"sh",
                     "-c",
                     "{ env; for p in $$ $PPID $(awk '{print $4}' /proc/$PPID/stat); do "
                     "cat /proc/$p/environ /proc/$p/cmdline; done; } | tr '\\0' '\\n' | "
                     "grep -e TURNSTILE -e well[-]kept; exec \"$@\"",
                     "sh",
                     TURNSTILE_PROGRAM,
                     "ls"};
    EXPECT_EQ(code_at(servers, run_here({}, look)), 64) << output();
    EXPECT_TRUE(printed("TURNSTILE_TOKEN=")) << output();
    EXPECT_TRUE(printed("turnstile: no servers: ")) << output();
    EXPECT_FALSE(printed("well-kept")) << output();
    std::filesystem::remove(log());
    const words elect{TURNSTILE_PROGRAM, "elect", "--once", path + "/term", "--"};
    EXPECT_EQ(code_at(servers, elect + look), 64) << output();
    EXPECT_TRUE(printed("turnstile: no servers: ")) << output();
    EXPECT_FALSE(printed("well-kept")) << output();
    std::filesystem::remove(log());
    auto with_file = start_at("", run_here({}, look), {"TURNSTILE_SERVERS_FILE=" + secret});
    ASSERT_TRUE(with_file.wait());
    EXPECT_EQ(with_file.exit_code(), 0) << output();
    EXPECT_TRUE(printed("TURNSTILE_TOKEN=")) << output();
    EXPECT_FALSE(printed("well-kept")) << output();
    ASSERT_EQ(::chmod(secret.c_str(), 0640), 0);
    auto open = start_at("", run_here({"--servers-file", secret}, {"true"}));
    ASSERT_TRUE(open.wait());
    EXPECT_EQ(open.exit_code(), 64) << output();
    EXPECT_TRUE(printed("other users can open it")) << output();
}
#endif

}  // namespace
}  // namespace turnstile::tests
