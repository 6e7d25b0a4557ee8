// SPDX-License-Identifier: Apache-2.0
// election: an instance that leads, an observer of the leader, and a function that one instance after another runs.
//
//     election [connect string]      (default: "local:", which needs no server)
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>

#include "turnstile/turnstile.hpp"

namespace {

using namespace std::chrono_literals;

// An instance of a service. Usually each instance is a separate process.
struct instance {
    instance(const char* where, const char* name)
        : servers{where},
          seat{servers, "/election/reports", [this](auto& term) { lead(term); }, {.id = name}} {}

    void lead(turnstile::leader_term& term) {
        led.set_value();
        std::mutex mutex;
        std::unique_lock lock{mutex};
        std::condition_variable_any work;
        // works until the function has to return
        work.wait(lock, term.lost(), [] { return false; });
        led = {};
    }

    std::promise<void> led;
    turnstile::client servers;
    turnstile::leader seat;
};

}  // namespace

int main(int argc, char** argv) {
    const char* where = argc > 1 ? argv[1] : "local:";
    instance ann{where, "ann"};
    instance bob{where, "bob"};

    turnstile::leader seat{
        ann.servers, "/election/scheduler", {.id = "ann", .data = "10.0.0.7:8080"}};
    seat.start();
    seat.await({.timeout = 10s}).value();
    std::cout << "ann leads: " << seat.leads() << '\n';

    std::promise<std::string> address;
    turnstile::leader_watch watch{bob.servers, "/election/scheduler", [&](const auto& leader) {
                                      address.set_value(leader ? leader->data : "none");
                                  }};
    std::cout << "the leader is at " << address.get_future().get() << '\n';

    ann.seat.start();
    ann.led.get_future().wait();
    std::cout << ann.seat.present_leader().value()->id << " reports\n";

    bob.seat.start();
    while (ann.seat.participants().value().size() != 2) {
    }
    ann.seat.move_to("bob", 10s).value();
    bob.led.get_future().wait();
    std::cout << ann.seat.present_leader().value()->id << " reports\n";
    bob.seat.close();
}
