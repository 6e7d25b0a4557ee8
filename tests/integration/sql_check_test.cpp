// SPDX-License-Identifier: Apache-2.0
// Tests sql::check on a database server: during the program's transaction, no other client gets the lock.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "sql_server.hpp"
#include "turnstile/revocation.hpp"

namespace turnstile::tests {
namespace {

TEST(sql_check, the_lock_does_not_pass_on_before_the_transaction_has_ended) {
    const auto path = lock_path();
    const auto client_a = connect_to_database(60s);
    const auto client_b = connect_to_database(60s);
    mutex mine{*client_a, path};
    mutex other{*client_b, path};
    auto hold = mine.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto user = connect_user();
    EXPECT_EQ(user->check(*hold).error(), errc::bad_option) << "in no transaction";
    user->run("BEGIN");
    const auto stands = user->check(*hold);
    ASSERT_TRUE(stands) << stands.error().message();
    testing::event granted;
    testing::event committed;
    other.async_acquire({}, [&](result<guard> next) {
        EXPECT_TRUE(next);
        EXPECT_TRUE(committed.is_set());
        granted.set();
    });
    ASSERT_TRUE(becomes_size(*client_b, path, 2)) << "others go on meanwhile";
    EXPECT_TRUE(hold->commit(transaction{}.create(path + ".kept", ""), {.timeout = limit()}))
        << "and so does the holder";
    EXPECT_EQ(hold->release(50ms).error(), errc::timeout) << "its removal waits";
    EXPECT_FALSE(granted.is_set());
    committed.set();
    user->run("COMMIT");
    EXPECT_TRUE(granted.wait());
}

// The holder's session has expired, but no other client may get the lock while the program's transaction is open.
TEST(sql_check, the_end_of_a_session_waits_for_the_transaction) {
    const auto path = lock_path();
    const auto servers = connect_to_database(60s);
    auto slow = std::make_unique<client>(database(), database_options(1s));
    mutex lock{*slow, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto user = connect_user();
    user->run("BEGIN");
    ASSERT_TRUE(user->check(*hold));
    slow->close();  // its session remains until another client ends it
    mutex other{*servers, path};
    testing::event granted;
    testing::event committed;
    other.async_acquire({}, [&](result<guard> next) {
        EXPECT_TRUE(next);
        EXPECT_TRUE(committed.is_set());
        granted.set();
    });
    ASSERT_TRUE(becomes_size(*servers, path, 2));
    committed.set();
    user->run("COMMIT");
    EXPECT_TRUE(granted.wait());
    user->run("BEGIN");
    EXPECT_EQ(user->check(*hold).error(), errc::removed);
}

// Only the removal of the checked hold may wait for the transaction. If other requests waited too, the client's session
// would expire with its other holds.
TEST(sql_check, other_locks_of_the_client_go_on) {
    const auto path = lock_path();
    const auto servers = connect_to_database(10s);
    mutex lock{*servers, path};
    mutex other{*servers, path + ".other"};
    mutex further{*servers, path + ".further"};
    auto checked = lock.acquire({.timeout = limit()});
    auto kept = other.acquire({.timeout = limit()});
    ASSERT_TRUE(checked && kept);
    const auto user = connect_user();
    user->run("BEGIN");
    ASSERT_TRUE(user->check(*checked));
    EXPECT_EQ(checked->release(50ms).error(), errc::timeout);
    for (int i = 0; i != 3; ++i) {
        auto next = further.acquire({.timeout = limit()});
        ASSERT_TRUE(next) << next.error().message();
        EXPECT_TRUE(next->commit(transaction{}.put(path + ".data", "x"), {.timeout = limit()}));
        EXPECT_TRUE(next->release(limit()));
    }
    EXPECT_EQ(lock.try_acquire().error(), errc::busy);
    user->run("COMMIT");
    EXPECT_TRUE(lock.acquire({.timeout = limit()}).has_value());
    EXPECT_TRUE(kept->valid()) << "in the same session all the time";
}

TEST(sql_check, a_savepoint_gives_the_check_back) {
    const auto path = lock_path();
    const auto servers = connect_to_database(10s);
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto user = connect_user();
    user->run("BEGIN");
    user->run("SAVEPOINT s");
    ASSERT_TRUE(user->check(*hold));
    user->run("ROLLBACK TO SAVEPOINT s");
    EXPECT_TRUE(hold->release(limit())) << "as sql.hpp says";
    EXPECT_EQ(user->check(*hold).error(), errc::not_held);
    user->run("ROLLBACK");
}

// A program's transaction has checked the hold and is still open. An operator's write into the contender's znode must
// not wait for that transaction. The requests of other contenders for the lock must not wait either.
TEST(sql_check, an_operator_s_request_comes_through) {
    const auto path = lock_path();
    const auto holders =
        connect_to_database(10s);  // the holder learns of the write when it next extends its lease
    const auto others = connect_to_database(60s);
    const auto operators = connect_to_database(60s);
    mutex lock{*holders, path};
    mutex same{*others, path};
    testing::event asked;
    auto hold = lock.acquire(
        {.timeout = limit(), .on_asked_to_release = [&](const auto& /*request*/) { asked.set(); }});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto holder = lock.holder().value();
    ASSERT_TRUE(holder);
    const auto user = connect_user();
    user->run("BEGIN");
    ASSERT_TRUE(user->check(*hold));
    const revocation orders{*operators, path};
    EXPECT_TRUE(orders.ask(*holder, {.who = "ops", .why = "a test"}));
    EXPECT_TRUE(asked.wait());
    for (int i = 0; i != 3; ++i) {
        EXPECT_EQ(same.try_acquire().error(), errc::busy) << "another session of the lock goes on";
        EXPECT_TRUE(hold->commit(transaction{}.create(path + ".kept" + std::to_string(i), ""),
                                 {.timeout = limit()}));
    }
    user->run("COMMIT");
    EXPECT_TRUE(hold->release(limit()));
}

}  // namespace
}  // namespace turnstile::tests
