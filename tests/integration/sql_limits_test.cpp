// SPDX-License-Identifier: Apache-2.0
// Tests paths that are too long for an index of the database. The library refuses them at once, and names the limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sql_server.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;

const std::string k_too_long = "/" + std::string(2'000, 'x');

TEST(sql_limits, a_lock_with_too_long_a_path_is_refused) {
    const auto servers = connect_to_database();
    mutex lock{*servers, k_too_long.substr(0, 1'990)};
    const auto refused = lock.acquire({.timeout = limit()});
    ASSERT_EQ(refused.error(), errc::bad_path) << refused.error().message();
    EXPECT_THAT(refused.error().message(), HasSubstr("1990 bytes"));
}

// A commit that can never be written must be refused. Otherwise the caller would wait for its timeout and then not know
// the outcome.
TEST(sql_limits, a_commit_with_too_long_a_path_is_refused) {
    const auto path = lock_path();
    const auto servers = connect_to_database();
    mutex lock{*servers, path};
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const std::string written = path + ".written";
    for (auto& writes : {transaction{}.create(written, "").create(k_too_long, ""),
                         transaction{}.set(k_too_long, ""), transaction{}.remove(k_too_long),
                         transaction{}.check(k_too_long), transaction{}.put(k_too_long, "")}) {
        const auto refused = hold->commit(writes, {.timeout = limit()});
        ASSERT_EQ(refused.error(), errc::bad_path) << refused.error().message();
        EXPECT_THAT(refused.error().message(), HasSubstr("its length"));
    }
    EXPECT_TRUE(hold->commit(transaction{}.create(written, ""), {.timeout = limit()}))
        << "nothing was written";
}

}  // namespace
}  // namespace turnstile::tests
