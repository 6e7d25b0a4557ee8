// SPDX-License-Identifier: Apache-2.0
// Tests bursts of requests to a database with round trips of 10 ms.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "burst.hpp"
#include "session_recorder.hpp"
#include "sql/coordinator.hpp"
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

// A program has locked a row, for which one request of the batch waits. The other requests must not wait.
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

// A session whose oldest request, a write, waits for a row that a program has locked. The next request, a read, cannot
// be in the same batch. So all later requests wait in the client.
class sql_queue : public ::testing::Test {
protected:
    void SetUp() override {
        me.attached();
        for (const auto& znode : {held_up, read_one, checked})
            ASSERT_EQ(me.ask(core::create_op{znode}).error, core::server_error::ok);
        mine->run("BEGIN");
        mine->run("SELECT path FROM turnstile_nodes WHERE path = '" + held_up + "' FOR UPDATE");
        write = me.submit(core::set_op{held_up, "changed"});
        read = me.submit(core::get_op{read_one});
    }
    // Returns the tickets in the order of the answers.
    [[nodiscard]] std::vector<core::ticket> answered() const {
        std::vector<core::ticket> all;
        for (const auto& each : me.heard<core::reply>()) all.push_back(each.id);
        return all;
    }

    const std::string held_up = base_path() + "-held-up";
    const std::string read_one = base_path() + "-read";
    const std::string checked = base_path() + "-checked";
    session_recorder me{sql::make_coordinator(database()), patient_settings()};
    const std::unique_ptr<user_connection> mine = connect_user();
    core::ticket write{};
    core::ticket read{};

private:
    static std::string base_path() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        return std::string{"/"} + test->name();
    }
};

// The lease starts when the client sends a request, and not when the caller submits it.
TEST_F(sql_queue, a_request_counts_as_sent_when_it_leaves) {
    const auto waits = boottime_clock::now();
    mine->run("COMMIT");
    EXPECT_GE(me.wait(read).sent, waits);
}

TEST_F(sql_queue, a_confirmation_overtakes_what_waits) {
    const auto create = me.submit(core::create_op{read_one + "/child"});
    const auto confirmation =
        me.submit(core::multi_op{{core::check_op{held_up, core::k_any_version}}});
    const auto other = me.submit(core::multi_op{{core::check_op{checked, core::k_any_version}}});
    mine->run("COMMIT");
    me.wait(create);
    me.wait(confirmation);
    const auto order = answered();
    const auto place = [&order](core::ticket id) {
        return std::find(order.begin(), order.end(), id) - order.begin();
    };
    EXPECT_LT(place(other), place(read)) << "nothing ahead of it changes what it checks";
    EXPECT_LT(place(read), place(create));
    EXPECT_LT(place(write), place(confirmation)) << "it checks what that changes";
}

}  // namespace
}  // namespace turnstile::tests
