// SPDX-License-Identifier: Apache-2.0
// A service that a test starts: takes a lock and works until it is killed. GUARDIAN is the program that then closes the
// service's session; without it, the session lives on for its timeout.
//
//     guarded_worker CONNECT PATH [GUARDIAN]
#include <unistd.h>

#include <iostream>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    turnstile::client_options options;
    options.session_timeout = 60s;
    if (argc > 3) options.guardian = {turnstile::guardian_use::started, argv[3]};
    turnstile::client servers{argv[1], options};
    turnstile::mutex orders{servers, argv[2]};
    const auto hold = orders.acquire({.timeout = 30s}).value();
    std::cout << "held" << std::endl;
    for (;;) ::pause();
}
