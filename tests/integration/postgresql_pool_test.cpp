// SPDX-License-Identifier: Apache-2.0
// Tests sessions that reach a PostgreSQL server through PgBouncer. The library accepts a pool only if each connection
// keeps its server process.
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plain_connection.hpp"
#include "sql/patience.hpp"
#include "sql/postgresql_database.hpp"
#include "sql_backend.hpp"
#include "turnstile/testing/loopback_port.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::optional<std::string> find_pgbouncer() {
    for (const auto* folder : {"/usr/sbin", "/usr/bin", "/usr/local/bin"}) {
        auto path = std::filesystem::path{folder} / "pgbouncer";
        if (std::filesystem::exists(path)) return path.string();
    }
    return std::nullopt;
}

std::string port_of_server() {
    const auto address = database();
    const auto colon = address.rfind(':');
    return address.substr(colon + 1, address.find('/', colon) - colon - 1);
}

// Processes of PgBouncer that share a port.
class pool {
public:
    explicit pool(const std::string& config, int processes = 1) {
        const auto file = folder_.path() / "pgbouncer.ini";
        std::ofstream{folder_.path() / "users"} << "\"postgres\" \"\"\n";
        std::ofstream{file} << "[databases]\n* = host=127.0.0.1 port=" << port_of_server()
                            << "\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = "
                            << port_.number() << "\nunix_socket_dir =\nauth_type = trust\n"
                            << "auth_file = " << (folder_.path() / "users").string() << '\n'
                            << config << '\n';
        std::vector<std::string> command{find_pgbouncer().value(), file.string()};
        if (::geteuid() == 0) {  // PgBouncer refuses to run as root
            std::filesystem::permissions(folder_.path(), std::filesystem::perms::others_exec,
                                         std::filesystem::perm_options::add);
            command.insert(command.begin(),
                           {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"});
        }
        for (int i = 0; i != processes; ++i) {
            const auto log = folder_.path() / ("log" + std::to_string(i));
            processes_.push_back(std::make_unique<testing::process>(
                testing::process_options{.command = command, .output = log}));
            EXPECT_TRUE(processes_.back()->wait_for_output("process up"))
                << processes_.back()->output();
        }
    }

    [[nodiscard]] std::string connect_string() const {
        return "postgresql://postgres@" + port_.address() + "/postgres";
    }

private:
    const testing::loopback_port port_;
    const testing::temporary_folder folder_;
    std::vector<std::unique_ptr<testing::process>> processes_;
};

class postgresql_pool : public ::testing::Test {
protected:
    void SetUp() override {
        if (!find_pgbouncer()) GTEST_SKIP() << "there is no pgbouncer (Debian's package has it)";
    }
};

const auto k_is_refused =
    AllOf(HasSubstr("pool_mode = transaction or statement"), HasSubstr("set pool_mode = session"));

// All transactions run in one server process, and no other client uses the pool. So only a check by the library can
// detect the pool.
TEST_F(postgresql_pool, of_one_process_for_transactions_is_refused) {
    const pool shared{"pool_mode = transaction\ndefault_pool_size = 1"};
    EXPECT_THAT(diagnosis_of(shared.connect_string()), k_is_refused);
}

TEST_F(postgresql_pool, for_statements_is_refused) {
    const pool shared{"pool_mode = statement\ndefault_pool_size = 1"};
    EXPECT_THAT(diagnosis_of(shared.connect_string()), k_is_refused);
}

// PgBouncer's setting server_round_robin decides whether two transactions of a connection run in the same server
// process.
TEST_F(postgresql_pool, of_several_processes_is_refused_whichever_comes_next) {
    for (const auto* order : {"server_round_robin = 0", "server_round_robin = 1"}) {
        const pool shared{std::string{"pool_mode = transaction\ndefault_pool_size = 3\n"} + order};
        std::array<plain_connection, 3> others{plain_connection{shared.connect_string()},
                                               plain_connection{shared.connect_string()},
                                               plain_connection{shared.connect_string()}};
        for (auto& other : others) {
            other.ask("BEGIN");
            other.ask("SELECT 1");
        }
        for (auto& other : others) other.ask("COMMIT");
        EXPECT_THAT(diagnosis_of(shared.connect_string()), k_is_refused) << order;
    }
}

// Two PgBouncer processes share a port, each with a separate pool. The kernel gives each connection to one of them. A
// session detects that by a second connection. If that connection takes longer than a sixth of the session timeout, the
// session omits the check.
TEST_F(postgresql_pool, of_two_bouncers_behind_one_port_is_refused) {
    const pool shared{"pool_mode = transaction\ndefault_pool_size = 1\nso_reuseport = 1", 2};
    for (int i = 0; i != 4; ++i) EXPECT_THAT(diagnosis_of(shared.connect_string()), k_is_refused);
}

TEST_F(postgresql_pool, for_sessions_wakes_waiters) {
    const pool shared{"pool_mode = session"};
    const auto path = lock_path();
    const auto first = connect(shared.connect_string(), database_options(k_for_ever));
    const auto second = connect(shared.connect_string(), database_options(k_for_ever));
    mutex lock{*first, path};
    mutex waiting{*second, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    testing::event granted;
    waiting.async_acquire({}, [&](result<guard> next) {
        EXPECT_TRUE(next);
        granted.set();
    });
    ASSERT_TRUE(becomes_size(*first, path, 2));
    EXPECT_TRUE(hold->release(limit()));
    EXPECT_TRUE(granted.wait());
}

// The pool has one server process. So the library cannot open a second connection for its check, and must omit the
// check.
TEST_F(postgresql_pool, for_sessions_gives_its_last_process_to_a_session) {
    const pool shared{"pool_mode = session\ndefault_pool_size = 1"};
    const auto servers = connect(shared.connect_string(), database_options(2s));
    mutex lock{*servers, lock_path()};
    const auto hold = lock.acquire({.timeout = limit()});
    EXPECT_TRUE(hold) << hold.error().message();
}

// The library may detect the pool only after its statement has reached the server process of another session. That
// process must not execute the statement.
TEST(postgresql_process, of_another_session_carries_out_no_statement) {
    const auto closing = std::make_shared<sql::closing_signal>();
    sql::postgresql_database db{{database(), "here", k_for_ever, closing}};
    db.connect();
    db.begin(sql::access::read);
    EXPECT_EQ(db.run("SELECT count(*) FROM pg_prepared_statements WHERE from_sql = false AND "
                     "name NOT LIKE 'turnstile_' || pg_backend_pid() || '_%'")
                  .rows.front()
                  .front(),
              "0");
    db.run("DEALLOCATE ALL");
    db.commit({});
    try {
        db.begin(sql::access::read);
        db.run("SELECT 1");
        ADD_FAILURE() << "it was carried out";
    } catch (const sql::database_error& e) {
        EXPECT_EQ(e.kind(), sql::failure::fatal);
        EXPECT_THAT(e.what(), HasSubstr("other clients use this connection's server process"));
    }
}

}  // namespace
}  // namespace turnstile::tests
