// SPDX-License-Identifier: Apache-2.0
// holding_limits: a hold that lasts too long is lost. An operator requests that a holder release its lock, and takes a
// lock away from another holder.
//
//     holding_limits [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <iostream>
#include <semaphore>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    turnstile::client_options options;
    options.session_timeout =
        4s;  // a holder reads an order in its znode within a fifth of this time
    turnstile::client servers{argc > 1 ? argv[1] : "local:", options};
    servers.wait_connected(30s).value();
    turnstile::mutex reports{servers, "/locks/reports"};

    // 1. Ends a hold after its time limit, although the session lives. The library calls on_entered before the grant,
    // when the contender has its place in the queue.
    std::binary_semaphore lost{0};
    auto slow =
        reports
            .acquire({.timeout = 10s,
                      .on_entered = [](const std::string&) { std::cout << "in the queue\n"; },
                      .on_lost =
                          [&](const turnstile::error& why) {
                              std::cout << why.error_code().message() << '\n';
                              lost.release();
                          },
                      .max_hold = 50ms})
            .value();
    lost.acquire();
    std::cout << std::boolalpha << "still valid: " << slow.valid() << '\n';

    // 2. An operator requests that the holder release its lock. The holder decides whether to release it.
    std::binary_semaphore signal{0};
    auto polite = reports
                      .acquire({.timeout = 10s,
                                .on_asked_to_release =
                                    [&](const turnstile::release_request& request) {
                                        std::cout << request.who << " asks: " << request.why
                                                  << '\n';
                                        signal.release();
                                    }})
                      .value();
    turnstile::revocation power{servers, "/locks/reports"};
    power.ask(reports.holder().value().value(), {.who = "ops", .why = "deployment"}).value();
    signal.acquire();
    polite.release().value();

    // 3. An operator takes the lock away from a holder that does not release it. The holder learns the operator's name
    // and the reason.
    auto stubborn = reports.acquire({.timeout = 10s}).value();
    const auto went =
        power.take(reports.holder().value().value(), {.who = "ops", .why = "deployment"}).value();
    std::cout << "gave way: " << (went == turnstile::revocation_outcome::gave_way) << '\n'
              << stubborn.status().error().message() << '\n';
}
