// SPDX-License-Identifier: Apache-2.0
// turnstile-guardian: closes a process's sessions at once when the process has ended.
//
//     turnstile-guardian -- COMMAND [ARGUMENT]...   runs the command, and guards the clients in it
//     turnstile-guardian --socket NUMBER            guards the process at that socket; the library uses this form
//
// Sessions and passwords arrive through the socket and stay in memory. The guardian writes no core file, forbids other
// processes of its user to read its memory, and locks its memory against swapping if the system allows that.
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "guardian/guardian_loop.hpp"
#include "guardian/message.hpp"
#include "guardian/service.hpp"
#include "support/last_words.hpp"
#include "support/secrets.hpp"

namespace turnstile::guardian {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds k_idle_turn{60'000};
constexpr int k_turns_to_end = 3;  // accept a connection, read it, notice the end
constexpr int k_failed = 125;      // the code by which programs like env report their own failure

// Ignores SIGTERM, which systemd sends to all processes of a service when the main process has ended. The guardian ends
// when it guards no process any more.
int guard_one(int socket) {
    ::signal(SIGTERM, SIG_IGN);
    // The guardian continues in a forked copy, and its first process exits at once. So the process that started the
    // guardian waits only for this exit.
    const pid_t copy = ::fork();
    if (copy != 0) return copy < 0 ? k_failed : 0;
    support::forbid_core_files();
    support::lock_memory();
    if (::chdir("/") != 0) return k_failed;
    guardian_loop all{program_beside_this(), end_processes::ahead};
    all.add(support::descriptor{socket});
    while (all.guards() || all.closes()) all.turn(-1, k_idle_turn);
    return 0;
}

int run_service(char** command) {
    const rlimit core_limit = support::forbid_core_files();
    support::lock_memory();
    listener place;
    guardian_loop all{program_beside_this(), end_processes::ahead};
    all.listen_at(place.take_socket());
    service child;
    child.start(command, place.path(), core_limit);
    while (!child.ended()) {
        all.turn(child.signals(), k_idle_turn);
        child.handle_signals();
    }
    // The service has ended, so its pidfd is readable. But the guardian may not yet have accepted the service's
    // connections, or read their messages.
    for (int turn = 0; turn != k_turns_to_end; ++turn) all.turn(child.signals(), milliseconds{0});
    while (all.closes() && !child.hurried()) {
        all.turn(child.signals(), k_idle_turn);
        child.handle_signals();
    }
    return child.exit_code();
}

int usage() {
    std::fputs("usage: turnstile-guardian -- COMMAND [ARGUMENT]...\n", stderr);
    return 2;
}

int run(int argc, char** argv) {
    if (argc < 3) return usage();
    const std::string_view option = argv[1];
    if (option == "--") return run_service(argv + 2);
    const std::string_view number = argv[2];
    int socket = -1;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), socket);
    if (option != "--socket" || argc != 3 || parsed.ptr != number.data() + number.size() ||
        socket < 3)
        return usage();
    return guard_one(socket);
}

}  // namespace
}  // namespace turnstile::guardian

int main(int argc, char** argv) {
    try {
        return turnstile::guardian::run(argc, argv);
    } catch (const std::bad_alloc&) {
        turnstile::support::write_last_words(
            std::array<std::string_view, 2>{"turnstile-guardian", turnstile::support::k_no_memory});
        return turnstile::guardian::k_failed;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "turnstile-guardian: %s\n", failure.what());
        return turnstile::guardian::k_failed;
    }
}
