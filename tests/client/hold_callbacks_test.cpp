// SPDX-License-Identifier: Apache-2.0
// Tests when a hold's callbacks run, and when they do not.
#include <future>
#include <optional>

#include <boost/thread/thread.hpp>

#include "client/client_impl.hpp"
#include "client/internals.hpp"
#include "needs_interruption.hpp"
#include "support.hpp"

namespace turnstile::tests {
namespace {

class hold_callbacks : public shell_test {
protected:
    idle_loop loop;  // callbacks wait here until the test runs them
    std::unique_ptr<client> servers = connect({.callbacks = loop.run()});
    mutex lock{*servers, "/lock"};

    void expire() { faults.expire(servers->session().id); }
    [[nodiscard]] bool waits(std::size_t contenders) const {
        return eventually([&] { return lock.queue().value().size() == contenders; });
    }
};

TEST_F(hold_callbacks, on_queued_is_not_called_after_acquire_has_returned) {
    const auto first = lock.acquire({.timeout = limit()}).value();
    event called;
    std::stop_source stop;
    auto waiting = std::async(std::launch::async, [&] {
        return lock.acquire(
            {.stop = stop.get_token(), .on_queued = [&](std::size_t) { called.set(); }});
    });
    ASSERT_TRUE(waits(2));
    ASSERT_TRUE(loop.wait()) << "the callback is queued";
    stop.request_stop();
    EXPECT_EQ(waiting.get().error(), errc::cancelled);
    loop.run_all();
    EXPECT_FALSE(called.is_set());
}

TEST_F(hold_callbacks, acquire_returns_after_an_on_queued_that_is_under_way) {
    TURNSTILE_NEEDS_INTERRUPTION();
    const auto own_thread = connect();
    mutex theirs{*own_thread, "/lock"};
    const auto first = lock.acquire({.timeout = limit()}).value();
    event begun;
    event go;
    std::atomic<bool> ended{false};
    std::stop_source stop;
    boost::thread waiting{[&] {
        const auto outcome = theirs.acquire({.on_queued = [&](std::size_t) {
            begun.set();
            EXPECT_TRUE(go.wait());
            ended = true;
        }});
        EXPECT_EQ(outcome.error(), errc::interrupted);
        EXPECT_TRUE(ended);
    }};
    ASSERT_TRUE(begun.wait());
    waiting.interrupt();
    EXPECT_TRUE(waits(2) || waits(1));
    go.set();
    waiting.join();
}

TEST_F(hold_callbacks, on_queued_of_a_handler_comes_before_it) {
    auto first = lock.acquire({.timeout = limit()}).value();
    std::vector<int> order;
    lock.async_acquire({.on_queued = [&](std::size_t) { order.push_back(1); }},
                       [&](const result<guard>&) { order.push_back(2); });
    ASSERT_TRUE(waits(2));
    first.unlock();
    EXPECT_TRUE(eventually([&] {
        loop.run_all();
        return !order.empty() && order.back() == 2;
    }));
    EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_F(hold_callbacks, a_loss_is_told_by_everything_once) {
    int told = 0;
    const auto count = [&](const error& why) {
        EXPECT_EQ(why, errc::session_lost);
        ++told;
    };
    auto hold = lock.acquire({.timeout = limit(), .on_lost = count}).value();
    hold.on_lost(count);
    expire();
    EXPECT_TRUE(eventually([&] {
        loop.run_all();
        return told == 2;
    }));
    hold.on_lost(count);
    ASSERT_TRUE(eventually([&] {
        loop.run_all();
        return told == 3;
    }));
}

TEST_F(hold_callbacks, a_hold_that_was_given_up_tells_nothing) {
    int told = 0;
    const auto count = [&](const error&) { ++told; };
    auto hold = lock.acquire({.timeout = limit(), .on_lost = count}).value();
    hold.on_lost(count);
    expire();
    ASSERT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
    EXPECT_EQ(hold.release().error(), errc::session_lost);
    servers->close();
    EXPECT_EQ(told, 0);
}

TEST_F(hold_callbacks, a_hold_that_the_caller_never_had_tells_nothing) {
    int told = 0;
    lock.async_acquire({.on_lost = [&](const error&) { ++told; }},
                       [&](const result<guard>& outcome) { EXPECT_FALSE(outcome); });
    ASSERT_TRUE(loop.wait()) << "granted; the handler has not run";
    expire();
    ASSERT_TRUE(eventually([&] { return servers->session().epoch == 2; }));
    servers->close();
    EXPECT_EQ(told, 0);
}

// The destructor of a user's object may run any code. Here it closes the client, which notifies each hold. So the
// library must hold no lock meanwhile.
TEST_F(hold_callbacks, what_a_callback_holds_is_destroyed_under_no_lock) {
    auto hold = lock.acquire({.timeout = limit()}).value();
    bool closed = false;
    std::shared_ptr<void> closes{nullptr, [&](void*) {
                                     servers->close();
                                     closed = true;
                                 }};
    hold.on_lost([held = std::move(closes)](const error&) {});
    hold.unlock();
    EXPECT_TRUE(closed);
}

// Counts the copies and destructions of a handler after the call that took the handler has returned.
struct handler_history {
    std::atomic<bool> handed_over{false};
    std::atomic<int> copies{0};
    std::atomic<int> ends{0};
    std::atomic<int> ends_elsewhere{0};  // destructions on other threads than the handler's call
    event ran;
    event ended;
    std::thread::id runner;
};

class watched_handler {
public:
    explicit watched_handler(handler_history& history) : history_{&history} {}
    watched_handler(const watched_handler& other) : history_{other.history_} {
        if (history_->handed_over) ++history_->copies;
    }
    watched_handler(watched_handler&& other) noexcept
        : history_{std::exchange(other.history_, nullptr)} {}
    watched_handler& operator=(const watched_handler&) = delete;
    ~watched_handler() {
        if (history_ == nullptr || !history_->handed_over) return;
        ++history_->ends;
        if (history_->runner != std::this_thread::get_id()) ++history_->ends_elsewhere;
        history_->ended.set();
    }
    void operator()(const result<guard>& answer) const {
        EXPECT_TRUE(answer) << answer.error().message();
        history_->runner = std::this_thread::get_id();
        history_->ran.set();
    }

private:
    handler_history* history_;
};

TEST_F(hold_callbacks, stop_callbacks_of_holds_that_are_lost_together_may_wait_for_each_other) {
    mutex second{*servers, "/second"};
    const auto hold = lock.acquire({.timeout = limit()}).value();
    const auto other = second.acquire({.timeout = limit()}).value();
    event one_lost;
    event other_lost;
    const std::stop_callback on_one{hold.lost(), [&] {
                                        one_lost.set();
                                        EXPECT_TRUE(other_lost.wait());
                                    }};
    const std::stop_callback on_other{other.lost(), [&] {
                                          other_lost.set();
                                          EXPECT_TRUE(one_lost.wait());
                                      }};
    expire();
    EXPECT_TRUE(one_lost.wait());
    EXPECT_TRUE(other_lost.wait());
}

// The library reports a grant while it holds the locks of the session and of the hold. Meanwhile it must destroy no
// object of the user, because the destructor may wait for these locks. An example is a stop callback, whose destructor
// waits for a running call.
TEST_F(hold_callbacks, an_answer_in_the_background_is_not_copied_and_ends_where_it_runs) {
    auto first = lock.acquire({.timeout = limit()}).value();
    handler_history history;
    {
        const auto inside = detail::internals::of(*servers);
        auto call = inside->request(base::shared_text{lock.path()}, {core::claim_kind::lock},
                                    core::attempt::wait, {}, watched_handler{history});
        ASSERT_TRUE(call);
        call->where = detail::acquire_request::answers::on_workers;
        ASSERT_TRUE(inside->acquire(std::move(call)));
    }
    ASSERT_TRUE(waits(2));
    history.handed_over = true;
    first.unlock();
    ASSERT_TRUE(history.ran.wait());
    ASSERT_TRUE(history.ended.wait());
    servers->close();  // now the thread that reported the grant has finished
    EXPECT_EQ(history.copies, 0) << "copying is user code, too";
    EXPECT_EQ(history.ends, 1);
    EXPECT_EQ(history.ends_elsewhere, 0);
}

}  // namespace
}  // namespace turnstile::tests
