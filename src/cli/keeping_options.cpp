// SPDX-License-Identifier: Apache-2.0
#include "cli/keeping_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/option_types.hpp"
#include "cli/wrong_words.hpp"

namespace turnstile::cli {

void add_keeping_options(CLI::App& command, keeping_options& options) {
    command.add_flag("--shell", options.shell);
    add_duration(command, "--grace", options.grace);
    add_choice<lost_policy>(command, "--on-lost", options.on_lost,
                            {{"term", lost_policy::terminate},
                             {"kill", lost_policy::kill},
                             {"none", lost_policy::none}});
    add_choice<guard_choice>(command, "--guard", options.guard,
                             {{"auto", guard_choice::automatic},
                              {"cgroup", guard_choice::cgroup},
                              {"children", guard_choice::children}});
    command.add_option("--lost-exit-code", options.lost_exit_code)->check(CLI::Range(1, 255));
}

void finish(keeping_options& options, std::string_view subcommand) {
    if (options.command.empty()) throw CLI::ParseError{no_command(subcommand), k_usage};
    if (!options.shell) return;
    std::string script;
    for (const auto& word : options.command) script += (script.empty() ? "" : " ") + word;
    options.command = {"/bin/sh", "-c", script};
}

namespace {

std::string text_of(std::chrono::milliseconds value) {
    return value.count() % 1'000 == 0 ? std::to_string(value.count() / 1'000) + "s"
                                      : std::to_string(value.count()) + "ms";
}

}  // namespace

result<void> check_grace(const keeping_options& options, const assumed_pace& servers,
                         std::chrono::milliseconds session_timeout) {
    if (options.on_lost != lost_policy::terminate) return {};
    const auto longest =
        longest_grace({session_timeout, servers.relay_bound(), lease_settings{}.clock_drift});
    if (options.grace < longest) return {};
    const auto pace = servers == assumed_pace{}
                          ? std::string{}
                          : " on servers with a tick (--tick) of " + text_of(servers.tick) +
                                " and a --sync-limit of " + std::to_string(servers.sync_limit);
    const auto session = "a session timeout of " + text_of(session_timeout) + pace;
    if (longest.count() == 0)
        return error{errc::bad_option, session +
                                           " is too short: it leaves no time for --grace; "
                                           "lengthen --session-timeout, or give --on-lost "
                                           "kill"};
    return error{errc::bad_option, "--grace " + text_of(options.grace) + " is too long: " +
                                       session + " allows less than " + text_of(longest) +
                                       "; shorten --grace or lengthen --session-timeout"};
}

}  // namespace turnstile::cli
