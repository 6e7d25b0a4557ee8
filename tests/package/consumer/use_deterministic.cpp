// SPDX-License-Identifier: Apache-2.0
// A service of two processes under virtual time. The compiler and the linker must find the replacements of threads and
// clocks before the system's own.
#include <chrono>
#include <iostream>
#include <thread>

#include "turnstile/mutex.hpp"
#include "turnstile/testing/deterministic_run.hpp"

int main(int, char** arguments) {
    turnstile::testing::fixed_addresses(arguments);
    const auto report = turnstile::testing::run_deterministically(
        {.servers = 3}, [](turnstile::testing::simulated_world& world) {
            int entries = 0;
            const auto work = [&] {
                turnstile::client servers{"zk1:2181/app"};
                turnstile::mutex lock{servers, "/locks/orders"};
                const auto hold = lock.acquire();
                std::this_thread::sleep_for(std::chrono::minutes{15});
                ++entries;
            };
            const auto ann = world.start("ann", work);
            const auto bob = world.start("bob", work);
            world.await(ann);
            world.await(bob);
            turnstile::testing::require(entries == 2, "not both");
        });
    if (report.passed && report.virtual_time > std::chrono::minutes{29}) return 0;
    std::cerr << report.text() << '\n';
    return 1;
}
