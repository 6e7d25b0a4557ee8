// SPDX-License-Identifier: Apache-2.0
// Tests completion tokens of Boost.Asio.
#include <utility>

#include <boost/asio.hpp>

#include "recipe/asio_support.hpp"
#include "turnstile/boost_asio.hpp"

namespace turnstile::tests {
namespace {

struct boosts_names {
    template <class T>
    using awaitable = ::boost::asio::awaitable<T>;
    using io_context = ::boost::asio::io_context;
    using thread_pool = ::boost::asio::thread_pool;
    static constexpr auto use_awaitable = ::boost::asio::use_awaitable;
    static constexpr auto use_future = ::boost::asio::use_future;
    static constexpr auto async_acquire = turnstile::boost_asio::async_acquire;
    static constexpr auto async_upgrade = turnstile::boost_asio::async_upgrade;
    static constexpr auto async_commit = turnstile::boost_asio::async_commit;
    static constexpr auto async_try_acquire = turnstile::boost_asio::async_try_acquire;
    static constexpr auto async_release = turnstile::boost_asio::async_release;
    static constexpr auto async_wait_connected = turnstile::boost_asio::async_wait_connected;
    static constexpr auto async_call = turnstile::boost_asio::async_call;

    template <class Handler>
    static void spawn(io_context& io, awaitable<void> work, Handler handler) {
        ::boost::asio::co_spawn(io, std::move(work), std::move(handler));
    }
    static auto strand_of(thread_pool& pool) { return ::boost::asio::make_strand(pool); }
    template <class Executor, class Handler>
    static auto bind(const Executor& executor, Handler handler) {
        return ::boost::asio::bind_executor(executor, std::move(handler));
    }
};

INSTANTIATE_TYPED_TEST_SUITE_P(boost, asio_tokens, boosts_names);

}  // namespace
}  // namespace turnstile::tests
