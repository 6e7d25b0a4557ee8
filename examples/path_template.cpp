// SPDX-License-Identifier: Apache-2.0
// path_template: one lock for each customer, whatever the customers' names are.
//
//     path_template [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <iostream>
#include <string>
#include <system_error>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    servers.wait_connected(30s).value();
    const turnstile::path_template orders{"/locks/{}/order-{}"};

    // These names could come from a web form. No name can lead to another folder or to another customer's lock.
    for (const std::string customer : {"miller", "../admin", "", "50% off/today", "K\xc3\xb6nig"}) {
        turnstile::mutex m{servers, orders.format(customer, 17)};
        const auto hold = m.acquire({.timeout = 30s}).value();
        std::cout << hold.path() << '\n';
    }

    const std::string longest(100'000, '/');
    std::cout << "an argument of " << longest.size() << " bytes takes "
              << turnstile::path_template::escape(longest).size() << " in the path\n";
    try {
        std::cout << orders.format("miller");
    } catch (const std::system_error& why) {
        std::cout << why.what() << '\n';
    }
}
