// SPDX-License-Identifier: Apache-2.0
// from_etcd: the programs of docs/coming-from/etcd.md: a write that needs the lock, and a function that a leader runs.
//
//     from_etcd [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <future>
#include <iostream>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

turnstile::result<void> number(const turnstile::client& servers) {
    turnstile::mutex lock{servers, "/orders/lock"};
    auto hold = lock.acquire(10s);
    if (!hold) return hold.error();
    const auto writes = turnstile::transaction{}.put("/orders/next", "42");
    if (const auto done = hold->commit(writes); !done) return done.error();
    return hold->release();
}

void lead(const turnstile::client& servers) {
    std::promise<void> done;
    const auto duty = [&](turnstile::leader_term& term) {
        for (int round = 1; round <= 3 && !term.lost().stop_requested(); ++round)
            std::cout << "round " << round << " of the work, still leading: " << term.valid()
                      << '\n';
        done.set_value();  // the function returns, and so gives the lead up
    };
    turnstile::leader seat{servers, "/election/controller", duty, {.id = "pod-1", .once = true}};
    seat.start();
    done.get_future().wait();
}

}  // namespace

int main(int argc, char** argv) {
    const turnstile::client servers{argc > 1 ? argv[1] : "local:", {.session_timeout = 15s}};
    std::cout << "numbered: " << bool{number(servers)} << '\n';
    lead(servers);
}
