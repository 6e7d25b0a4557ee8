// SPDX-License-Identifier: Apache-2.0
// Tests calls on a client that is closed, or moved from.
#include <sys/wait.h>
#include <unistd.h>

#include "support.hpp"

namespace turnstile::tests {
namespace {

class closed_client : public shell_test {};

TEST_F(closed_client, calls_a_handler_before_async_acquire_returns) {
    for (const auto& run : {executor{}, dropping_executor()}) {
        const auto servers = connect({.callbacks = run});
        mutex lock{*servers, "/lock"};
        servers->close();
        int calls = 0;
        lock.async_acquire({}, [&](const result<guard>& outcome) {
            ++calls;
            EXPECT_EQ(outcome.error(), errc::closed);
        });
        EXPECT_EQ(calls, 1);
    }
}

// The forked child has no thread that could call the handler, so the call itself must call the handler.
TEST_F(closed_client, calls_a_handler_in_a_forked_child) {
    const auto servers = connect();
    mutex lock{*servers, "/lock"};
    const pid_t child = ::fork();
    if (child == 0) {
        bool told = false;
        lock.async_acquire(
            {}, [&](const result<guard>& hold) { told = !hold && hold.error() == errc::forked; });
        ::_exit(told ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

// In the child, destructors must not wait for threads of the parent.
TEST_F(closed_client, is_let_go_of_by_elections_in_a_forked_child) {
    const auto servers = connect();
    event leads;
    auto election = std::make_unique<leader>(*servers, "/seat", [&](leader_term& term) {
        event stopped;
        const std::stop_callback told{term.lost(), [&] { stopped.set(); }};
        leads.set();
        ASSERT_TRUE(stopped.wait());
    });
    election->start();
    ASSERT_TRUE(leads.wait());
    leader first{*servers, "/latch"};
    first.start();
    ASSERT_TRUE(first.await({.timeout = limit()}));
    auto waiting = std::make_unique<leader>(*servers, "/latch");
    waiting->start();
    ASSERT_TRUE(eventually([&] { return waiting->participants().value().size() == 2; }));
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        election.reset();
        waiting.reset();
        ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    election.reset();
    EXPECT_TRUE(eventually([&] { return !mutex{*servers, "/seat"}.is_locked().value(); }));
}

TEST_F(closed_client, calls_a_handler_that_was_given_to_it_in_a_callback) {
    auto servers = connect();
    mutex lock{*servers, "/lock"};
    event called;
    const auto handle = servers->on_change([&](const session_change& step) {
        if (step.to != session_state::closed) return;
        lock.async_acquire({}, [&](const result<guard>& outcome) {
            EXPECT_EQ(outcome.error(), errc::closed);
            called.set();
        });
    });
    servers->close();
    EXPECT_TRUE(called.wait());
}

TEST_F(closed_client, tells_a_new_listener_so) {
    const auto servers = connect();
    servers->close();
    int calls = 0;
    const auto handle = servers->on_change([&](const session_change& step) {
        ++calls;
        EXPECT_EQ(step.to, session_state::closed);
    });
    EXPECT_EQ(calls, 1);
}

TEST_F(closed_client, tells_a_guard_why) {
    const auto servers = connect();
    mutex lock{*servers, "/lock"};
    auto hold = lock.acquire({.timeout = limit()}).value();
    EXPECT_TRUE(hold.status());
    servers->close();
    EXPECT_EQ(hold.status().error(), errc::closed);
    EXPECT_TRUE(hold.lost().stop_requested());
    int calls = 0;
    hold.on_lost([&](const error& why) {
        ++calls;
        EXPECT_EQ(why, errc::closed);
    });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(hold.release().error(), errc::closed);
}

TEST_F(closed_client, answers_every_call_with_closed) {
    const auto servers = connect();
    mutex lock{*servers, "/lock"};
    servers->close();
    EXPECT_EQ(lock.acquire().error(), errc::closed);
    EXPECT_EQ(lock.try_acquire().error(), errc::closed);
    EXPECT_EQ(lock.holder().error(), errc::closed);
    EXPECT_EQ(servers->wait_connected(limit()).error(), errc::closed);
    EXPECT_THROW(lock.lock(), std::system_error);
}

TEST_F(closed_client, is_what_a_client_becomes_that_was_moved_from) {
    client servers{where};
    const client other{std::move(servers)};
    // NOLINTBEGIN(bugprone-use-after-move): it is what is tested
    EXPECT_EQ(servers.state(), session_state::closed);
    EXPECT_EQ(servers.session_count(), 0U);
    EXPECT_EQ(servers.session().state, session_state::closed);
    EXPECT_EQ(servers.wait_connected(limit()).error(), errc::closed);
    const auto handle = servers.on_change([](const session_change&) { ADD_FAILURE(); });
    servers.close();
    EXPECT_THROW(mutex(servers, "/lock"), std::system_error);
    // NOLINTEND(bugprone-use-after-move)
}

TEST_F(closed_client, an_empty_handler_is_refused_rather_than_left_with_the_lock) {
    const auto servers = connect();
    mutex lock{*servers, "/lock"};
    EXPECT_THROW(lock.async_acquire({}, nullptr), std::system_error);
    EXPECT_TRUE(lock.try_acquire().has_value());
}

TEST_F(closed_client, an_empty_listener_is_refused_open_or_closed) {
    const auto servers = connect();
    const auto refusal = [&] {
        try {
            static_cast<void>(servers->on_change({}));
        } catch (const std::system_error& why) {
            return why.code();
        }
        return std::error_code{};
    };
    EXPECT_EQ(refusal(), errc::bad_option);
    servers->close();
    EXPECT_EQ(refusal(), errc::bad_option);
}

}  // namespace
}  // namespace turnstile::tests
