// SPDX-License-Identifier: Apache-2.0
// quorum_lock: a lock that outlives the loss of one of three ensembles.
//
//     quorum_lock [connect string]      (default: in memory, which needs no server)
//
// A real quorum_lock has three ensembles. Here two of them are always in memory, so that closing a client can represent
// the loss of an ensemble.
#include <chrono>
#include <iostream>
#include <thread>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    turnstile::client east{argc > 1 ? argv[1] : "local:east"};
    turnstile::client north{"local:north"};
    turnstile::client west{"local:west"};
    for (auto* ensemble : {&east, &north, &west}) ensemble->wait_connected(30s).value();
    turnstile::quorum_lock orders{{{east, "east"}, {north, "north"}, {west, "west"}},
                                  "/locks/orders"};
    std::cout << std::boolalpha << "needs " << orders.majority() << " of 3\n";

    auto hold = orders.acquire({.timeout = 10s}).value();
    std::cout << "held: " << hold.valid() << '\n';
    std::cout << "a second time: "
              << (orders.try_acquire().error() == turnstile::errc::busy ? "busy" : "unexpected")
              << '\n';

    // A majority is enough for the hold. The third ensemble's answer may arrive a little later.
    const auto enough = turnstile::boottime_clock::now() + 10s;
    while (hold.fencing_tokens().size() != 3 && turnstile::boottime_clock::now() < enough)
        std::this_thread::yield();

    west.close();  // represents the loss of an ensemble
    std::cout << "held without west: " << hold.valid() << '\n';
    const auto tokens = hold.fencing_tokens();
    std::cout << "token of west: " << (tokens.find("west") != nullptr) << '\n';
    hold.release().value();

    auto again = orders.acquire({.timeout = 10s}).value();
    std::cout << "acquired without west: " << again.valid() << '\n';
    std::cout << "the old tokens are behind: " << tokens.is_behind(again.fencing_tokens()) << '\n';

    north.close();  // represents the loss of a second ensemble, and so of the majority
    std::cout << "held without north and west: " << again.valid() << '\n';
}
