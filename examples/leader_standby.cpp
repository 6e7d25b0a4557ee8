// SPDX-License-Identifier: Apache-2.0
// leader_standby: one process leads, and the others wait. When the leader ends or is killed, the next process leads.
//
//     TURNSTILE_SERVERS=zk1:2181 leader_standby NAME      (start several at once; ends at SIGTERM or ctrl-c)
#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <string>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    if (argc != 2) return std::cerr << "usage: leader_standby NAME\n", 2;
    const std::string name = argv[1];
    // blocks these signals before the client starts its threads, which inherit the signal mask
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ending, nullptr);

    // Runs while this process leads. The next process leads after this function has returned, or after this process was
    // cut off or has died.
    const auto lead = [&](turnstile::leader_term& term) {
        std::cout << name << " leads" << std::endl;
        std::mutex mutex;
        std::unique_lock lock{mutex};
        std::condition_variable_any work;  // this example has no work, so it only waits
        work.wait(lock, term.lost(), [] { return false; });
        std::cout << name << " stops" << std::endl;
    };
    // After a crash of the leader, the next process leads when this timeout has passed.
    const turnstile::client servers = turnstile::client::from_environment({.session_timeout = 6s});
    turnstile::leader seat{servers, "/situations/scheduler", lead, {.id = name}};
    seat.start();
    std::cout << name << " stands by" << std::endl;

    int signal = 0;
    sigwait(&ending, &signal);
}  // the participant closes first, and waits for the function's end
