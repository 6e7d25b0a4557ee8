// SPDX-License-Identifier: Apache-2.0
// Tests bursts of acquires. A burst must not cause the loss of a hold. After the loss of a session, the contenders
// enter again in small numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t k_burst = 1'000;
constexpr duration k_burst_timeout = 1s;
constexpr std::size_t k_endless = 1'000'000;

// Simulates a server that executes one request at a time and needs 5 ms for each request.
class session_burst : public test::session_fixture {
protected:
    using test::session_fixture::session_fixture;

    void SetUp() override {
        start();
        attach(server_role::standalone, k_burst_timeout);
        take_lock(k_ann);
    }
    void acquire_in(const std::string& folder, contender_id id) {
        core::acquire request;
        request.id = id;
        request.settings.folder = folder;
        request.settings.waiters = session_loss_policy::enter_again;
        on(request);
    }
    static session_core_settings without_a_window() {
        auto endless = settings();
        endless.window = {k_endless, k_endless};
        return endless;
    }
    static contender_id burst_id(std::uint64_t i) { return contender_id{100 + i}; }
    void burst() {
        for (std::uint64_t i = 0; i != k_burst; ++i)
            acquire_in("/free/" + std::to_string(i), burst_id(i));
    }
    [[nodiscard]] std::size_t granted_of_burst() const {
        std::size_t all = 0;
        for (std::uint64_t i = 0; i != k_burst; ++i) all += told<granted>(burst_id(i));
        return all;
    }
    void serve_all() {
        while (!open.empty() && !HasFatalFailure()) {
            pass(5ms);
            serve_oldest();
        }
    }
    void serve_oldest() {
        const operation oldest = open.front().request.op;
        std::visit([this](const auto& asked) { serve(asked); }, oldest);
    }

private:
    template <class Op>
    void serve(const Op& asked) {
        auto answer = reply_to<Op>();
        if constexpr (std::is_same_v<Op, create_op>) {
            answer.path = asked.path + "0000000000";
            answer.stat.ephemeral_owner = session_id;
            answer.stat.czxid = ++zxid_;
            stands_[asked.path.substr(0, asked.path.rfind('/'))] = name_of(answer.path);
        } else if constexpr (std::is_same_v<Op, children_op>) {
            answer.children = {stands_[asked.path]};
        }
        on_event(std::move(answer));
    }

    std::int64_t zxid_ = 1000;
    std::map<std::string, std::string> stands_;
};

TEST_F(session_burst, costs_no_hold) {
    burst();
    serve_all();
    EXPECT_EQ(told<lost>(k_ann), 0U);
    EXPECT_EQ(granted_of_burst(), k_burst);
}

class session_without_a_window : public session_burst {
protected:
    session_without_a_window() : session_burst{without_a_window()} {}
};

// Without a window (a limit on the requests in progress), the request that extends the lease waits behind two thousand
// other requests.
TEST_F(session_without_a_window, a_burst_costs_the_hold) {
    burst();
    serve_all();
    EXPECT_EQ(told<lost>(k_ann), 1U);
}

TEST_F(session_burst, enters_in_the_order_of_the_calls) {
    burst();
    serve_all();
    std::vector<contender_id> order;
    for (const auto& notice : notices)
        if (std::holds_alternative<entered>(notice.event)) order.push_back(notice.id);
    EXPECT_EQ(order.size(), k_burst + 1);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(session_burst, leaves_removals_the_way) {
    burst();
    leave(k_ann);
    EXPECT_EQ(count<remove_op>(), 1U) << "a release does not wait for creates that wait";
    EXPECT_LE(open.size(), k_first_window + 1);
}

TEST_F(session_burst, is_given_up_without_a_request_where_it_still_waits) {
    burst();
    const auto before = open.size();
    leave(burst_id(k_burst - 1));
    EXPECT_EQ(open.size(), before);
    EXPECT_EQ(told<gone>(burst_id(k_burst - 1)), 1U);
    serve_all();
    EXPECT_EQ(granted_of_burst(), k_burst - 1);
}

// After the loss of the session, all contenders queue again, so the loss causes another burst.
TEST_F(session_burst, comes_back_slowly_after_a_loss) {
    burst();
    expire();
    pass(200ms);
    ASSERT_EQ(opened.size(), 2U);
    attach(server_role::standalone, k_burst_timeout);
    EXPECT_GE(count<create_op>(), 1U);
    EXPECT_LE(count<create_op>(), k_first_window);
    serve_all();
    EXPECT_EQ(granted_of_burst(), k_burst);
}

// On a new connection, each waiter reads its queue again. The request that extends the session's lease follows the
// first of these reads, and does not wait for all of them.
TEST_F(session_burst, that_waits_in_line_goes_on_slowly_on_a_new_connection) {
    for (std::uint64_t i = 0; i != k_burst; ++i) {
        acquire_in("/held/" + std::to_string(i), burst_id(i));
        answer_create_and_list(1, {stranger(0)});
        answer<get_op>();
    }
    ASSERT_TRUE(open.empty());
    detach();
    attach(server_role::standalone, k_burst_timeout);
    EXPECT_LE(count<children_op>(), k_first_window);
    EXPECT_EQ(count<multi_op>(), 1U) << "the confirmation";
    std::size_t asked = 0;
    while (!open.empty()) {
        if (std::holds_alternative<children_op>(open.front().request.op)) ++asked;
        pass(5ms);
        serve_oldest();
    }
    EXPECT_GE(asked, k_burst);
    EXPECT_EQ(told<lost>(k_ann), 0U);
}

}  // namespace
}  // namespace turnstile::core
