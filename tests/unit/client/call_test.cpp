// SPDX-License-Identifier: Apache-2.0
// Tests the class `call`: what the caller of an acquire learns of a grant, a refusal, a loss and a stop. The test
// decides when these events happen.
#include "client/call.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/thread/thread.hpp>

#include "client/option_table.hpp"
#include "needs_interruption.hpp"
#include "turnstile/testing/event.hpp"

namespace turnstile::detail {
namespace {

using turnstile::testing::event;

class played_hold final : public call {
public:
    explicit played_hold(acquire_options options = {}, handler done = {})
        : call{with_user_code(std::move(options)), std::move(done)} {}

    // ---- actions of the test ----
    void be_granted() {
        {
            const base::lock_guard lock{mutex_};
            grant();
        }
        wake();
    }
    void be_refused(const error& why) {
        {
            const base::lock_guard lock{mutex_};
            refuse(why);
        }
        wake();
    }
    void be_lost(const error& why) {
        std::vector<task> callbacks;
        {
            const base::lock_guard lock{mutex_};
            callbacks = lose(why);
        }
        for (auto& callback : callbacks) post(std::move(callback));
        trigger_lost();
    }
    void run_posted() {
        while (!posted.empty()) {
            const auto callback = std::move(posted.front());
            posted.pop_front();
            callback();
        }
    }
    using call::answer_handler;
    using call::tell;
    using call::telling;

    bool certain = true;
    std::vector<error> cancelled;
    std::vector<error> left;
    std::deque<task> posted;

    // ---- the interface `hold` ----
    [[nodiscard]] const std::string& path() const noexcept override { return path_; }
    [[nodiscard]] std::string znode() const override { return {}; }
    [[nodiscard]] turnstile::fencing_token token() const noexcept override { return {}; }
    [[nodiscard]] fencing_vector tokens() const override { return {}; }
    [[nodiscard]] boottime_clock::time_point certain_until() const noexcept override {
        return certain ? boottime_clock::time_point::max() : boottime_clock::time_point::min();
    }
    [[nodiscard]] boottime_clock::time_point valid_until() const noexcept override { return {}; }
    [[nodiscard]] lease_evidence evidence() const noexcept override {
        return lease_evidence::direct;
    }
    [[nodiscard]] result<znode_holds> parts_for_commit() override { return znode_holds{}; }
    [[nodiscard]] boottime_clock::duration release_limit() const override { return {}; }
    result<void> release(boottime_clock::time_point /*deadline*/) override {
        unlock();
        return {};
    }

private:
    [[nodiscard]] bool is_certain() const noexcept override { return certain; }
    [[nodiscard]] error doubt() const override { return errc::session_lost; }
    void cancel(const error& why) noexcept override { cancelled.push_back(why); }
    void leave(const error& why) noexcept override { left.push_back(why); }
    void post(task callback) override { posted.push_back(std::move(callback)); }

