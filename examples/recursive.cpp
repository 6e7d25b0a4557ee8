// SPDX-License-Identifier: Apache-2.0
// recursive: code that holds a lock calls code that takes it, too.
//
//     recursive [connect string]      (default: "local:", which needs no server)
#include <iostream>
#include <thread>

#include "turnstile/turnstile.hpp"

namespace {

// Takes the lock itself, so that it may be called by its holder and by any other thread.
void count_stock(turnstile::recursive_mutex& stock) {
    const auto hold = stock.acquire().value();
    std::cout << "counting, " << stock.count() << " guards on the hold\n";
}

}  // namespace

int main(int argc, char** argv) {
    const turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    turnstile::recursive_mutex stock{servers, "/locks/stock"};

    count_stock(stock);
    {
        const auto hold = stock.acquire().value();
        count_stock(stock);
        std::thread{[&] {
            std::cout << "another thread: " << stock.try_acquire().error().message() << '\n';
        }}.join();
    }

    // Work that moves between threads owns the lock by a token.
    const auto job = turnstile::owner::make();
    auto hold = stock.acquire({}, job).value();
    std::thread{[&] {
        const auto again = stock.acquire({}, job).value();
        std::cout << "the job goes on elsewhere, " << stock.count(job) << " guards\n";
    }}.join();
    std::cout << "released: " << std::boolalpha << hold.release().has_value() << '\n';
}
