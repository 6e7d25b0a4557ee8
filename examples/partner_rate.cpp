// SPDX-License-Identifier: Apache-2.0
// partner_rate: all processes together call a partner at most ten times a second.
//
//     TURNSTILE_SERVERS=zk1:2181 partner_rate CALLS      (start several at once)
#include <chrono>
#include <iostream>
#include <string>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    if (argc != 2) return std::cerr << "usage: partner_rate CALLS\n", 2;
    const turnstile::client servers = turnstile::client::from_environment();
    turnstile::rate_gate calls{servers, "/situations/partner", {.entries = 10, .period = 1s}};
    const int wanted = std::stoi(argv[1]);
    for (int call = 1; call <= wanted; ++call) {
        // Waits until the gate's rule (ten entries a second) allows a further entry. Waiting processes enter in the
        // order of arrival. try_enter() would return `busy` instead.
        if (const auto entered = calls.enter({.timeout = 1min}); !entered) {
            std::cerr << entered.error().message() << '\n';
            return 1;
        }
        std::cout << "call " << call << std::endl;
    }
}
