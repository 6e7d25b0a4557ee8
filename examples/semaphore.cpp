// SPDX-License-Identifier: Apache-2.0
// semaphore: a limited number of holders at once over all processes.
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

    // 1. Takes one permit, and two permits under one guard.
    auto permit = connections.acquire({.timeout = 10s}).value();
    auto two = connections.acquire(2, {.timeout = 10s}).value();
    std::cout << "available: " << connections.available().value() << " of "
              << connections.limit().value() << '\n';
    std::cout << "a fourth: "
              << (connections.try_acquire().error() == turnstile::errc::busy ? "busy"
                                                                             : "unexpected")
              << '\n';

    // 2. A guard is a value, so another thread may release the permits.
    std::thread{[permits = std::move(two)]() mutable { permits.release().value(); }}.join();
    std::cout << "available: " << connections.available().value() << '\n';

    // 3. Changes the limit while permits are in use. No holder loses a permit.
    connections.set_limit(1).value();
    std::cout << "of one permit, available: " << connections.available().value()
              << ", the guard is valid: " << std::boolalpha << permit.valid() << '\n';

    // 4. A program that is configured with another limit gets an error that names both limits.
    turnstile::semaphore wrong{servers, "/semaphores/database", 5};
    std::cout << wrong.acquire().error().message() << '\n';
    connections.set_limit(3).value();
}
