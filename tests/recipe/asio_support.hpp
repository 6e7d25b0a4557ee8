// SPDX-License-Identifier: Apache-2.0
// Tests of completion tokens for standalone Asio and for Boost.Asio. Both libraries have the same tests: a template
// parameter provides the library's names.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/support.hpp"

namespace turnstile::tests {

using namespace std::chrono_literals;

// The template parameter `Asio` is a class with these names: awaitable, io_context, strand_of, spawn, bind,
// use_awaitable, use_future, and the functions that take tokens.
template <class Asio>
class asio_tokens : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();
    std::unique_ptr<client> others = connect();
    mutex lock{*servers, "/lock"};
    mutex their_lock{*others, "/lock"};
    const acquire_options patient{.timeout = limit()};
    std::unique_ptr<typename Asio::io_context> io = std::make_unique<typename Asio::io_context>();
    std::exception_ptr thrown;

    // Runs the coroutine to its end, on this thread.
    template <class Body>
    void finish(Body body) {
        start(body);
        io->run();
        if (thrown) std::rethrow_exception(thrown);
    }
    template <class Body>
    void start(Body& body) {
        Asio::spawn(*io, body(), [this](std::exception_ptr failure) { thrown = failure; });
    }
    [[nodiscard]] bool becomes_length(std::size_t length) const {
        return eventually([&] { return lock.queue().value().size() == length; });
    }
};

TYPED_TEST_SUITE_P(asio_tokens);

TYPED_TEST_P(asio_tokens, a_lock_in_an_awaitable) {
    using asio = TypeParam;
    const auto here = std::this_thread::get_id();
    bool ended = false;
    this->finish([&, this]() -> typename asio::template awaitable<void> {
        auto hold = co_await asio::async_acquire(this->lock, this->patient, asio::use_awaitable);
        EXPECT_TRUE(hold && hold->valid());
        EXPECT_EQ(std::this_thread::get_id(), here);
        const auto again = co_await asio::async_acquire(this->lock, 1ms, asio::use_awaitable);
        EXPECT_EQ(again.error(), errc::timeout);
        hold->unlock();
        const auto next = co_await asio::async_acquire(this->lock, limit(), asio::use_awaitable);
        EXPECT_TRUE(next) << next.error().message();
        ended = true;
    });
    EXPECT_TRUE(ended);
    EXPECT_TRUE(this->becomes_length(0));
}

TYPED_TEST_P(asio_tokens, calls_that_wait_for_the_servers) {
    using asio = TypeParam;
    const auto here = std::this_thread::get_id();
    bool ended = false;
    this->finish([&, this]() -> typename asio::template awaitable<void> {
        auto& them = *this->servers;
        const auto up = co_await asio::async_wait_connected(them, limit(), asio::use_awaitable);
        EXPECT_TRUE(up);
        auto hold =
            co_await asio::async_try_acquire(them, this->lock, this->patient, asio::use_awaitable);
        EXPECT_TRUE(hold && hold->valid());
        EXPECT_EQ(std::this_thread::get_id(), here);
        const auto busy =
            co_await asio::async_try_acquire(them, this->their_lock, limit(), asio::use_awaitable);
        EXPECT_EQ(busy.error(), errc::busy);
        auto look = [this](std::stop_token stop) { return this->lock.queue({.stop = stop}); };
        const auto queue = co_await asio::async_call(them, look, asio::use_awaitable);
        EXPECT_EQ(queue.value().size(), 1U);
        auto query = [this] { return this->lock.holder(); };
        const auto holder = co_await asio::async_call(them, query, asio::use_awaitable);
        EXPECT_TRUE(holder.value().has_value());
        transaction writes;
        writes.create("/written", "1");
        const auto written =
            co_await asio::async_commit(*hold, writes, limit(), asio::use_awaitable);
        EXPECT_EQ(written.value().created.front(), "/written");
        const auto gone =
            co_await asio::async_release(them, std::move(*hold), limit(), asio::use_awaitable);
        EXPECT_TRUE(gone) << gone.error().message();
        EXPECT_FALSE(this->lock.is_locked().value());
        EXPECT_EQ(std::this_thread::get_id(), here);
        ended = true;
    });
    EXPECT_TRUE(ended);
}

