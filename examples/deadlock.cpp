// SPDX-License-Identifier: Apache-2.0
// deadlock: two workers take the same two locks in opposite order. One worker gets an error, releases its lock and
// tries again. The other worker never notices the deadlock.
//
//     deadlock [connect string]      (default: "local:", which needs no server)
#include <atomic>
#include <barrier>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

std::atomic<int> steps_back{0};

// Takes both locks. If the second can never be granted, releases the first and tries again.
void transfer(const turnstile::deadlock_detector& detector, turnstile::mutex& from,
              turnstile::mutex& to, std::barrier<>& both_have_one) {
    for (bool first_try = true;; first_try = false) {
        const auto hold = from.acquire({.timeout = 30s}).value();
        // makes sure that the example shows the deadlock
        if (first_try) both_have_one.arrive_and_wait();
        const auto second = detector.acquire(to, {.timeout = 30s});
        if (second) return;
        // value() throws for any other error
        if (second.error() != turnstile::errc::would_deadlock) second.value();
        ++steps_back;
    }
}

}  // namespace

int main(int argc, char** argv) {
    turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    servers.wait_connected(30s).value();
    turnstile::mutex alice{servers, "/locks/accounts/alice"};
    turnstile::mutex bob{servers, "/locks/accounts/bob"};
    const auto detector =
        turnstile::deadlock_detector::below(servers, "/locks/accounts", {.look_after = 50ms});

    std::barrier both_have_one{2};
    {
        std::jthread there{[&] { transfer(detector, alice, bob, both_have_one); }};
        std::jthread back{[&] { transfer(detector, bob, alice, both_have_one); }};
    }
    std::cout << "both transfers are done\n";
    std::cout << "workers that had to step back: " << steps_back << '\n';
    std::cout << "deadlocks left: " << detector.find().value().size() << '\n';
}
