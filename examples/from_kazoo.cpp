// SPDX-License-Identifier: Apache-2.0
// from_kazoo: the program of docs/coming-from/kazoo.md: a lock with a timeout, a name that others can see, and a queue.
//
//     from_kazoo [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <iostream>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

bool ship(turnstile::mutex& orders) {
    auto hold = orders.acquire({.timeout = 10s, .label = "worker-1"});
    if (!hold) {
        if (hold.error() == turnstile::errc::timeout) std::cout << "another process ships\n";
        return false;
    }
    for (const auto& contender : orders.queue().value())
        std::cout << contender.position << ": " << contender.metadata.label << '\n';
    for (int parcel = 1; parcel <= 2 && hold->valid(); ++parcel) {
        // a parcel
    }
    return bool{hold->release()};  // true: the lock was held until here
}

}  // namespace

int main(int argc, char** argv) {
    const turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    turnstile::mutex orders{servers, "/locks/orders"};
    const bool shipped = ship(orders);
    std::cout << "shipped: " << shipped << '\n';
}
