// SPDX-License-Identifier: Apache-2.0
// sql::check in MariaDB: which transactions are of no use to it.
#include <gmock/gmock.h>
#include <mysql.h>

#include "mariadb_support.hpp"
#include "turnstile/sql.hpp"

namespace turnstile::tests {

class user_connection::implementation {
public:
    implementation() : connection_{::mysql_init(nullptr)} {
        EXPECT_NE(::mysql_real_connect(connection_, "127.0.0.1", "root", nullptr, "turnstile",
                                       shared_server().port(), nullptr, 0),
                  nullptr);
    }
    ~implementation() { ::mysql_close(connection_); }
    implementation(const implementation&) = delete;
    implementation& operator=(const implementation&) = delete;
    void run(const std::string& text) {
        EXPECT_EQ(::mysql_query(connection_, text.c_str()), 0) << ::mysql_error(connection_);
        ::mysql_free_result(::mysql_store_result(connection_));
    }
    [[nodiscard]] MYSQL* get() const noexcept { return connection_; }

private:
    MYSQL* const connection_;
};

user_connection::user_connection() : own_{new implementation} {}
user_connection::~user_connection() = default;

void user_connection::run(const std::string& text) {
    own_->run(text);
}

result<void> user_connection::check(const guard& hold) {
    return sql::check(hold, own_->get());
}

namespace {

using ::testing::HasSubstr;

// A transaction that began to read before the grant may have read what is out of date; one that locks all that it passes
// over would stop every client.
TEST(mariadb_check, refuses_transactions_that_are_of_no_use) {
    const auto path = lock_path();
    const auto servers = connect_to_database(60s);
    user_connection early;
    early.run("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto late = early.check(*hold);
    EXPECT_EQ(late.error(), errc::removed);
    EXPECT_THAT(late.error().message(), HasSubstr("before the grant"));
    user_connection strict;
    strict.run("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    strict.run("BEGIN");
    const auto refused = strict.check(*hold);
    EXPECT_EQ(refused.error(), errc::bad_option);
    EXPECT_THAT(refused.error().message(), HasSubstr("SERIALIZABLE"));
}

}  // namespace
}  // namespace turnstile::tests
