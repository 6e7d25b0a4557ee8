// SPDX-License-Identifier: Apache-2.0
// boost_asio: Turnstile's asynchronous calls with the completion tokens of Boost.Asio.
//
// Use it to wait for a lock in a boost::asio::awaitable, a future, a stackful coroutine or a handler, as with Asio's
// own operations. This header needs Boost.Asio (Debian: libboost-dev); no other header does.
//
//     boost::asio::awaitable<void> ship(turnstile::client& servers, turnstile::mutex& orders) {
//         using boost::asio::use_awaitable;
//         namespace locks = turnstile::boost_asio;
//         auto hold = co_await locks::async_acquire(orders, 2s, use_awaitable);
//         if (!hold) co_return;
//         write(hold->fencing_token());
//         co_await locks::async_release(servers, std::move(*hold), 5s, use_awaitable);
//     }
//
// | call                                                  | type of the outcome       | thread that waits      |
// |-------------------------------------------------------|---------------------------|------------------------|
// | async_acquire(lock, options, token)                   | result<guard>             | none                   |
// |   (recursive_mutex, options, owner, token)            |                           |                        |
// |   (semaphore, permits, options, token)                |                           |                        |
// | async_upgrade(shared_mutex, guard&&, options, token)  | upgraded_guard            | none                   |
// | async_commit(guard&, transaction, options, token)     | result<commit_result>     | none                   |
// | async_try_acquire(client, lock, options, token)       | result<guard>             | a client's thread      |
// | async_release(client, guard&&, limit, token)          | result<void>              | a client's thread      |
// | async_wait_connected(client, limit, token)            | result<void>              | a client's thread      |
// | async_call(client, function, token)                   | the function's value      | a client's thread      |
//
// A lock is any lock of this library, and any type that any_lock accepts. For readers and upgradable readers use
// shared_mutex's readers() and upgraders(). For queries, and other calls that block, use async_call(), see
// async_call.hpp. The options are a variable of type acquire_options, or only a timeout or a deadline.
//
// Guarantees:
// - The completion signature is void(T), where T is the type that the blocking call returns. So use_awaitable gives a
//   result, use_future gives a future of a result, and no exception is thrown. A program that wants exceptions calls
//   .value(). The signature has no error_code, because an error of this library also has a message.
// - The handler runs once, on its associated executor, as if posted, even if the outcome is known at once. A handler
//   without an associated executor runs on a thread of the system executor.
// - A waiting call is outstanding work: a context's run() does not return while the call waits.
// - Cancellation (Asio 1.19 and later): every type of cancellation through the associated slot ends the call with
//   `cancelled`, as options.stop does. If the hold was granted before the cancellation, the handler gets the hold.
// - The objects that a call refers to (lock, client, guard of a commit) must live until the call completes.
// - If a context is destroyed while a call waits, the context destroys the handler and the handler's coroutine. The
//   contender leaves the queue, and a granted hold is released at once. If a handler is destroyed and has never run,
//   its hold is also released.
//
// Thread safety: any thread may call these functions.
#pragma once

#include "turnstile/language.hpp"

#if !__has_include(<boost/asio/async_result.hpp>)
#error "turnstile/boost_asio.hpp needs Boost.Asio: Debian: libboost-dev"
#endif

#include <memory>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/system_executor.hpp>
#if __has_include(<boost/asio/associated_cancellation_slot.hpp>)
#include <boost/asio/associated_cancellation_slot.hpp>
#define TURNSTILE_BOOST_ASIO_CANCELS 1
#else
#define TURNSTILE_BOOST_ASIO_CANCELS 0
#endif

#include "turnstile/completion_token.hpp"

namespace turnstile {

namespace detail {

struct boosts_asio {
    using context = ::boost::asio::execution_context;
    // The executor of handlers that have no associated executor. The default executor of Boost.Asio 1.92 has no
    // execution context, but a call needs one, to learn of the context's end.
    using default_executor = ::boost::asio::system_executor;
    template <class Handler>
    using executor_of =
        typename ::boost::asio::associated_executor<Handler, default_executor>::type;
    template <class Executor>
    using work = ::boost::asio::executor_work_guard<Executor>;

    template <class Handler>
    static auto get_executor(const Handler& handler) {
        return ::boost::asio::get_associated_executor(handler, default_executor{});
    }
    template <class Executor>
    static auto track(const Executor& executor) {
        return ::boost::asio::make_work_guard(executor);
    }
    template <class Service, class Executor>
    static Service& use_service(const Executor& executor) {
        if constexpr (requires { executor.context(); }) {
            return ::boost::asio::use_service<Service>(static_cast<context&>(executor.context()));
        } else {
            return ::boost::asio::use_service<Service>(static_cast<context&>(
                ::boost::asio::query(executor, ::boost::asio::execution::context)));
        }
    }
    template <class Executor, class Task>
    static void post(const Executor& executor, Task&& task) {
        ::boost::asio::post(executor, std::forward<Task>(task));
    }
    template <class Signature, class Initiation, class Token>
    static auto initiate(Initiation&& initiation, Token&& token) {
        return ::boost::asio::async_initiate<Token, Signature>(std::forward<Initiation>(initiation),
                                                               token);
    }
    template <class Handler, class F>
    static void on_cancel([[maybe_unused]] const Handler& handler, [[maybe_unused]] F end) {
#if TURNSTILE_BOOST_ASIO_CANCELS
        auto slot = ::boost::asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) slot.assign([end](::boost::asio::cancellation_type) { end(); });
#endif
    }
    template <class Handler>
    static void forget_cancel([[maybe_unused]] const Handler& handler) {
#if TURNSTILE_BOOST_ASIO_CANCELS
        auto slot = ::boost::asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) slot.clear();
#endif
    }
};

}  // namespace detail

namespace boost_asio {

inline constexpr detail::acquire_form<detail::boosts_asio> async_acquire;
inline constexpr detail::upgrade_form<detail::boosts_asio> async_upgrade;
inline constexpr detail::commit_form<detail::boosts_asio> async_commit;
inline constexpr detail::try_acquire_form<detail::boosts_asio> async_try_acquire;
inline constexpr detail::release_form<detail::boosts_asio> async_release;
inline constexpr detail::wait_connected_form<detail::boosts_asio> async_wait_connected;
inline constexpr detail::async_call_form<detail::boosts_asio> async_call;

}  // namespace boost_asio

}  // namespace turnstile
