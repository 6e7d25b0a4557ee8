// SPDX-License-Identifier: Apache-2.0
// semaphore: so many at once over all processes, and no more.
//
//     semaphore [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <iostream>
#include <thread>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    servers.wait_connected(30s).value();
    turnstile::semaphore connections{servers, "/semaphores/database", 3};

    // 1. One permit, and two under one guard.
    auto permit = connections.acquire({.timeout = 10s}).value();
    auto two = connections.acquire(2, {.timeout = 10s}).value();
    std::cout << "available: " << connections.available().value() << " of "
              << connections.limit().value() << '\n';
    std::cout << "a fourth: "
              << (connections.try_acquire().error() == turnstile::errc::busy ? "busy"
                                                                             : "unexpected")
              << '\n';

    // 2. A guard is a value: another thread gives the permits back.
    std::thread{[permits = std::move(two)]() mutable { permits.release().value(); }}.join();
    std::cout << "available: " << connections.available().value() << '\n';

    // 3. The number can change while permits are out; nobody loses one.
    connections.set_limit(1).value();
    std::cout << "of one permit, available: " << connections.available().value()
              << ", the guard is valid: " << std::boolalpha << permit.valid() << '\n';

    // 4. A program that was set up with another number is told both.
    turnstile::semaphore wrong{servers, "/semaphores/database", 5};
    std::cout << wrong.acquire().error().message() << '\n';
    connections.set_limit(3).value();
}
