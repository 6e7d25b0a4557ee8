// SPDX-License-Identifier: Apache-2.0
// from_std_mutex: the program of docs/coming-from/std-mutex.md: the standard's lock types on a lock between processes.
//
//     from_std_mutex [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <iostream>
#include <mutex>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

// Sells a piece. Throws std::system_error for failures that a std::timed_mutex cannot have: a missing permission, for
// example.
bool sell(turnstile::mutex& stock, int& pieces) {
    const std::unique_lock held{stock, 2s};
    if (!held) return false;  // another process holds it, or no server answers
    if (!stock.current()->valid()) return false;
    --pieces;
    return bool{stock.current()->status()};  // true: the lock was held until here
}

}  // namespace

int main(int argc, char** argv) {
    turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    servers.wait_connected(30s).value();
    turnstile::mutex stock{servers, "/locks/stock"};
    int pieces = 100;
    const bool sold = sell(stock, pieces);
    std::cout << "sold: " << sold << ", left: " << pieces << '\n';
}
