// SPDX-License-Identifier: Apache-2.0
// Uses one recipe's header and the standard library, and no other header of Turnstile.
#include "turnstile/mutex.hpp"

#include <chrono>
#include <iostream>
#include <mutex>
#include <stop_token>

int main() {
    using namespace std::chrono_literals;
    turnstile::client client{"local:package-test"};
    turnstile::mutex orders{client, "/locks/orders", {.lock_delay = 1s}};
    std::stop_source stop;
    {
        const std::unique_lock held{orders, 10s};
        if (!held || orders.current() == nullptr) return 1;
        if (orders.try_acquire().error() != turnstile::errc::busy) return 1;
    }
    bool lost = false;
    auto hold = orders.acquire({.timeout = 10s,
                                .stop = stop.get_token(),
                                .on_lost = [&](const turnstile::error&) { lost = true; }});
    if (!hold) return 1;
    const std::stop_callback on_lost{hold->lost(), [] { std::cout << "lost\n"; }};
    stop.request_stop();
    const auto waiting = orders.acquire({.stop = stop.get_token()});
    if (waiting || waiting.error() != turnstile::errc::cancelled) return 1;
    std::cout << "held until " << hold->valid_until().time_since_epoch().count() << " ns\n";
    return hold->release() && !lost ? 0 : 1;
}
