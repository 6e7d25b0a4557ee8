// SPDX-License-Identifier: Apache-2.0
// Tests sql::check in MariaDB: it refuses transactions in which the check would prove nothing or block other clients.
#include <gmock/gmock.h>
#include <mysql.h>

#include "mariadb_support.hpp"
#include "turnstile/sql.hpp"

namespace turnstile::tests {

namespace {

class mariadb_user final : public user_connection {
public:
    explicit mariadb_user(bool reconnects = false) : connection_{::mysql_init(nullptr)} {
        const my_bool again = reconnects ? 1 : 0;
        ::mysql_optionsv(connection_, MYSQL_OPT_RECONNECT, &again);
        EXPECT_NE(::mysql_real_connect(connection_, "127.0.0.1", "root", nullptr, "turnstile",
                                       shared_server().port(), nullptr, 0),
                  nullptr);
    }
    ~mariadb_user() override { ::mysql_close(connection_); }
    void run(const std::string& text) override {
        EXPECT_EQ(::mysql_query(connection_, text.c_str()), 0) << ::mysql_error(connection_);
        ::mysql_free_result(::mysql_store_result(connection_));
    }
    [[nodiscard]] result<void> check(const guard& hold) override {
        return sql::check(hold, connection_);
    }
    [[nodiscard]] unsigned long number() const { return ::mysql_thread_id(connection_); }

private:
    MYSQL* const connection_;
};

}  // namespace

std::unique_ptr<user_connection> connect_user() {
    return std::make_unique<mariadb_user>();
}

namespace {

using ::testing::HasSubstr;

// A transaction that began to read before the lock was granted may have read outdated rows. A transaction that locks
// all rows that it reads would block every client.
TEST(mariadb_check, refuses_transactions_that_are_of_no_use) {
    const auto path = lock_path();
    const auto servers = connect_to_database(60s);
    const auto early = connect_user();
    early->run("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto late = early->check(*hold);
    EXPECT_EQ(late.error(), errc::removed);
    EXPECT_THAT(late.error().message(), HasSubstr("before the lock was granted"));
    const auto strict = connect_user();
    strict->run("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    strict->run("BEGIN");
    const auto refused = strict->check(*hold);
    EXPECT_EQ(refused.error(), errc::bad_option);
    EXPECT_THAT(refused.error().message(), HasSubstr("SERIALIZABLE"));
}

// InnoDB releases the lock on the hold's row at XA PREPARE, and the transaction may commit at any later time.
TEST(mariadb_check, refuses_an_xa_transaction) {
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, lock_path()};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto user = connect_user();
    user->run("XA START 'branch'");
    const auto refused = user->check(*hold);
    EXPECT_EQ(refused.error(), errc::bad_option);
    EXPECT_THAT(refused.error().message(), HasSubstr("XA"));
    user->run("XA END 'branch'");
    EXPECT_FALSE(user->check(*hold)) << "the server takes no statement then";
    user->run("XA ROLLBACK 'branch'");
    user->run("BEGIN");
    EXPECT_TRUE(user->check(*hold));
    user->run("COMMIT");
}

// libmariadb may reconnect without notice, and the transaction then has ended.
TEST(mariadb_check, refuses_a_connection_that_was_made_anew_meanwhile) {
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, lock_path()};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    mariadb_user user{true};
    user.run("SET autocommit = 0");
    run_sql("KILL " + std::to_string(user.number()));
    const auto refused = user.check(*hold);
    EXPECT_EQ(refused.error(), errc::bad_option);
    EXPECT_THAT(refused.error().message(), HasSubstr("lost and opened again"));
}

TEST(mariadb_check, says_that_the_connection_is_to_another_database) {
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, lock_path()};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    run_sql("CREATE DATABASE IF NOT EXISTS elsewhere");
    const auto user = connect_user();
    user->run("USE elsewhere");
    user->run("BEGIN");
    const auto refused = user->check(*hold);
    EXPECT_EQ(refused.error(), errc::removed);
    EXPECT_THAT(refused.error().message(), HasSubstr("not to the database of the lock"));
}

TEST(mariadb_check, refuses_a_null_connection) {
    const auto servers = connect_to_database(60s);
    mutex lock{*servers, lock_path()};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_EQ(sql::check(*hold, static_cast<MYSQL*>(nullptr)).error(), errc::bad_option);
}

}  // namespace
}  // namespace turnstile::tests
