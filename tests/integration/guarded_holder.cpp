// SPDX-License-Identifier: Apache-2.0
// A process that takes a lock under a guardian, and then ends or lives on, as the test requires. A guardian is a
// process that closes the sessions of a dead process at once.
//
//     guarded_holder CONNECT PATH TIMEOUT_MS off|inherited|started PROGRAM
//                    hold|replace|fork|exec|segv|exit|close [EXIT_CODE]
//
// Prints "held" when it holds the lock. Then: `hold` waits for a signal, prints "signal" on SIGUSR1, and on SIGTERM
// exits with EXIT_CODE without closing the client. `replace` ends its first session through one of CONNECT's other
// servers, prints "held again" when a second session holds the lock, and continues as `hold`. `fork` starts a child
// that lives on, prints "child PID", and continues as `hold`. `exec` becomes another program. `exit` calls _exit with
// EXIT_CODE. `close` closes the client and then ends.
//
// The process keeps its program file open, without O_CLOEXEC.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>

#include "support.hpp"
#include "turnstile/tools/session_secret.hpp"

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

// The child needs another process group, because the test kills the holder's group. The alarm ends the child if the
// test does not.
void leave_a_child() {
    constexpr unsigned k_longest = 600;
    const pid_t child = ::fork();
    ::setpgid(child, 0);
    if (child != 0) {
        std::cout << "child " << child << std::endl;
        return;
    }
    ::alarm(k_longest);
    for (;;) ::pause();
}

// Opens this program's file, which a guardian must not inherit. The file gets a high descriptor, because the start of a
// guardian replaces the lowest descriptors in any case.
bool open_own_program() {
    constexpr int k_high = 64;
    const int file = ::open("/proc/self/exe", O_RDONLY);
    return file >= 0 && ::fcntl(file, F_DUPFD, k_high) >= 0;
}

// Ends the session through another server, as an operator does. The session's own server then cuts the connection, so
// the client notices at once, and not only at its next ping.
void end_session(const client& servers, const std::string& addresses) {
    std::istringstream list{addresses};
    std::string address;
    while (std::getline(list, address, ',') && address == servers.session().server) {
    }
    const auto secret = secret_of(servers);
    testing::close_session(address, secret.id, secret.password);
}

// Ends the first session. Returns true when the next session holds the lock.
bool hold_in_next_session(client& servers, const std::string& addresses, mutex& lock, guard& hold) {
    const auto first = servers.session().id;
    end_session(servers, addresses);
    if (!eventually([&] { return hold.lost().stop_requested(); })) return false;
    auto again = lock.acquire({.timeout = limit()});
    if (!again || servers.session().id == first) return false;
    hold = std::move(again).value();
    std::cout << "held again" << std::endl;
    return true;
}

int run(char** argv, int exit_code) {
    if (!open_own_program()) return 1;
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
    if (end == "replace" && !hold_in_next_session(servers, argv[1], lock, *hold)) return 1;
    if (end == "fork") leave_a_child();
    if (end == "hold" || end == "replace" || end == "fork") hold_until_signal(awaited, exit_code);
    return exit_code;
}

}  // namespace
}  // namespace turnstile::tests

int main(int argc, char** argv) {
    if (argc < 7) return 2;
    return turnstile::tests::run(argv, argc > 7 ? std::stoi(argv[7]) : 0);
}
