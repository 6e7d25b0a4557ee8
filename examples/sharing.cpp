// SPDX-License-Identifier: Apache-2.0
// sharing: the threads of a process share a lock. They take it again without a request, and release it when other
// processes queue.
//
//     sharing [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <iostream>
#include <thread>
#include <vector>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    turnstile::client here{argc > 1 ? argv[1] : "local:"};
    turnstile::client there{argc > 1 ? argv[1] : "local:"};
    here.wait_connected(30s).value();
    there.wait_connected(30s).value();
    turnstile::mutex orders{here, "/locks/orders", {.retain_for = 1min, .cohort = 8}};

    // 1. Retained lock: the next acquire in this process gets the first hold's znode, and a larger token.
    auto first = orders.acquire({.timeout = 10s}).value();
    const auto znode = first.znode();
    const auto token = first.fencing_token();
    first.release().value();
    auto again = orders.acquire({.timeout = 10s}).value();
    std::cout << std::boolalpha << "the same znode: " << (again.znode() == znode)
              << ", a larger token: " << (again.fencing_token() > token) << '\n';

    // 2. Cohort: the holder passes the lock to the next waiting thread.
    std::vector<std::thread> threads;
    for (int i = 0; i != 3; ++i)
        threads.emplace_back([&] { orders.acquire({.timeout = 10s}).value().release().value(); });
    again.unlock();
    for (auto& thread : threads) thread.join();
    std::cout << "kept, though nobody uses it: " << orders.is_locked().value() << '\n';

    // 3. Another process queues, so this process releases the lock.
    turnstile::mutex same{there, "/locks/orders"};
    auto theirs = same.acquire({.timeout = 10s}).value();
    std::cout << "theirs has another znode: " << (theirs.znode() != znode) << '\n';
    std::cout << "ours: "
              << (orders.try_acquire().error() == turnstile::errc::busy ? "busy" : "unexpected")
              << '\n';
}
