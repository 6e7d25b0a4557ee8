// SPDX-License-Identifier: Apache-2.0
// shutdown: a service that ends in time when it gets SIGTERM from Kubernetes or systemd. The service takes no further
// lock, lets its work end, releases the lock, and closes the client.
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

// Blocks the signals in every thread. The client starts its threads later, and they inherit the signal mask.
sigset_t block_signals_of_an_end() {
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ending, nullptr);
    return ending;
}

// Works until a stop is requested. In this example the program sends itself the signal at the third step.
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
            if (!hold) break;  // the wait was cancelled, because the signal came
            const turnstile::stop_any over{shutdown.get_token(), hold->lost()};
            work(over.token());
            std::cout << "the lock was " << (hold->release(5s) ? "given back" : "lost") << '\n';
        }
    }  // closes the client; its znodes disappear now, or when its session ends
    signals.join();
    std::cout << "ended\n";
}
