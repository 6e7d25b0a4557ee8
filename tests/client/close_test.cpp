// SPDX-License-Identifier: Apache-2.0
// Tests close() and ~client on each kind of thread. Both must return, and end every waiting call.
#include <future>
#include <optional>
#include <stop_token>
#include <vector>

#include "support.hpp"

namespace turnstile::tests {
namespace {

class close_test : public shell_test {
protected:
    // The tested client, and its lock.
    std::unique_ptr<client> servers;
    std::unique_ptr<mutex> lock;
    std::optional<guard> hold;

    void open(executor callbacks = {}, std::chrono::milliseconds close_timeout = limit()) {
        servers = connect({.callbacks = std::move(callbacks), .close_timeout = close_timeout});
        lock = std::make_unique<mutex>(*servers, "/lock");
        hold = lock->acquire({.timeout = limit()}).value();
    }
    void expire() { faults.expire(servers->session().id); }
};

TEST_F(close_test, from_the_thread_of_a_loop_that_has_work_of_ours_queued) {
    idle_loop loop;
    open(loop.run(), std::chrono::milliseconds{1});
    int told = 0;
    hold->on_lost([&](const error& why) {
        EXPECT_EQ(why, errc::closed);
        ++told;
    });
    lock->async_acquire({}, [&](const result<guard>& outcome) {
        EXPECT_EQ(outcome.error(), errc::closed);
        ++told;
    });
    servers->close();  // on the loop's thread
    EXPECT_EQ(told, 0);
    loop.run_all();
    EXPECT_EQ(told, 2);
}

TEST_F(close_test, by_the_destructor_after_the_loop_has_ended) {
    for (const auto& run : {dropping_executor(), throwing_executor()}) {
        open(run);
        event told;
        lock->async_acquire({}, [&](const result<guard>&) { told.set(); });
        servers.reset();
        EXPECT_EQ(told.count(), 1U);
    }
}

// After the answer to a release, a thread of the client destroys the hold's callback, and with it the last reference to
// the client. So the client ends on that thread, and its end must not wait for that thread.
TEST_F(close_test, by_what_a_callback_of_a_hold_owns) {
    event closed;
    std::shared_ptr<client> owned{connect().release(), [&](client* last) {
                                      delete last;
                                      closed.set();
                                  }};
    const auto id = owned->session().id;
    {
        mutex mine{*owned, "/lock"};
        auto by_option = mine.acquire({.on_lost = [owned](const error&) {}}).value();
        faults.detach(id);
        ASSERT_TRUE(eventually([&] { return owned->state() == session_state::suspended; }));
        by_option.unlock();
    }
    owned.reset();
    EXPECT_FALSE(closed.is_set());
    faults.attach(id);
    EXPECT_TRUE(closed.wait());
}

TEST_F(close_test, from_a_stop_callback_while_another_thread_closes) {
    open();
    event called;
    const std::stop_callback on_lost{hold->lost(), [&] {
                                         servers->close();
                                         called.set();
                                     }};
    servers->close();
    EXPECT_TRUE(called.wait());
}

TEST_F(close_test, from_a_stop_callback_that_is_the_first_to_close) {
    open();
    event called;
    const std::stop_callback on_lost{hold->lost(), [&] {
                                         servers->close();
                                         called.set();
                                     }};
    expire();
    EXPECT_TRUE(called.wait());
    EXPECT_EQ(servers->state(), session_state::closed);
}

TEST_F(close_test, from_a_callback_of_each_kind_of_executor) {
    loop_thread loop;
    for (const auto& run : {executor{}, inline_executor(), throwing_executor(), loop.run()}) {
        open(run);
        event closed;
        event later;
        hold->on_lost([&](const error&) {
            servers->close();
            servers->close();
            closed.set();
        });
        hold->on_lost([&](const error&) { later.set(); });
        expire();
        EXPECT_TRUE(closed.wait());
        EXPECT_TRUE(later.wait());
    }
}

TEST_F(close_test, from_a_callback_while_another_thread_closes) {
    open();
    event closed;
    const auto handle = servers->on_change([&](const session_change& step) {
        if (step.to != session_state::closed) return;
        servers->close();
        closed.set();
    });
    servers->close();
    EXPECT_TRUE(closed.wait());
}

TEST_F(close_test, from_a_callback_and_a_stop_callback_at_once) {
    open();
    event closed;
    const std::stop_callback on_lost{hold->lost(), [&] {
                                         servers->close();
                                         closed.set();
                                     }};
    hold->on_lost([&](const error&) {
        servers->close();
        closed.set();
    });
    expire();
    EXPECT_TRUE(closed.wait(2));
}

TEST_F(close_test, the_last_of_the_client_goes_in_a_callback) {
    open();
    event gone;
    hold->on_lost([&](const error&) {
        lock.reset();
        servers.reset();
        gone.set();
    });
    expire();
    EXPECT_TRUE(gone.wait());
    EXPECT_FALSE(hold->valid());
}

TEST_F(close_test, by_several_threads_at_once_each_returns_when_it_is_done) {
    open();
    std::vector<std::future<void>> closers;
    for (int i = 0; i != 4; ++i)
        closers.push_back(std::async(std::launch::async, [&] {
            servers->close();
            EXPECT_EQ(servers->state(), session_state::closed);
            EXPECT_FALSE(hold->valid());
        }));
    for (auto& closer : closers) closer.get();
}

TEST_F(close_test, ends_every_wait) {
    open();
    auto waiting = std::async(std::launch::async, [&] { return lock->acquire(); });
    auto asking = std::async(std::launch::async, [&] {
        for (;;) {
            const auto answer = lock->queue();
            if (!answer) return answer.error().code();
        }
    });
    auto other = connect();
    mutex theirs{*other, "/lock"};
    EXPECT_TRUE(eventually([&] { return theirs.queue().value().size() == 2; }));
    servers->close();
    EXPECT_EQ(waiting.get().error(), errc::closed);
    EXPECT_EQ(asking.get(), errc::closed);
    EXPECT_TRUE(theirs.queue().value().empty());
}

TEST_F(close_test, a_stop_callback_that_blocks_does_not_hold_up_the_next_session) {
    open();
    event go;
    event ended;
    const std::stop_callback on_lost{hold->lost(), [&] {
                                         EXPECT_TRUE(go.wait());
                                         ended.set();
                                     }};
    expire();
    EXPECT_TRUE(lock->acquire({.timeout = limit()}).has_value());
    go.set();
    EXPECT_TRUE(ended.wait());
}

TEST_F(close_test, with_many_sessions) {
    client many{where, {.sessions = 64, .max_sessions = 64}};
    many.wait_connected(limit()).value();
    many.close();
    EXPECT_EQ(many.session_count(), 64U);
    for (std::size_t i = 0; i != 64; ++i) EXPECT_EQ(many.session(i).state, session_state::closed);
}

}  // namespace
}  // namespace turnstile::tests
