// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/choice_option.hpp"
#include "cli/complaint.hpp"
#include "cli/exit_code.hpp"
#include "cli/foreground_command.hpp"
#include "cli/forwarded_signals.hpp"
#include "cli/help.hpp"
#include "cli/servers.hpp"
#include "cli/standard_streams.hpp"
#include "turnstile/testing/ensemble.hpp"

namespace turnstile::cli {
namespace {

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
