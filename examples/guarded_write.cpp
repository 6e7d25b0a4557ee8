// SPDX-License-Identifier: Apache-2.0
// guarded_write: a write that the servers refuse to a client that does not hold the lock any more.
//
//     guarded_write [connect string]      (default: "local:", which needs no server)
#include <iostream>

#include "turnstile/turnstile.hpp"

int main(int argc, char** argv) {
    const char* where = argc > 1 ? argv[1] : "local:";
    const turnstile::client shop{where};
    const turnstile::client office{where};
    turnstile::mutex stock{shop, "/stock/lock"};

    auto hold = stock.acquire().value();
    hold.commit(turnstile::transaction{}.create("/stock/apples", "10")).value();
    const auto sold = hold.commit(turnstile::transaction{}
                                      .set("/stock/apples", "9", 0)
                                      .create("/stock/sale-", "1 apple",
                                              turnstile::node_kind::persistent_sequential))
                          .value();
    std::cout << "sold, written as " << sold.created[1].substr(0, 12) << "...\n";

    // put() creates or overwrites a znode. With under(second) the servers write only if the hold `second` also exists.
    turnstile::mutex books{shop, "/books/lock"};
    const auto second = books.acquire().value();
    const auto booked = hold.commit(turnstile::transaction{}
                                        .make("/books/2026/11")
                                        .put("/books/2026/11/apples", "9 left")
                                        .under(second))
                            .value();
    const auto pieces = turnstile::read_node(hold, "/stock/apples").value();
    std::cout << pieces.data << " apples, version " << pieces.version << '\n';
    std::cout << "booked in " << booked.created[1] << ", version " << booked.versions[1] << '\n';

    // The servers execute all operations of a transaction or none. The error names the operation that the servers
    // refused.
    const auto refused =
        hold.commit(turnstile::transaction{}.check("/stock").set("/stock/apples", "8", 0));
    std::cout << "part " << *refused.error().part() << ": "
              << (refused.error() == turnstile::errc::bad_version) << '\n';

    // Another client removes the lock's znode, so the servers refuse the holder's next write.
    turnstile::mutex other{office, "/office/lock"};
    auto force = other.acquire().value();
    force.commit(turnstile::transaction{}.remove(hold.znode())).value();
    const auto late = hold.commit(turnstile::transaction{}.set("/stock/apples", "8"));
    std::cout << "late write refused: " << !late << '\n';
}
