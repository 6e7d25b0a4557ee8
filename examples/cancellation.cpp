// SPDX-License-Identifier: Apache-2.0
// cancellation: three ways to end a wait early, none of which leaves a contender in the queue.
//
//     cancellation [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <future>
#include <iostream>
#include <stop_token>
#include <thread>
#include <utility>

#include <boost/thread/thread.hpp>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

const char* name_of(const turnstile::result<turnstile::guard>& outcome) {
    if (outcome) return "granted";
    switch (outcome.error().code()) {
        case turnstile::errc::timeout: return "timeout";
        case turnstile::errc::cancelled: return "cancelled";
        case turnstile::errc::interrupted: return "interrupted";
        default: return "unexpected";
    }
}

// Returns a callback that reports only the first position in the queue.
auto first_place(std::promise<std::size_t>& queued) {
    return [&queued, told = false](std::size_t ahead) mutable {
        if (!std::exchange(told, true)) queued.set_value(ahead);
    };
}

}  // namespace

int main(int argc, char** argv) {
    turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    servers.wait_connected(30s).value();
    turnstile::mutex orders{servers, "/locks/orders"};
    auto hold = orders.acquire().value();

    // 1. Ends the wait at a deadline: a duration, or a time point of any clock.
    std::cout << "timeout: " << name_of(orders.acquire(100ms)) << '\n';

    // 2. Ends the wait by a stop token, here of a std::jthread. The library calls on_queued when the wait begins, and
    // again when the position in the queue changes. It never calls on_queued after acquire() has returned, so on_queued
    // may use local variables.
    {
        std::promise<std::size_t> queued;
        std::jthread waiter{[&](const std::stop_token& stop) {
            auto outcome = orders.acquire({.stop = stop, .on_queued = first_place(queued)});
            std::cout << "stop token: " << name_of(outcome) << '\n';
        }};
        std::cout << "ahead of the second waiter: " << queued.get_future().get() << '\n';
    }  // std::jthread requests the stop and joins here

    // 3. Ends the wait by Boost.Thread's interruption: every blocking call is an interruption point.
    {
        std::promise<std::size_t> queued;
        boost::thread waiter{[&] {
            auto outcome = orders.acquire({.on_queued = first_place(queued)});
            std::cout << "interruption: " << name_of(outcome) << '\n';
        }};
        std::cout << "ahead of the third waiter: " << queued.get_future().get() << '\n';
        waiter.interrupt();
        waiter.join();
    }

    std::cout << "left in the queue: " << orders.queue().value().size() << '\n';
}