    const std::string path_ = "/played";
};

std::shared_ptr<played_hold> make(acquire_options options = {}, call::handler done = {}) {
    return std::make_shared<played_hold>(std::move(options), std::move(done));
}

// ---- the outcome of a call ------------------------------------------------------------------

TEST(call, a_wait_ends_with_a_guard_that_gives_the_hold_up) {
    const auto hold = make();
    boost::thread granter{[&] { hold->be_granted(); }};
    {
        const auto held = hold->wait();
        ASSERT_TRUE(held) << held.error().message();
        EXPECT_TRUE(hold->left.empty());
    }
    granter.join();
    EXPECT_EQ(hold->left.size(), 1U);
}

TEST(call, a_refusal_is_the_outcome_and_gives_the_rest_up) {
    const auto hold = make();
    hold->be_refused(errc::timeout);
    EXPECT_EQ(hold->wait().error(), errc::timeout);
    ASSERT_EQ(hold->left.size(), 1U);
    EXPECT_EQ(hold->left.front(), errc::timeout);
}

TEST(call, a_grant_whose_lease_ended_before_the_caller_woke_is_no_success) {
    const auto hold = make();
    hold->be_granted();
    hold->certain = false;
    EXPECT_EQ(hold->wait().error(), errc::session_lost);
    EXPECT_EQ(hold->left.size(), 1U);
}

TEST(call, a_loss_before_the_hand_over_is_the_outcome_and_told_by_nothing_else) {
    int told = 0;
    const auto hold = make({.on_lost = [&](const error&) { ++told; }});
    hold->be_granted();
    hold->be_lost(errc::removed);
    EXPECT_EQ(hold->wait().error(), errc::removed);
    hold->run_posted();
    EXPECT_EQ(told, 0);
}

TEST(call, an_interruption_ends_the_wait_and_a_grant_that_came_with_it) {
    TURNSTILE_NEEDS_INTERRUPTION();
    const auto hold = make();
    std::optional<error> why;
    boost::thread waiting{[&] {
        boost::this_thread::interruption_enabled();
        why = hold->wait().error();
    }};
    waiting.interrupt();
    waiting.join();
    EXPECT_EQ(why.value(), errc::interrupted);
    hold->be_granted();
    EXPECT_EQ(hold->left.size(), 1U);
}

TEST(call, a_handler_is_called_once_and_its_guard_gives_the_hold_up) {
    int calls = 0;
    const auto hold = make({}, [&](const result<guard>& outcome) {
        EXPECT_TRUE(outcome);
        ++calls;
    });
    hold->be_granted();
    hold->answer_handler();
    hold->answer_handler();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(hold->left.size(), 1U);
}

// ---- the time of the grant ------------------------------------------------------------------

TEST(call, the_time_of_the_grant_is_told_where_the_guard_goes_and_before_it) {
    std::vector<boottime_clock::time_point> told;
    std::thread::id thread;
    const auto note = [&](boottime_clock::time_point granted_at) {
        told.push_back(granted_at);
        thread = std::this_thread::get_id();
    };
    const auto hold = make({.on_granted_at = note});
    const auto before = boottime_clock::now();
    std::thread{[&] { hold->be_granted(); }}.join();
    const auto after = boottime_clock::now();
    EXPECT_TRUE(told.empty()) << "it is the caller's thread that tells it";
    EXPECT_TRUE(hold->wait().has_value());
    ASSERT_EQ(told.size(), 1U);
    EXPECT_LE(before, told.front());
    EXPECT_LE(told.front(), after) << "of the grant, not of the hand-over";
    EXPECT_EQ(thread, std::this_thread::get_id());

    const auto handled = make({.on_granted_at = note}, [&](const result<guard>& outcome) {
        EXPECT_TRUE(outcome);
        EXPECT_EQ(told.size(), 2U);
    });
    handled->be_granted();
    handled->answer_handler();
    EXPECT_EQ(told.size(), 2U);
}

TEST(call, the_time_of_the_grant_is_not_told_of_a_call_that_ends_without_a_guard) {
    int told = 0;
    const auto count = [&](boottime_clock::time_point) { ++told; };
    const auto refused = make({.on_granted_at = count});
    refused->be_refused(errc::timeout);
    EXPECT_FALSE(refused->wait().has_value());
    const auto late = make({.on_granted_at = count});
    late->be_granted();
    late->certain = false;
    EXPECT_FALSE(late->wait().has_value());
    EXPECT_EQ(told, 0);
}

TEST(call, an_on_granted_at_that_throws_costs_the_caller_nothing) {
    const auto hold = make({.on_granted_at = [](boottime_clock::time_point) { throw 1; }});
    hold->be_granted();
    EXPECT_TRUE(hold->wait().has_value());
}

// ---- the stop token -------------------------------------------------------------------------

TEST(call, a_stop_token_cancels_the_wait_until_the_outcome_is_there) {
    std::stop_source stop;
    const auto waits = make();
    waits->listen(stop.get_token());
    const auto answered = make({}, [](const result<guard>&) {});
    answered->listen(stop.get_token());
    answered->be_granted();
    answered->answer_handler();
    stop.request_stop();
    ASSERT_EQ(waits->cancelled.size(), 1U);
    EXPECT_EQ(waits->cancelled.front(), errc::cancelled);
    EXPECT_EQ(waits->cancelled.front().detail(), "/played");
    EXPECT_TRUE(answered->cancelled.empty());
}

TEST(call, a_stop_token_that_was_triggered_before_cancels_at_once) {
    std::stop_source stop;
    stop.request_stop();
    const auto hold = make();
    hold->listen(stop.get_token());
    EXPECT_EQ(hold->cancelled.size(), 1U);
}

// ---- the loss of a hold ---------------------------------------------------------------------

TEST(call, a_loss_is_told_by_everything_once) {
    std::vector<errc> told;
    const auto note = [&](const error& why) { told.push_back(why.code()); };
    const auto hold = make({.on_lost = note});
    hold->be_granted();
    auto held = hold->wait().value();
    held.on_lost(note);
    const auto lost = held.lost();
    EXPECT_FALSE(lost.stop_requested());
    hold->be_lost(errc::removed);
    hold->be_lost(errc::session_lost);
    EXPECT_TRUE(lost.stop_requested());
    held.on_lost(note);
    hold->run_posted();
    EXPECT_EQ(told, (std::vector<errc>{errc::removed, errc::removed, errc::removed}));
    EXPECT_EQ(held.status().error(), errc::removed);
}

TEST(call, a_token_that_is_asked_for_after_the_loss_is_triggered) {
    const auto hold = make();
    hold->be_granted();
    const auto held = hold->wait().value();
    hold->be_lost(errc::removed);
    EXPECT_TRUE(held.lost().stop_requested());
}

TEST(call, what_is_given_up_tells_nothing) {
    int told = 0;
    const auto count = [&](const error&) { ++told; };
    const auto hold = make({.on_lost = count});
    hold->be_granted();
    auto held = hold->wait().value();
    held.on_lost(count);
    hold->be_lost(errc::removed);
    held.unlock();
    hold->run_posted();
    EXPECT_EQ(told, 0);
}

// ---- the user's callbacks -------------------------------------------------------------------

TEST(call, a_callback_of_a_waiter_does_not_begin_after_the_answer) {
    const auto hold = make();
    int told = 0;
    const auto callback = hold->telling(call::audience::waiter, [&] { ++told; });
    callback();
    hold->be_refused(errc::timeout);
    EXPECT_FALSE(hold->wait().has_value());
    callback();
    EXPECT_EQ(told, 1);
}

TEST(call, the_answer_waits_for_a_callback_of_the_waiter_that_is_under_way) {
    const auto hold = make();
    event begun;
    event go;
    std::atomic<bool> ended{false};
    boost::thread telling{[&] {
        hold->tell(call::audience::waiter, [&] {
            begun.set();
            EXPECT_TRUE(go.wait());
            ended = true;
        });
    }};
    ASSERT_TRUE(begun.wait());
    boost::thread granter{[&] {
        hold->be_granted();
        go.set();
    }};
    EXPECT_TRUE(hold->wait().has_value());
    EXPECT_TRUE(ended);
    telling.join();
    granter.join();
}

TEST(call, a_callback_that_throws_is_over) {
    const auto hold = make();
    EXPECT_THROW(hold->tell(call::audience::waiter, [] { throw 1; }), int);
    hold->be_granted();
    EXPECT_TRUE(hold->wait().has_value()) << "it would wait for the callback for ever";
}

TEST(call, knows_whether_user_code_ends_with_it) {
    EXPECT_FALSE(make()->carries_user_code());
    EXPECT_FALSE(make({.max_hold = std::chrono::seconds{1}})->carries_user_code());
    EXPECT_TRUE(make({.on_queued = [](std::size_t) {}})->carries_user_code());
    EXPECT_TRUE(make({}, [](const result<guard>&) {})->carries_user_code());
}

}  // namespace
}  // namespace turnstile::detail
