// SPDX-License-Identifier: Apache-2.0
// shutdown: a service that ends in time when it is told to (SIGTERM, as from Kubernetes or systemd): it takes no further
// lock, lets its work end, gives the lock back, and closes.
//
//     shutdown [connect string]      (default: "local:", which needs no server)
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <stop_token>
#include <thread>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

// Blocked in every thread, the client's too, since it is blocked before the first of them starts.
sigset_t block_signals_of_an_end() {
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ending, nullptr);
    return ending;
}

// Works until it is done, or stopped: here until the third step, at which the program tells itself to end.
void work(const std::stop_token& stop) {
    int steps = 0;
    while (!stop.stop_requested()) {
        if (++steps == 3) ::kill(::getpid(), SIGTERM);
        std::this_thread::sleep_for(1ms);
    }
    std::cout << "the work was stopped after a step\n";
}

}  // namespace

int main(int argc, char** argv) {
    const sigset_t ending = block_signals_of_an_end();
    std::stop_source shutdown;
    std::thread signals{[&] {
        int signal = 0;
        sigwait(&ending, &signal);
        shutdown.request_stop();
    }};
    {
        turnstile::client servers{argc > 1 ? argv[1] : "local:", {.close_timeout = 5s}};
        turnstile::mutex orders{servers, "/locks/orders"};
        while (!shutdown.stop_requested()) {
            auto hold = orders.acquire({.stop = shutdown.get_token()});
            if (!hold) break;  // cancelled: it was told to end while it waited
            const turnstile::stop_any over{shutdown.get_token(), hold->lost()};
            work(over.token());
            std::cout << "the lock was " << (hold->release(5s) ? "given back" : "lost") << '\n';
        }
    }  // closes the client: what is left at the servers goes now, or with the session
    signals.join();
    std::cout << "ended\n";
}
