// SPDX-License-Identifier: Apache-2.0
// from_redisson: the program of docs/coming-from/redisson.md: a lock with a limited wait, a limited hold and a fencing
// token.
//
//     from_redisson [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <iostream>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

// Represents a store that compares tokens.
struct store {
    bool write(turnstile::fencing_token token, int value) {
        if (token < largest) return false;
        largest = token;
        pieces = value;
        return true;
    }
    turnstile::fencing_token largest{};
    int pieces = 0;
};

bool sell(turnstile::recursive_mutex& lock, store& stock) {
    auto hold = lock.acquire({.timeout = 10s, .max_hold = 30s});
    if (!hold) return false;  // hold.error() says why
    const bool written = stock.write(hold->fencing_token(), 99);
    return hold->release() && written;  // release() returns an error if the hold was lost before
}

}  // namespace

int main(int argc, char** argv) {
    const turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    turnstile::recursive_mutex lock{servers, "/locks/stock"};
    store stock;
    const bool sold = sell(lock, stock);
    std::cout << "sold: " << sold << ", pieces left: " << stock.pieces << '\n';
}
