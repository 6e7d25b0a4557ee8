// SPDX-License-Identifier: Apache-2.0
// election: instances that lead in turn, and a leader that hands over to a named one.
//
//     election [connect string]      (default: "local:", which needs no server)
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>

#include "turnstile/turnstile.hpp"

namespace {

using namespace std::chrono_literals;

// One instance; usually each is a process of its own.
struct instance {
    instance(const char* where, const char* name)
        : servers{where},
          seat{servers, "/election/reports", [this](auto& term) { lead(term); }, {.id = name}} {}

    void lead(turnstile::leader_term& term) {
        led.set_value();
        std::mutex mutex;
        std::unique_lock lock{mutex};
        std::condition_variable_any work;
        work.wait(lock, term.stop(), [] { return false; });  // until it has to return
        led = {};
    }

    std::promise<void> led;
    turnstile::client servers;
    turnstile::leader_election seat;
};

}  // namespace

int main(int argc, char** argv) {
    const char* where = argc > 1 ? argv[1] : "local:";
    instance ann{where, "ann"};
    instance bob{where, "bob"};

    ann.seat.start();
    ann.led.get_future().wait();
    std::cout << ann.seat.leader().value()->id << " leads\n";

    bob.seat.start();
    while (ann.seat.participants().value().size() != 2) {
    }
    ann.seat.move_to("bob", 10s).value();
    bob.led.get_future().wait();
    std::cout << ann.seat.leader().value()->id << " leads\n";
    bob.seat.close();

    // For the whole life of an instance: a latch.
    turnstile::leader_latch latch{ann.servers, "/election/scheduler", {.id = "ann"}};
    latch.start();
    latch.await({.timeout = 10s}).value();
    std::cout << "the latch leads: " << latch.leads() << '\n';
}
