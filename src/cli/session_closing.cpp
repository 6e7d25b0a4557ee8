// SPDX-License-Identifier: Apache-2.0
#include "cli/session_closing.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "client/guarded_end.hpp"
#include "support/secrets.hpp"

namespace turnstile::cli {
namespace {

constexpr std::chrono::milliseconds k_idle_turn{60'000};

void close_from_to(unsigned first, unsigned last) {
    if (first <= last) ::syscall(SYS_close_range, first, last, 0);
}

// Forks a child process that ends one session. The child calls no exec, because this program, which the keeper runs
// too, contains the library's code.
guardian::end_process fork_end(const std::string& scheme) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
    support::descriptor ours{ends[0]};
    const support::descriptor theirs{ends[1]};
    const pid_t child = ::fork();
    if (child == 0) {
        ours.reset();
        ::_exit(detail::end_guarded_session(scheme.c_str(), theirs.get()));
    }
    if (child < 0) return {};
    return {support::descriptor{static_cast<int>(::syscall(SYS_pidfd_open, child, 0))},
            std::move(ours)};
}

}  // namespace

guardian_sockets open_guardian_sockets() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
        throw std::system_error{errno, std::system_category(), "socketpair"};
    return {support::descriptor{ends[0]}, support::descriptor{ends[1]}};
}

session_closing::session_closing(support::descriptor run) : all_{&fork_end} {
    support::forbid_core_files();
    all_.add(std::move(run));
}

// Closes all descriptors except the descriptors of `all_`. Redirects the standard streams to /dev/null.
void session_closing::drop_all_others() const {
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
    auto kept = all_.sockets();
    for (const int each : all_.pidfds_and_files()) kept.push_back(each);
    std::sort(kept.begin(), kept.end());
    unsigned next = STDERR_FILENO + 1;
    for (const int each : kept) {
        if (each <= STDERR_FILENO) continue;
        const auto number = static_cast<unsigned>(each);
        close_from_to(next, number - 1);
        next = number + 1;
    }
    close_from_to(next, ~0U);
}

void session_closing::close() {
    drop_all_others();
    all_.turn(-1, std::chrono::milliseconds{0});
    while (all_.guards() || all_.closes()) all_.turn(-1, k_idle_turn);
}

}  // namespace turnstile::cli
