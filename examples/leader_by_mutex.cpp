// SPDX-License-Identifier: Apache-2.0
// leader_by_mutex: electing a leader with a mutex. Its holder leads; the next in line follows.
//
//     leader_by_mutex [connect string]      (default: "local:", which needs no server)
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <stop_token>

#include "turnstile/turnstile.hpp"

namespace {

// One process that would like to lead; usually each is on a machine of its own.
struct candidate {
    explicit candidate(const char* where) : servers{where} {}

    // Waits in the background until this one leads.
    std::future<turnstile::guard> stand() {
        return std::async(std::launch::async, [this] { return seat.acquire().value(); });
    }

    turnstile::client servers;
    turnstile::mutex seat{servers, "/election/scheduler"};
};

// What a leader does: work until it does not lead any more.
void work_until_lost(const turnstile::guard& lead) {
    std::mutex mutex;
    std::unique_lock lock{mutex};
    std::condition_variable_any work_arrived;
    work_arrived.wait(lock, lead.lost(), [] { return false; });  // no work comes today
}

}  // namespace

int main(int argc, char** argv) {
    const char* where = argc > 1 ? argv[1] : "local:";
    candidate ada{where};
    candidate bea{where};

    auto first = ada.stand().get();
    const auto first_term = first.fencing_token();
    std::cout << "ada leads\n";

    // A leader that is done resigns, and the next in line leads.
    auto next = bea.stand();
    std::cout << "ada resigns\n";
    first.unlock();
    auto second = next.get();
    std::cout << "bea leads, in a later term: " << std::boolalpha
              << (second.fencing_token() > first_term) << '\n';

    // A leader that loses its session (here because its client is closed) is told so.
    next = ada.stand();
    auto work = std::async(std::launch::async, [&second] { work_until_lost(second); });
    bea.servers.close();
    work.wait();
    std::cout << "bea stopped working, still leads: " << second.valid() << '\n';
    next.get().unlock();
    std::cout << "ada has led again\n";
}
