// SPDX-License-Identifier: Apache-2.0
// multi_lock: takes all or none of several locks, and shows a resource that refuses old tokens.
//
//     multi_lock [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <iostream>
#include <mutex>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

// The protected resource, which remembers the largest token of each lock.
class ledger {
public:
    bool write(const turnstile::fencing_vector& tokens) {
        if (tokens.is_behind(seen_)) return false;
        seen_.raise(tokens);
        return true;
    }

private:
    turnstile::fencing_vector seen_;
};

}  // namespace

int main(int argc, char** argv) {
    turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    servers.wait_connected(30s).value();
    turnstile::mutex orders{servers, "/locks/orders"};
    turnstile::mutex stock{servers, "/locks/stock"};
    turnstile::multi_lock both{stock, orders};  // the order of the locks does not matter
    ledger books;

    // 1. Takes both locks or none.
    auto hold = both.acquire({.timeout = 10s}).value();
    const auto tokens = hold.fencing_tokens();
    std::cout << std::boolalpha << "held: " << hold.path() << ", valid: " << hold.valid() << '\n';
    std::cout << "written: " << books.write(tokens) << '\n';
    hold.release().value();

    // 2. Another client holds one of the locks, so the call fails and takes neither lock.
    {
        const auto theirs = stock.acquire().value();
        const auto refused = both.try_acquire();
        std::cout << "while stock is taken: "
                  << (refused.error() == turnstile::errc::busy ? "busy" : "unexpected") << '\n';
        const auto others = orders.queue().value();
        std::cout << "contenders for orders that are left: " << others.size() << '\n';
    }

    // 3. Uses the standard's lock types. A write with the tokens of an earlier hold is refused.
    {
        const std::scoped_lock held{both};
        std::cout << "written: " << books.write(both.current()->fencing_tokens()) << '\n';
    }
    std::cout << "written with the old tokens: " << books.write(tokens) << '\n';
}
