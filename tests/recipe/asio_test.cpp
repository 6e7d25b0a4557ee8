// SPDX-License-Identifier: Apache-2.0
// Tests completion tokens of standalone Asio.
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include <asio.hpp>
#include <asio/experimental/awaitable_operators.hpp>

#include "recipe/asio_support.hpp"
#include "turnstile/asio.hpp"

namespace turnstile::tests {
namespace {

struct standalone_names {
    template <class T>
    using awaitable = ::asio::awaitable<T>;
    using io_context = ::asio::io_context;
    using thread_pool = ::asio::thread_pool;
    static constexpr auto use_awaitable = ::asio::use_awaitable;
    static constexpr auto use_future = ::asio::use_future;
    static constexpr auto async_acquire = turnstile::asio::async_acquire;
    static constexpr auto async_upgrade = turnstile::asio::async_upgrade;
    static constexpr auto async_commit = turnstile::asio::async_commit;
    static constexpr auto async_try_acquire = turnstile::asio::async_try_acquire;
    static constexpr auto async_release = turnstile::asio::async_release;
    static constexpr auto async_wait_connected = turnstile::asio::async_wait_connected;
    static constexpr auto async_call = turnstile::asio::async_call;

    template <class Handler>
    static void spawn(io_context& io, awaitable<void> work, Handler handler) {
        ::asio::co_spawn(io, std::move(work), std::move(handler));
    }
    static auto strand_of(thread_pool& pool) { return ::asio::make_strand(pool); }
    template <class Executor, class Handler>
    static auto bind(const Executor& executor, Handler handler) {
        return ::asio::bind_executor(executor, std::move(handler));
    }
};

INSTANTIATE_TYPED_TEST_SUITE_P(standalone, asio_tokens, standalone_names);

// ---- callbacks on a strand ---------------------------------------------------------------------------

// Two threads run a strand, which also gets other tasks. All callbacks must run on the strand, one at a time, even
// while the client closes.
TEST(asio_strand, has_every_callback_of_a_client_also_while_it_closes) {
    ::asio::thread_pool pool{2};
    const auto strand = ::asio::make_strand(pool);
    std::atomic<bool> inside{false};
    std::atomic<bool> over{false};
    std::atomic<int> ran{0};
    const auto alone = [&] {
        EXPECT_TRUE(strand.running_in_this_thread());
        EXPECT_FALSE(inside.exchange(true)) << "beside another task of the strand";
        std::this_thread::yield();
        inside = false;
    };
    std::function<void()> other_work = [&] {
        alone();
        if (!over) ::asio::post(strand, other_work);
    };
    ::asio::post(strand, other_work);
    {
        client servers{"local:strand", {.callbacks = [&](std::function<void()> task) {
                           ::asio::post(strand, task);
                       }}};
        mutex lock{servers, "/lock"};
        const auto first = lock.acquire().value();
        for (int i = 0; i != 20; ++i) {
            lock.async_acquire({}, [&](const result<guard>& hold) {
                alone();
                EXPECT_TRUE(hold || hold.error() == errc::closed);
                ++ran;
            });
        }
        servers.close();
    }
    over = true;
    pool.join();
    EXPECT_EQ(ran, 20);
}

// ---- cancellation, which Boost 1.74 lacks ------------------------------------------------------------

using cancelled_calls = asio_tokens<standalone_names>;

TEST_F(cancelled_calls, leave_the_queue) {
    const auto theirs = their_lock.acquire().value();
    ::asio::cancellation_signal signal;
    std::optional<errc> outcome;
    asio::async_acquire(lock, patient,
                        ::asio::bind_cancellation_slot(
                            signal.slot(), ::asio::bind_executor(*io, [&](result<guard> hold) {
                                outcome = hold.error().code();
                            })));
    ASSERT_TRUE(becomes_length(2));
    signal.emit(::asio::cancellation_type::total);
    io->run();
    EXPECT_EQ(outcome, errc::cancelled);
    EXPECT_TRUE(becomes_length(1));
    signal.emit(::asio::cancellation_type::total);  // no handler waits any more
}

TEST_F(cancelled_calls, are_what_loses_against_a_timer) {
    using namespace ::asio::experimental::awaitable_operators;
    const auto theirs = their_lock.acquire().value();
    std::size_t first = 2;
    finish([&, this]() -> ::asio::awaitable<void> {
        ::asio::steady_timer timer{*io, 20ms};
        const auto both = co_await (asio::async_acquire(lock, patient, ::asio::use_awaitable) ||
                                    timer.async_wait(::asio::use_awaitable));
        first = both.index();
    });
    EXPECT_EQ(first, 1U);
    EXPECT_TRUE(becomes_length(1));
}

TEST_F(cancelled_calls, stop_what_waits_on_a_thread) {
    const auto theirs = their_lock.acquire().value();
    ::asio::cancellation_signal signal;
    std::optional<errc> outcome;
    auto wait = [this](std::stop_token stop) { return lock.acquire({.stop = stop}); };
    asio::async_call(*servers, wait,
                     ::asio::bind_cancellation_slot(
                         signal.slot(), ::asio::bind_executor(*io, [&](result<guard> hold) {
                             outcome = hold.error().code();
                         })));
    ASSERT_TRUE(becomes_length(2));
    signal.emit(::asio::cancellation_type::terminal);
    io->run();
    EXPECT_EQ(outcome, errc::cancelled);
}

}  // namespace
}  // namespace turnstile::tests
