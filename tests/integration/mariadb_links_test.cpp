// SPDX-License-Identifier: Apache-2.0
// Tests how a client reaches a MariaDB server, and how its sessions depend on other users and transactions.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <mysql.h>

#include <atomic>
#include <csignal>
#include <fstream>

#include "mariadb_support.hpp"
#include "sql/stripes.hpp"
#include "tls_link.hpp"
#include "turnstile/log.hpp"
#include "turnstile/testing/loopback_port.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/tcp_proxy.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

std::string shared_address() {
    return "127.0.0.1:" + std::to_string(shared_server().port());
}

void expect_grant(const std::string& where) {
    const auto servers = connect(where, database_options());
    mutex lock{*servers, lock_path()};
    const auto hold = lock.acquire({.timeout = limit()});
    EXPECT_TRUE(hold) << where << ": " << hold.error().message();
}

// Acquires and releases a lock a few times. If a connection blocked the session's thread, each cycle would need a new
// session.
void expect_one_session(const std::string& where) {
    const auto servers = connect(where, database_options(4s));
    const auto first = servers->session().id;
    mutex lock{*servers, lock_path()};
    for (int i = 0; i != 5; ++i) {
        auto hold = lock.acquire({.timeout = limit()});
        ASSERT_TRUE(hold) << hold.error().message();
        EXPECT_TRUE(hold->release(limit()));
    }
    EXPECT_EQ(servers->session().id, first);
}

TEST(mariadb_links, a_socket_of_the_system) {
    const auto socket = shared_server().socket().string();
    expect_grant("mysql://root@localhost/turnstile?socket=" + socket);
    expect_grant("mariadb://root@/turnstile?socket=" + socket);
}

TEST(mariadb_links, the_first_of_several_hosts_that_takes_writes) {
    const testing::loopback_port nobody;
    expect_grant("mysql://root@" + nobody.address() + "," + shared_address() + "/turnstile");
    testing::mariadb_server frozen{{{"--read-only"}}};
    frozen.start();
    expect_grant("mysql://root@127.0.0.1:" + std::to_string(frozen.port()) + "," +
                 shared_address() + "/turnstile");
}

// The first host does not answer at all.
TEST(mariadb_links, a_host_that_does_not_answer_leaves_time_for_the_next) {
    testing::tcp_proxy silent{shared_address(), testing::traffic::bytes};
    silent.black_hole();
    const auto where = "mysql://root@" + silent.address() + "," + shared_address() + "/turnstile";
    const auto servers = connect(where, database_options(2s));
    mutex lock{*servers, lock_path()};
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    EXPECT_EQ(servers->promises().exclusion, exclusion_promise::leased)
        << "what the host that serves says";
}

std::uint64_t hexadecimal(const std::filesystem::path& file, const std::string& name) {
    std::ifstream in{file};
    for (std::string word; in >> word;)
        if (word == name && in >> word) return std::stoull(word, nullptr, 16);
    ADD_FAILURE() << name << " is not in " << file;
    return 0;
}

// A program that runs under a lock must not inherit the library's connections or its handling of SIGPIPE.
TEST(mariadb_links, programs_inherit_nothing) {
    const testing::temporary_folder folder;
    const auto path = lock_path();
    testing::process holder{testing::process_options{
        {TURNSTILE_CONTENDER, database(), path, "60000", "hold", folder.path().string()},
        {},
        folder.path() / "held",
        {}}};
    ASSERT_TRUE(holder.wait_for_output("grant ")) << holder.output();
    const std::filesystem::path proc{"/proc/" + std::to_string(holder.pid())};
    int connections = 0;
    for (const auto& open : std::filesystem::directory_iterator{proc / "fd"}) {
        if (!std::filesystem::read_symlink(open.path()).string().starts_with("socket:")) continue;
        ++connections;
        std::ifstream in{proc / "fdinfo" / open.path().filename()};
        const std::string text{std::istreambuf_iterator<char>{in}, {}};
        const auto flags = std::stoul(text.substr(text.find("flags:") + 6), nullptr, 8);
        EXPECT_NE(flags & O_CLOEXEC, 0U) << text;
    }
    EXPECT_EQ(connections, 2);
    const std::uint64_t ignored = hexadecimal(proc / "status", "SigIgn:");
    EXPECT_EQ(ignored & (std::uint64_t{1} << (SIGPIPE - 1)), 0U);
}

TEST(mariadb_links, a_password_from_a_file_of_options) {
    shared_server().run_sql(
        "CREATE USER filed IDENTIFIED BY 'from the file'; "
        "GRANT ALL ON turnstile.* TO filed");
    const testing::temporary_folder folder;
    const auto file = folder.path() / "shop.cnf";
    std::ofstream{file} << "[shop]\nuser = filed\npassword = from the file\n";
    expect_grant("mysql://" + shared_address() + "/turnstile?defaults_file=" + file.string() +
                 "&defaults_group=shop");
}

