// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/option_types.hpp"
#include "cli/session_list.hpp"
#include "cli/standard_streams.hpp"
#include "turnstile/tools/connect_string.hpp"

namespace turnstile::cli {
namespace {

// A server's answer lists all its sessions, so it may take long.
constexpr std::chrono::milliseconds k_word_limit{5'000};

struct sessions_options {
    server_settings servers;
    std::string prefix = "/";
    output_form form = output_form::text;
};

void say_what_is_missing(const session_list& list, bool zookeeper) {
    for (const auto& folder : list.unreadable) complain(folder + ": no permission to read it");
    if (list.silent.empty()) return;
    std::string words;
    for (const auto& word : list.silent) words += (words.empty() ? "" : ", ") + word;
    complain("addresses or znodes are missing, because the servers do not give them (" + words +
             ")" + (zookeeper ? "; allow cons and dump in 4lw.commands.whitelist" : ""));
}

result<int> list(client& servers, const sessions_options& options) {
    auto survey = locks_below(servers, options.prefix);
    if (!survey) return survey.error();
    session_sources sources{.survey = std::move(*survey), .prefix = options.prefix};
    if (is_zookeeper(options.servers)) {
        auto connections = answers_of_servers(options.servers.servers, "cons", k_word_limit);
        if (!connections) return connections.error();
        auto ephemerals = answers_of_servers(options.servers.servers, "dump", k_word_limit);
        if (!ephemerals) return ephemerals.error();
        sources.connections = std::move(*connections);
        sources.ephemerals = std::move(*ephemerals);
        sources.chroot = chroot_of(options.servers);
    }
    auto found = list_sessions(sources);
    // Servers other than ZooKeeper's do not report the sessions' addresses, servers and timeouts, because they lack the
    // commands "cons" and "dump".
    if (!is_zookeeper(options.servers) && !found.sessions.empty())
        found.silent.push_back(masked(options.servers.servers) +
                               ": addresses, servers and timeouts");
    const auto text = options.form == output_form::json
                          ? session_json(found)
                          : session_text(found, options.prefix, options.form == output_form::wide);
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (options.form != output_form::json)
        say_what_is_missing(found, is_zookeeper(options.servers));
    return k_success;
}

}  // namespace

void add_sessions_command(CLI::App& program, command_line& line) {
    auto& command = *program.add_subcommand("sessions");
    command.formatter_fn([](auto&&...) { return sessions_help(); });
    const auto options = std::make_shared<sessions_options>();
    add_folder_path(command, "PREFIX", options->prefix);
    add_wide_output_option(command, options->form);
    add_server_options(command, options->servers);
    command.final_callback([options, &line] {
        line.action = [options] {
            limit_each_wait(options->servers);
            return with_client(options->servers,
                               [&](client& servers) { return list(servers, *options); });
        };
    });
}

}  // namespace turnstile::cli
