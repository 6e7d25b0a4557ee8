// SPDX-License-Identifier: Apache-2.0
// A process that takes a lock with a guardian and then ends, or does not, as the test says.
//
//     guarded_holder CONNECT PATH TIMEOUT_MS off|inherited|started PROGRAM hold|fork|exec|segv|exit|close [EXIT_CODE]
//
// Prints "held" once it holds the lock. `hold`: until a signal; SIGUSR1: a line "signal", SIGTERM: ends with EXIT_CODE
// and without a close. `fork`: the same with a child that lives on, by the line "child PID". `exec`: becomes another program.
// `exit`: _exit with EXIT_CODE. `close`: an orderly end.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>

#include "support.hpp"

namespace turnstile::tests {
namespace {

guardian_use use_of(const std::string& name) {
    if (name == "started") return guardian_use::started;
    return name == "inherited" ? guardian_use::inherited : guardian_use::off;
}

[[noreturn]] void hold_until_signal(const sigset_t& awaited, int exit_code) {
    for (;;) {
        int number = 0;
        ::sigwait(&awaited, &number);
        if (number == SIGTERM) ::_exit(exit_code);
        std::cout << "signal" << std::endl;
    }
}

[[noreturn]] void fault() {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
    std::abort();
}

void leave_a_child() {
    if (const pid_t child = ::fork(); child != 0) {
        std::cout << "child " << child << std::endl;
        return;
    }
    for (;;) ::pause();
}

int run(char** argv, int exit_code) {
    sigset_t awaited;
    ::sigemptyset(&awaited);
    ::sigaddset(&awaited, SIGTERM);
    ::sigaddset(&awaited, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &awaited, nullptr);
    auto options = quick_options(std::chrono::milliseconds{std::stol(argv[3])});
    options.guardian = {use_of(argv[4]), argv[5]};
    client servers{argv[1], options};
    mutex lock{servers, argv[2]};
    auto hold = lock.acquire({.timeout = limit()});
    if (!hold) {
        std::cout << hold.error().message() << std::endl;
        return 1;
    }
    std::cout << "held" << std::endl;
    const std::string end = argv[6];
    if (end == "segv") fault();
    if (end == "exit") ::_exit(exit_code);
    if (end == "exec") ::execlp("sleep", "sleep", "infinity", nullptr);
    if (end == "fork") leave_a_child();
    if (end == "hold" || end == "fork") hold_until_signal(awaited, exit_code);
    return exit_code;
}

}  // namespace
}  // namespace turnstile::tests

int main(int argc, char** argv) {
    if (argc < 7) return 2;
    return turnstile::tests::run(argv, argc > 7 ? std::stoi(argv[7]) : 0);
}
