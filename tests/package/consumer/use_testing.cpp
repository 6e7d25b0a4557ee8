// SPDX-License-Identifier: Apache-2.0
// Uses two parts of the testing kit (turnstile::testing). The simulation links internal parts of the library.
#include <atomic>
#include <chrono>
#include <iostream>
#include <string_view>

#include "turnstile/log.hpp"
#include "turnstile/mutex.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/simulation.hpp"

// Sets an option by its name, as the README does. The other options keep their defaults, and the compiler must not
// warn.
const turnstile::testing::ensemble_options three_servers{.count = 3};

// The testing kit must not contain a second copy of the log, which would hide the library's log.
bool hears_the_log() {
    std::atomic<int> lines{0};
    turnstile::set_log_sink([&](turnstile::log_level, std::string_view) { ++lines; });
    turnstile::set_log_level(turnstile::log_level::trace);
    {
        turnstile::client servers{"local:"};
        turnstile::mutex lock{servers, "/orders"};
        if (lock.acquire().has_error()) return false;
    }
    turnstile::set_log_sink({});
    return lines != 0;
}

int main() {
    if (!hears_the_log()) {
        std::cerr << "the log's sink is not called\n";
        return 1;
    }
    turnstile::testing::process child{{.command = {"true"}}};
    if (!child.wait() || child.exit_code() != 0) {
        std::cerr << "the child failed\n";
        return 1;
    }
    turnstile::testing::simulation run{{.servers = three_servers.count}};
    const auto hold = run.acquire(run.add_client(), "/locks/orders");
    if (!run.run_until([&] { return run.valid(hold); }, std::chrono::seconds{30})) {
        std::cerr << "the simulated lock was not granted\n";
        return 1;
    }
    run.settle();
}
