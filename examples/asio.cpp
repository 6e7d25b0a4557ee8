// SPDX-License-Identifier: Apache-2.0
// asio: three coroutines of Asio take turns at a lock, on one thread. A fourth coroutine gives up its wait.
//
//     asio [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <iostream>
#include <thread>
#include <utility>

#include <asio.hpp>
#include <asio/experimental/awaitable_operators.hpp>

#include "turnstile/asio.hpp"
#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;
using asio::use_awaitable;
namespace locks = turnstile::asio;

namespace {

asio::awaitable<void> ship(int number, turnstile::client& servers, turnstile::mutex& orders) {
    auto hold = co_await locks::async_acquire(orders, 30s, use_awaitable);
    std::cout << "task " << number << (hold ? " ships\n" : " gives up\n");
    if (!hold) co_return;
    const auto released =
        co_await locks::async_release(servers, std::move(*hold), 30s, use_awaitable);
    if (!released) std::cout << released.error().message() << '\n';
}

// Waits for an acquire or for a timer. The timer fires first, so the acquire is cancelled and leaves the queue.
asio::awaitable<void> lose_patience(turnstile::client& servers, turnstile::mutex& orders,
                                    turnstile::guard hold) {
    using namespace asio::experimental::awaitable_operators;
    asio::steady_timer timer{co_await asio::this_coro::executor, 100ms};
    const auto first = co_await (locks::async_acquire(orders, 30s, use_awaitable) ||
                                 timer.async_wait(use_awaitable));
    std::cout << (first.index() == 0 ? "granted\n" : "the timer was first\n");
    const auto look = [&orders](std::stop_token stop) { return orders.queue({.stop = stop}); };
    const auto queue = co_await locks::async_call(servers, look, use_awaitable);
    std::cout << "left in the queue: " << queue.value().size() << '\n';
    hold.unlock();
}

}  // namespace

int main(int argc, char** argv) {
    turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    servers.wait_connected(30s).value();
    turnstile::mutex orders{servers, "/locks/orders"};
    asio::io_context loop;

    auto hold = orders.acquire({.timeout = 30s}).value();
    asio::co_spawn(loop, lose_patience(servers, orders, std::move(hold)), asio::detached);
    loop.run();

    loop.restart();
    for (const int number : {1, 2, 3})
        asio::co_spawn(loop, ship(number, servers, orders), asio::detached);
    loop.run();  // returns when all three have ended, because a wait counts as work
    std::cout << "all have shipped\n";
}
