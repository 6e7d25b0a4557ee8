// SPDX-License-Identifier: Apache-2.0
// Bursts of requests to a database behind a slow network: each trip takes 10 ms.
#include <gtest/gtest.h>

#include <regex>

#include "burst.hpp"
#include "sql_server.hpp"

namespace turnstile::tests {
namespace {

constexpr auto k_one_way = 5ms;

class sql_burst : public ::testing::Test {
protected:
    [[nodiscard]] std::unique_ptr<client> connect_from_afar() const {
        return connect(std::regex_replace(database(), k_address, far_.address()),
                       database_options(9s));
    }
    void SetUp() override {
        far_.delay(direction::to_server, k_one_way);
        far_.delay(direction::to_client, k_one_way);
    }

private:
    [[nodiscard]] static std::string address() {
        std::smatch found;
        const std::string where = database();
        EXPECT_TRUE(std::regex_search(where, found, k_address));
        return found.str();
    }
    static inline const std::regex k_address{R"(127\.0\.0\.1:\d+)"};
    tcp_proxy far_{address(), testing::traffic::bytes};
};

TEST_F(sql_burst, of_acquires_of_free_locks_costs_no_hold) {
    const auto servers = connect_from_afar();
    expect_a_burst_costs_no_hold(*servers, lock_path(), 1'000);
}

TEST_F(sql_burst, of_waiters_that_give_up_costs_no_hold) {
    const auto servers = connect_from_afar();
    const auto other = connect_to_database(60s);
    expect_a_crowd_costs_no_hold(*servers, *other, lock_path(), 500);
}

// One request of the batch waits for a row that a program's own transaction holds; the others do not.
TEST_F(sql_burst, is_not_held_up_by_one_row) {
    const auto servers = connect_to_database(9s);
    mutex checked{*servers, lock_path() + ".checked"};
    auto hold = checked.acquire({.timeout = limit()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto mine = connect_user();
    mine->run("BEGIN");
    ASSERT_TRUE(mine->check(*hold));
    hold->unlock();
    expect_a_burst_costs_no_hold(*servers, lock_path(), 100);
    mine->run("COMMIT");
    EXPECT_TRUE(becomes_empty(*servers, lock_path() + ".checked"));
}

}  // namespace
}  // namespace turnstile::tests