TEST(mariadb_links, an_encrypted_connection_to_a_server_that_is_known) {
    const testing::temporary_folder folder;
    const own_certificate right{folder.path(), "right"};
    const own_certificate wrong{folder.path(), "wrong"};
    using std::filesystem::perms;
    std::filesystem::permissions(folder.path(), perms::others_exec,
                                 std::filesystem::perm_options::add);
    for (const auto& file : {right.certificate(), right.key(), wrong.certificate()})
        std::filesystem::permissions(file, perms::others_read, std::filesystem::perm_options::add);
    testing::mariadb_server server{
        {{"--ssl-cert=" + right.certificate(), "--ssl-key=" + right.key(),
          "--ssl-ca=" + wrong.certificate(), "--require-secure-transport"}}};
    server.start();
    const auto where = server.connect_string();
    expect_grant(where + "?ssl_ca=" + right.certificate());
    expect_one_session(where + "?ssl_ca=" + right.certificate());
    // libmariadb 3.4 and later accept any certificate on the loopback interface, unless the connect string names an
    // authority.
    if constexpr (MARIADB_PACKAGE_VERSION_ID < 30400) {
        client unnamed{where + "?ssl=true", database_options()};
        EXPECT_FALSE(unnamed.wait_connected(1s)) << "no authority of the system signed it";
    }
    client mistaken{where + "?ssl_ca=" + wrong.certificate(), database_options()};
    EXPECT_FALSE(mistaken.wait_connected(1s));
    client plain{where, database_options()};
    EXPECT_FALSE(plain.wait_connected(1s));
    const auto trusted = where + "?ssl_ca=" + right.certificate();
    expect_grant(trusted + "&ssl_cert=" + wrong.certificate() + "&ssl_key=" + wrong.key());
    EXPECT_THAT(
        diagnosis_of(trusted + "&ssl_cert=" + right.certificate() + "&ssl_key=" + right.key()),
        ::testing::HasSubstr("ssl_key=" + right.key() + ": other users can open it (mode 0604)"));
}

// To wake a session, a client ends the session's statement. A user may not end another user's statements, so waiters of
// another user poll, here every two seconds.
TEST(mariadb_links, a_waiter_of_another_user_looks_by_itself) {
    shared_server().run_sql(
        "CREATE USER one; GRANT ALL ON turnstile.* TO one;"
        "CREATE USER other; GRANT ALL ON turnstile.* TO other");
    const auto path = lock_path();
    const auto client_a =
        connect("mysql://one@" + shared_address() + "/turnstile", database_options());
    const auto client_b =
        connect("mysql://other@" + shared_address() + "/turnstile", database_options(6s));
    mutex mine{*client_a, path};
    mutex other{*client_b, path};
    std::atomic<int> told{0};
    set_log_sink([&](log_level, std::string_view line) {
        if (line.find("of other database users") != std::string_view::npos) ++told;
    });
    for (int i = 0; i != 2; ++i) {
        auto hold = mine.acquire({.timeout = limit()});
        ASSERT_TRUE(hold) << hold.error().message();
        testing::event granted;
        other.async_acquire({}, [&](result<guard> next) {
            EXPECT_TRUE(next);
            granted.set();
        });
        ASSERT_TRUE(becomes_size(*client_a, path, 2));
        ASSERT_TRUE(hold->release(limit()));
        EXPECT_TRUE(granted.wait());
        ASSERT_TRUE(becomes_empty(*client_a, path))
            << "the other session has no session to ring for";
    }
    EXPECT_TRUE(flush_log(limit()));
    set_log_sink({});
    EXPECT_EQ(told.load(), 1) << "the log is told once";
}

class heavy_transaction {
public:
    heavy_transaction() : connection_{::mysql_init(nullptr)} {
        EXPECT_NE(::mysql_real_connect(connection_, "127.0.0.1", "root", nullptr, "turnstile",
                                       shared_server().port(), nullptr, 0),
                  nullptr);
        run("CREATE TABLE IF NOT EXISTS ballast (number INTEGER)");
        run("BEGIN");
        run("INSERT INTO ballast WITH RECURSIVE numbers (n) AS "
            "(SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000) SELECT n FROM numbers");
    }
    ~heavy_transaction() { ::mysql_close(connection_); }
    heavy_transaction(const heavy_transaction&) = delete;
    heavy_transaction& operator=(const heavy_transaction&) = delete;
    void run(const std::string& text) {
        EXPECT_EQ(::mysql_query(connection_, text.c_str()), 0) << ::mysql_error(connection_);
        ::mysql_free_result(::mysql_store_result(connection_));
    }

private:
    MYSQL* const connection_;
};

// InnoDB rolls back the transaction with fewer changes. Here that is the library's transaction, which the library must
// then repeat.
TEST(mariadb_links, a_deadlock_is_begun_again) {
    auto& server = shared_server();
    const auto deadlocks = [&] {
        return server.run_sql(
            is_mysql() ? "SELECT count FROM information_schema.innodb_metrics WHERE "
                         "name = 'lock_deadlocks'"
                       : "SELECT variable_value FROM information_schema.global_status WHERE "
                         "variable_name = 'innodb_deadlocks'");
    };
    const auto path = lock_path();
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, path};
    ASSERT_TRUE(lock.acquire({.timeout = limit()})->release(limit()));
    const auto before = deadlocks();
    heavy_transaction other;
    other.run("SELECT * FROM turnstile_stripes WHERE stripe = " +
              std::to_string(sql::hash_of(path) % sql::k_stripes) + " FOR UPDATE");
    testing::event granted;
    lock.async_acquire({}, [&](result<guard> hold) {
        EXPECT_TRUE(hold);
        granted.set();
    });
    ASSERT_TRUE(eventually([&] {
        return server.run_sql(
                   "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE "
                   "trx_state = 'LOCK WAIT'") != "0\n";
    }));
    other.run("UPDATE turnstile_sessions SET lasts = lasts");
    EXPECT_NE(deadlocks(), before);
    EXPECT_FALSE(granted.is_set());
    other.run("COMMIT");
    EXPECT_TRUE(granted.wait());
}

}  // namespace
}  // namespace turnstile::tests