TYPED_TEST_P(asio_tokens, every_recipe) {
    using asio = TypeParam;
    recursive_mutex again{*this->servers, "/again"};
    shared_mutex both{*this->servers, "/both"};
    semaphore some{*this->servers, "/some", 3};
    mutex other{*this->servers, "/other"};
    multi_lock all{this->lock, other};
    any_lock any{this->lock};
    mutex retained{*this->servers, "/retained", {.retain_for = 1min}};
    std::vector<std::unique_ptr<client>> three;
    std::vector<quorum_member> members;
    for (const auto* name : {"a", "b", "c"}) {
        three.push_back(std::make_unique<client>("local:" + this->tree + name));
        members.emplace_back(*three.back(), name);
    }
    quorum_lock most{members, "/most"};
    int held = 0;
    this->finish([&, this]() -> typename asio::template awaitable<void> {
        const auto& how = this->patient;
        const auto me = owner::make();
        const auto count = [&held](const result<guard>& hold) {
            EXPECT_TRUE(hold) << hold.error().message();
            if (hold && hold->valid()) ++held;
        };
        count(co_await asio::async_acquire(again, how, me, asio::use_awaitable));
        count(co_await asio::async_acquire(both, how, asio::use_awaitable));
        count(co_await asio::async_acquire(both.readers(), how, asio::use_awaitable));
        count(co_await asio::async_acquire(some, how, asio::use_awaitable));
        count(co_await asio::async_acquire(some, 3, how, asio::use_awaitable));
        count(co_await asio::async_acquire(all, how, asio::use_awaitable));
        count(co_await asio::async_acquire(any, how, asio::use_awaitable));
        count(co_await asio::async_acquire(retained, how, asio::use_awaitable));
        count(co_await asio::async_acquire(most, how, asio::use_awaitable));
        auto reading = co_await asio::async_acquire(both.upgraders(), how, asio::use_awaitable);
        count(reading);
        const auto writing =
            co_await asio::async_upgrade(both, std::move(*reading), how, asio::use_awaitable);
        EXPECT_TRUE(writing.outcome && writing.hold.valid());
    });
    EXPECT_EQ(held, 10);
}

TYPED_TEST_P(asio_tokens, a_future) {
    using asio = TypeParam;
    auto future = asio::async_acquire(this->lock, this->patient, asio::use_future);
    auto hold = future.get();
    ASSERT_TRUE(hold && hold->valid());
    auto gone = asio::async_release(*this->servers, std::move(*hold), limit(), asio::use_future);
    EXPECT_TRUE(gone.get());
}

// The handler is bound to a strand of a pool. It must run on the strand, and never inside the call of async_acquire(),
// even if the outcome is known at once.
TYPED_TEST_P(asio_tokens, a_handler_runs_by_its_executor) {
    using asio = TypeParam;
    typename asio::thread_pool pool{2};
    const auto strand = asio::strand_of(pool);
    event told;
    const auto handler = [&](result<guard> hold) {
        EXPECT_TRUE(strand.running_in_this_thread());
        EXPECT_TRUE(hold || hold.error() == errc::closed);
        told.set();
    };
    asio::async_acquire(this->lock, this->patient, asio::bind(strand, handler));
    ASSERT_TRUE(told.wait());
    this->servers->close();
    asio::async_acquire(this->lock, this->patient, asio::bind(strand, handler));
    ASSERT_TRUE(told.wait(2));
    pool.join();
}

// The library moves the handler and never copies it. Without an associated executor the handler runs on a thread of the
// system executor.
TYPED_TEST_P(asio_tokens, a_handler_that_cannot_be_copied) {
    using asio = TypeParam;
    event told;
    asio::async_acquire(this->lock, this->patient,
                        [&told, own = std::make_unique<int>(7)](result<guard> hold) {
                            EXPECT_TRUE(hold);
                            EXPECT_EQ(*own, 7);
                            told.set();
                        });
    EXPECT_TRUE(told.wait());
}

// A wait must count as work of the context. Otherwise run() would return at once.
TYPED_TEST_P(asio_tokens, a_wait_is_outstanding_work) {
    using asio = TypeParam;
    auto theirs = this->their_lock.acquire().value();
    bool ended = false;
    const auto take = [&, this]() -> typename asio::template awaitable<void> {
        const auto hold =
            co_await asio::async_acquire(this->lock, this->patient, asio::use_awaitable);
        ended = hold.has_value();
    };
    this->start(take);
    auto release = std::async(std::launch::async, [&] {
        EXPECT_TRUE(this->becomes_length(2));
        theirs.unlock();
    });
    this->io->run();
    EXPECT_TRUE(ended);
    release.get();
}

