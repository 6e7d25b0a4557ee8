// SPDX-License-Identifier: Apache-2.0
// from_curator: the program of docs/coming-from/curator.md: a re-entrant lock whose holder stops its work when the lock
// is lost.
//
//     from_curator [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <iostream>
#include <stop_token>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

void pack(turnstile::recursive_mutex& orders) {
    // the same thread gets the lock again at once, without a request
    const auto again = orders.acquire().value();
    std::cout << "packed, entered " << orders.count() << " times\n";
}

bool ship(turnstile::recursive_mutex& orders) {
    auto hold = orders.acquire(10s);
    if (!hold) return false;  // hold.error() says why
    const std::stop_token lost = hold->lost();
    if (!lost.stop_requested()) pack(orders);
    return bool{hold->release()};  // true: the lock was held until here
}

}  // namespace

int main(int argc, char** argv) {
    const turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    turnstile::recursive_mutex orders{servers, "/locks/orders"};
    const bool shipped = ship(orders);
    std::cout << "shipped: " << shipped << '\n';
}
