// SPDX-License-Identifier: Apache-2.0
// Holds a lock in memory, and prints the hold's fencing token.
#include <iostream>

#include <turnstile/turnstile.hpp>

int main() {
    turnstile::mutex orders{"local:", "/orders"};
    const auto hold = orders.acquire().value();
    std::cout << "held, token " << hold.fencing_token() << '\n';
}
