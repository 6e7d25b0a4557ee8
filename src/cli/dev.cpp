// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/forwarded_signals.hpp"
#include "cli/help.hpp"
#include "cli/option_types.hpp"
#include "cli/servers.hpp"
#include "cli/standard_streams.hpp"
#include "turnstile/testing/ensemble.hpp"

namespace turnstile::cli {
namespace {

// The caller prepares arguments and environment before the fork: the child of a process with threads must not allocate.
[[noreturn]] void become(char* const* words, const sigset_t& mask, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(k_cannot_execute);
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    ::execvp(words[0], words);
    const int failure = errno;
    ::dprintf(STDERR_FILENO, "turnstile: %s: %s\n", words[0], std::strerror(failure));
    ::_exit(exit_code_of_exec(failure));
}

void forward(const forwarded_signals& signals, pid_t child) {
    for (int signal = signals.next(); signal != 0; signal = signals.next())
        if (signal != SIGINT && signal != SIGQUIT) ::kill(child, signal);
}

// Runs the command to its end, in this process group and terminal, with "NAME=value" added to its environment. Returns
// the exit code that a shell would return. Forwards TERM, HUP, USR1 and USR2; the terminal itself sends INT and QUIT to
// the command. If this process dies, the kernel kills the command.
int run_in_foreground(const std::vector<std::string>& command, const std::string& environment,
                      const forwarded_signals& signals) {
    std::vector<char*> words;
    for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const auto equals = environment.find('=');
    ::setenv(environment.substr(0, equals).c_str(), environment.substr(equals + 1).c_str(), 1);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) become(words.data(), signals.mask_before(), parent);
    if (child < 0) return k_cannot_execute;
    const support::descriptor process{static_cast<int>(::syscall(SYS_pidfd_open, child, 0))};
    // Some containers forbid pidfd_open(). There the loop looks for the end of the child every k_look_ms.
    constexpr int k_look_ms = 100;
    const int longest = process.open() ? -1 : k_look_ms;
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        std::array<pollfd, 2> watched{
            {{process.get(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
        ::poll(watched.data(), watched.size(), longest);
        if (watched[1].revents != 0) forward(signals, child);
    }
    return exit_code_of_command(status, false);
}

struct dev_options {
    std::size_t count = 1;
    std::vector<std::string> command;
};

int serve(const testing::ensemble& servers, const dev_options& options,
          const forwarded_signals& signals) {
    const auto environment = "TURNSTILE_SERVERS=" + servers.connect_string();
    if (!options.command.empty()) return run_in_foreground(options.command, environment, signals);
    std::printf("export %s\n", environment.c_str());
    if (!flush_output()) return complain("the output could not be written", k_output);
    complain("the servers run until Ctrl-C, and leave nothing behind");
    signals.wait_for_end();
    return k_success;
}

int run_dev(const dev_options& options) {
    withdraw_password();
    const forwarded_signals signals;
    ::signal(SIGCHLD, SIG_DFL);  // if inherited as ignored, waitpid() would find no child
    try {
        const testing::ensemble servers{{.count = options.count}};
        return serve(servers, options, signals);
    } catch (const std::runtime_error& failure) {
        return complain(failure.what(), k_no_server);
    }
}

}  // namespace

void add_dev_command(CLI::App& program, command_line& line) {
    auto& command = *program.add_subcommand("dev");
    command.formatter_fn([](auto&&...) { return dev_help(); });
    const auto options = std::make_shared<dev_options>();
    add_choice<std::size_t>(command, "--count", options->count, {{"1", 1}, {"3", 3}});
    command.final_callback([options, &line] {
        options->command = line.behind_dashes;
        line.action = [options] { return run_dev(*options); };
    });
}

}  // namespace turnstile::cli
