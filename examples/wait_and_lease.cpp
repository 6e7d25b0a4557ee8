// SPDX-License-Identifier: Apache-2.0
// wait_and_lease: waits for a machine for a limited time, works on it step by step, and stops when the lock is lost.
//
//     TURNSTILE_SERVERS=zk1:2181 wait_and_lease NAME WAIT_MS STEPS      (start several at once)
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    if (argc != 4) return std::cerr << "usage: wait_and_lease NAME WAIT_MS STEPS\n", 2;
    const std::string name = argv[1];
    const std::chrono::milliseconds wait{std::stoi(argv[2])};
    // A holder that is cut off or paused loses the lock before this time has passed.
    turnstile::client servers = turnstile::client::from_environment({.session_timeout = 4s});
    // connects first, so that the timeout below covers only the wait for the lock
    servers.wait_connected(30s).value();
    turnstile::mutex machine{servers, "/situations/machine"};

    auto hold = machine.acquire(wait);
    if (!hold) {
        std::cout << name << " gives up: " << hold.error().message() << std::endl;
        return hold.error() == turnstile::condition::busy ? 75 : 1;
    }
    std::cout << name << " works, fencing token " << hold->fencing_token().to_string() << std::endl;
    for (int steps = std::stoi(argv[3]); steps != 0 && hold->valid(); --steps)
        std::this_thread::sleep_for(10ms);  // represents a step of the work
    // If release() succeeds, the lock was held until the end of the work.
    if (const auto released = hold->release(); !released) {
        std::cout << name << " stopped: " << released.error().message() << std::endl;
        return 1;
    }
    std::cout << name << " is done" << std::endl;
}
