// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>

#include "cli/doctor_report.hpp"
#include "cli/exit_code.hpp"
#include "cli/findings.hpp"
#include "cli/help.hpp"
#include "cli/option_types.hpp"
#include "cli/process_guard.hpp"
#include "cli/standard_streams.hpp"

namespace turnstile::cli {
namespace {

// Time limits: for each four-letter command to a server, and for the test of the client's rights at the path.
constexpr std::chrono::milliseconds k_health_limit{3'000};
constexpr std::chrono::milliseconds k_path_limit{30'000};

struct doctor_options {
    server_settings servers;
    std::string path = "/";
    output_form form = output_form::text;
};

void survey_path(const client& servers, examination& seen) {
    auto odd = odd_znodes_below(servers, seen.path, {.timeout = k_path_limit});
    if (!odd) {
        seen.no_survey = odd.error().message();
        return;
    }
    seen.odd = std::move(*odd);
    auto survey = locks_below(servers, seen.path, {.timeout = k_path_limit, .most_read = 0});
    if (survey) {
        seen.locks = std::move(survey->locks);
    } else {
        seen.no_survey = survey.error().message();
    }
}

void look_through_session(examination& seen) {
    auto options = client_options_of(seen.settings);
    options.roles = role_detection::off;
    client servers{seen.settings.servers, options};
    const auto connected = servers.wait_connected(seen.settings.connect_timeout);
    if (!connected) {
        seen.no_session = connected.error();
        return;
    }
    const auto session = servers.session();
    seen.attached_to = session.server;
    seen.session = session.id;
    seen.granted = session.timeout;
    seen.promised = servers.promises();
    auto trial = try_path(servers, seen.path, {.timeout = k_path_limit});
    if (trial) {
        seen.trial = std::move(*trial);
    } else if (trial.error() == errc::bad_path) {
        throw std::runtime_error{trial.error().message()};
    } else {
        seen.no_trial = trial.error().message();
    }
    survey_path(servers, seen);
}

// Tests whether this host has a process guard, which finds and kills all processes of a command. Call this before the
// process has a second thread.
void look_for_guard(examination& seen) {
    try {
        seen.guard = process_guard{guard_choice::automatic}.name();
    } catch (const no_guard& why) {
        seen.no_guard = why.what();
    }
}

int code_of(const findings& found) {
    const bool clean = std::all_of(found.begin(), found.end(),
                                   [](const auto& each) { return each.weight == severity::note; });
    return clean ? k_success : k_findings;
}

int examine(doctor_options& options) {
    settle_servers(options.servers);
    examination seen{
        .settings = options.servers, .path = options.path, .servers = {}, .attached_to = {}};
    look_for_guard(seen);
    seen.modules = installed_modules();
    auto told = health_of_servers(options.servers.servers, k_health_limit);
    if (!told) return complain(told.error().message(), k_usage);
    seen.servers = std::move(*told);
    if (auto file = health_of_file(options.servers.servers)) seen.file = std::move(*file);
    look_through_session(seen);
    seen.clock = read_host_clock();
    const auto found = all_findings(seen);
    const auto text =
        options.form == output_form::json ? doctor_json(seen, found) : doctor_text(seen, found);
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (!flush_output()) return complain("the output could not be written", k_output);
    if (!seen.no_session) return code_of(found);
    return complain(seen.no_session->message(), exit_code_of(seen.no_session->code()));
}

}  // namespace

void add_doctor_command(CLI::App& program, command_line& line) {
    auto& command = *program.add_subcommand("doctor");
    command.formatter_fn([](auto&&...) { return doctor_help(); });
    const auto options = std::make_shared<doctor_options>();
    add_folder_path(command, "PATH", options->path);
    add_output_option(command, options->form);
    add_server_options(command, options->servers);
    command.final_callback(
        [options, &line] { line.action = [options] { return examine(*options); }; });
}

}  // namespace turnstile::cli
