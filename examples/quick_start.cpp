// SPDX-License-Identifier: Apache-2.0
// quick_start: takes a lock in the three usual ways.
//
//     quick_start [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <iostream>
#include <mutex>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    servers.wait_connected(30s).value();
    turnstile::mutex orders{servers, "/locks/orders"};
    turnstile::mutex stock{servers, "/locks/stock"};

    // 1. The hold is a value. It belongs to no thread, and ends with its scope.
    if (auto hold = orders.acquire({.timeout = 10s})) {
        std::cout << "orders: held, valid: " << std::boolalpha << hold->valid() << '\n';
        auto second = orders.try_acquire();
        std::cout << "orders, a second time: "
                  << (second.error() == turnstile::errc::busy ? "busy" : "unexpected") << '\n';
    }

    // 2. with_lock() holds the lock while it calls a function, and returns the function's result.
    const auto left = turnstile::with_lock(orders, [] { return 41; });
    std::cout << "orders, around a function: " << left.value() << '\n';

    // 3. The standard's lock types hold the lock, and also several locks at once.
    {
        const std::scoped_lock both{orders, stock};
        std::cout << "stock is locked: " << stock.is_locked().value() << '\n';
    }
    std::cout << "stock is locked: " << stock.is_locked().value() << '\n';
}