TYPED_TEST_P(asio_tokens, a_stop_token_and_a_closed_client_end_the_wait) {
    using asio = TypeParam;
    const auto theirs = this->their_lock.acquire().value();
    std::stop_source stop;
    std::vector<errc> outcomes;
    acquire_options stopped{.stop = stop.get_token()};
    const auto take = [&, this]() -> typename asio::template awaitable<void> {
        const auto first = co_await asio::async_acquire(this->lock, stopped, asio::use_awaitable);
        outcomes.push_back(first.error().code());
        const auto second =
            co_await asio::async_acquire(this->lock, this->patient, asio::use_awaitable);
        outcomes.push_back(second.error().code());
        auto look = [this] { return this->lock.queue(); };
        // The client is closing. It may still answer this call.
        const auto third = co_await asio::async_call(*this->servers, look, asio::use_awaitable);
        if (!third) {
            EXPECT_EQ(third.error(), errc::closed);
        }
    };
    this->start(take);
    auto end = std::async(std::launch::async, [&] {
        EXPECT_TRUE(eventually([&] { return this->their_lock.queue().value().size() == 2; }));
        stop.request_stop();
        EXPECT_TRUE(eventually([&] { return this->their_lock.queue().value().size() == 1; }));
        EXPECT_TRUE(eventually([&] { return this->their_lock.queue().value().size() == 2; }));
        this->servers->close();
    });
    this->io->run();
    end.get();
    EXPECT_EQ(outcomes, (std::vector{errc::cancelled, errc::closed}));
}

TYPED_TEST_P(asio_tokens, a_context_that_ends_ends_the_waits_of_its_coroutines) {
    using asio = TypeParam;
    auto theirs = this->their_lock.acquire().value();
    struct witness {
        bool& gone;
        ~witness() { gone = true; }
    };
    bool gone = false;
    const auto take = [&, this]() -> typename asio::template awaitable<void> {
        const witness seen{gone};
        static_cast<void>(
            co_await asio::async_acquire(this->lock, this->patient, asio::use_awaitable));
        ADD_FAILURE() << "it went on";
    };
    this->start(take);
    this->io->poll();  // runs the coroutine until it waits
    ASSERT_TRUE(this->becomes_length(2));
    this->io.reset();
    EXPECT_TRUE(gone);
    EXPECT_TRUE(this->becomes_length(1));
    theirs.unlock();
    EXPECT_TRUE(this->becomes_length(0));
}

// The context does not run until the grant is on its way to the handler. Then the context is destroyed.
TYPED_TEST_P(asio_tokens, a_context_that_ends_releases_what_was_on_its_way) {
    using asio = TypeParam;
    asio::async_acquire(this->lock, this->patient,
                        asio::bind(this->io->get_executor(),
                                   [](const result<guard>&) { ADD_FAILURE() << "it was called"; }));
    ASSERT_TRUE(this->becomes_length(1));
    this->io.reset();
    EXPECT_TRUE(this->becomes_length(0));
}

TYPED_TEST_P(asio_tokens, a_hold_that_is_lost_on_its_way_is_no_success) {
    using asio = TypeParam;
    std::optional<result<guard>> outcome;
    asio::async_acquire(this->lock, this->patient,
                        asio::bind(this->io->get_executor(),
                                   [&](result<guard> hold) { outcome.emplace(std::move(hold)); }));
    ASSERT_TRUE(this->becomes_length(1));
    this->servers->close();
    this->io->run();
    ASSERT_TRUE(outcome);
    ASSERT_FALSE(outcome->has_value());
    EXPECT_EQ(outcome->error(), errc::closed);
}

TYPED_TEST_P(asio_tokens, what_the_start_refuses_is_the_outcome) {
    using asio = TypeParam;
    recursive_mutex again{*this->servers, "/again"};
    this->finish([&, this]() -> typename asio::template awaitable<void> {
        const auto hold = co_await asio::async_acquire(again, limit(), owner::calling_thread(),
                                                       asio::use_awaitable);
        EXPECT_EQ(hold.error(), errc::bad_option);
        guard none;
        const transaction nothing;
        const auto written =
            co_await asio::async_commit(none, nothing, limit(), asio::use_awaitable);
        EXPECT_EQ(written.error(), errc::not_held);
    });
}

REGISTER_TYPED_TEST_SUITE_P(asio_tokens, a_lock_in_an_awaitable, calls_that_wait_for_the_servers,
                            every_recipe, a_future, a_handler_runs_by_its_executor,
                            a_handler_that_cannot_be_copied, a_wait_is_outstanding_work,
                            a_stop_token_and_a_closed_client_end_the_wait,
                            a_context_that_ends_ends_the_waits_of_its_coroutines,
                            a_context_that_ends_releases_what_was_on_its_way,
                            a_hold_that_is_lost_on_its_way_is_no_success,
                            what_the_start_refuses_is_the_outcome);

}  // namespace turnstile::tests
