// SPDX-License-Identifier: Apache-2.0
#include "cli/keeper.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <system_error>

#include "cli/keeper_loop.hpp"
#include "cli/session_closing.hpp"
#include "support/time_namespace.hpp"

namespace turnstile::cli {
namespace {

// Blocks SIGTTOU in this process (the keeper, which watches the command), because it sets the terminal's foreground
// group while it is in the background.
void block_terminal_output() {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGTTOU);
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
}

[[noreturn]] void keep(const keeper_settings& settings, process_guard& guard,
                       support::descriptor socket, support::descriptor guarded) noexcept {
    try {
        const pid_t run_group = ::getpgrp();
        ::setpgid(0, 0);
        ::prctl(PR_SET_NAME, "turnstile-keep");
        guard.enter_fork();
        block_terminal_output();
        session_closing sessions{std::move(guarded)};
        keeper_loop{settings, guard, socket.get(), run_group, sessions}.run();
        guard.remove();
        sessions.close();
        ::_exit(0);
    } catch (...) {
        ::_exit(1);
    }
}

}  // namespace

keeper_link start_keeper(const keeper_settings& settings, process_guard& guard) {
    // The ends of holds are times of this process's clock. With another clock, the child process that watches the
    // command (the keeper) would kill it too late.
    if (support::children_get_other_clocks())
        throw no_guard{
            "turnstile could not end the command in time: the command would have another clock, "
            "because this process was started in a new time namespace without a fork. Use: unshare "
            "--time --fork turnstile ..."};
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw std::system_error{errno, std::system_category(), "socketpair"};
    support::descriptor ours{ends[0]};
    support::descriptor theirs{ends[1]};
    auto guardian = open_guardian_sockets();
    const pid_t pid = ::fork();
    if (pid < 0) throw std::system_error{errno, std::system_category(), "fork"};
    if (pid == 0) {
        ours.reset();
        guardian.of_run.reset();
        keep(settings, guard, std::move(theirs), std::move(guardian.of_keeper));
    }
    return {std::move(ours), std::move(guardian.of_run), pid};
}

std::string guardian_name(const keeper_link& keeper) {
    return "fd:" + std::to_string(keeper.guardian.get());
}

void end_keeper(keeper_link keeper) noexcept {
    constexpr int k_patience_ms = 500;
    const support::descriptor process{static_cast<int>(::syscall(SYS_pidfd_open, keeper.pid, 0))};
    keeper.socket.reset();
    keeper.guardian.reset();
    pollfd watched{process.get(), POLLIN, 0};
    if (process.open()) ::poll(&watched, 1, k_patience_ms);
    ::waitpid(keeper.pid, nullptr, WNOHANG);
}

}  // namespace turnstile::cli
