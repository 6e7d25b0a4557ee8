// SPDX-License-Identifier: Apache-2.0
// Tests testing::simulation::commit(): the rules and errors of guard::commit(), and commits under several holds.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "turnstile/guard.hpp"
#include "turnstile/testing/simulation.hpp"

namespace turnstile::testing {
namespace {

using namespace std::chrono_literals;

class user_commits : public ::testing::Test {
protected:
    using outcome = std::optional<result<commit_result>>;

    simulation run{{.seed = 1, .servers = 3}};
    const simulated_client ann = run.add_client();

    simulated_hold hold(simulated_client by, const std::string& path, simulated_call call = {}) {
        const auto held = run.acquire(by, path, std::move(call));
        EXPECT_TRUE(run.run_until([&] { return run.valid(held); }, 30s));
        return held;
    }
    // Returns the commit's error code; no error if the commit was executed.
    static std::error_code code(const outcome& told) {
        return told && !*told ? std::error_code{told->error().code()} : std::error_code{};
    }
    outcome commit(simulated_hold under, const transaction& writes,
                   const std::vector<simulated_hold>& further = {}) {
        outcome told;
        run.commit(
            under, writes, [&](const auto& answer) { told = answer; }, further);
        EXPECT_TRUE(run.run_until([&] { return told.has_value(); }, 1min));
        return told;
    }
    std::error_code refusal(simulated_hold under, const transaction& writes,
                            const std::vector<simulated_hold>& further = {}) {
        try {
            run.commit(under, writes, {}, further);
        } catch (const std::system_error& why) {
            return why.code();
        }
        return {};
    }
};

TEST_F(user_commits, that_break_a_rule_are_refused_as_a_guards_are) {
    const auto held = hold(ann, "/locks/a");
    EXPECT_EQ(refusal(held, transaction{}), errc::bad_option);
    EXPECT_EQ(refusal(held, transaction{}.set("/stock", "", -2)), errc::bad_option);
    EXPECT_EQ(refusal(held, transaction{}.put("stock", "")), errc::bad_path);
    EXPECT_EQ(refusal(held, transaction{}.remove("/")), errc::bad_path);
    EXPECT_EQ(
        refusal(held, transaction{}.put("/stock", std::string(transaction::k_most_bytes, 'x'))),
        errc::bad_option);
    // The commit creates a sequential znode whose whole name is its number.
    EXPECT_TRUE(*commit(held, transaction{}.make("/orders").create(
                                  "/orders/", "", node_kind::persistent_sequential)));
    run.settle();
}

TEST_F(user_commits, under_a_guard_are_refused) {
    const auto held = hold(ann, "/locks/a");
    EXPECT_EQ(refusal(held, transaction{}.put("/stock", "").under(guard{})), errc::bad_option);
    const auto bob = run.add_client();
    EXPECT_EQ(refusal(held, transaction{}.put("/stock", ""), {hold(bob, "/locks/b")}),
              errc::bad_option);
    run.settle();
}

TEST_F(user_commits, after_a_loss_tell_why_it_was_lost) {
    std::optional<error> lost;
    const auto held = hold(ann, "/locks/a", {.on_lost = [&](const error& why) { lost = why; }});
    run.delete_znode(held);
    ASSERT_TRUE(run.run_until([&] { return lost.has_value(); }, 1min));
    EXPECT_EQ(code(commit(held, transaction{}.make("/stock"))), errc::removed);
    run.settle();
}

TEST_F(user_commits, may_rest_on_several_holds) {
    const auto first = hold(ann, "/locks/a");
    const auto second = hold(ann, "/locks/b");
    EXPECT_TRUE(*commit(first, transaction{}.make("/stock"), {second, first, second}));
    run.release(second);
    EXPECT_EQ(code(commit(first, transaction{}.put("/stock", "1"), {second})), errc::not_held);
    run.settle();
}

// A third party deletes the znode, and the znode's holder does not know it yet.
TEST_F(user_commits, fail_when_a_further_hold_does_not_stand) {
    const auto first = hold(ann, "/locks/a");
    const auto second = hold(ann, "/locks/b");
    outcome told;
    run.delete_znode(second);
    run.commit(first, transaction{}.make("/stock"), [&](const auto& answer) { told = answer; },
               {second});
    ASSERT_TRUE(run.run_until([&] { return told.has_value(); }, 1min));
    EXPECT_EQ(code(told), errc::removed);
    run.settle();
}

TEST_F(user_commits, are_answered_before_a_further_hold_is_given_back) {
    const auto bob = run.add_client();
    const auto first = hold(ann, "/locks/a");
    const auto second = hold(ann, "/locks/b");
    std::vector<std::string> order;
    run.acquire(bob, "/locks/b", {.on_granted = [&](auto) { order.emplace_back("granted"); }});
    run.run_for(1s);
    run.commit(first, transaction{}.make("/stock"),
               [&](const auto& answer) {
                   EXPECT_TRUE(answer) << answer.error().message();
                   order.emplace_back("committed");
               },
               {second});
    run.release(second);
    ASSERT_TRUE(run.run_until([&] { return order.size() == 2; }, 1min));
    EXPECT_EQ(order, (std::vector<std::string>{"committed", "granted"}));
    run.settle();
}

}  // namespace
}  // namespace turnstile::testing
