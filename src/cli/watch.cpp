// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <thread>

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/option_types.hpp"
#include "cli/survey_text.hpp"
#include "cli/text_layout.hpp"
#include "support/visible.hpp"

namespace turnstile::cli {
namespace {

constexpr std::size_t k_most_read = 100;  // contenders in each queue
constexpr std::chrono::milliseconds k_patience{5'000};

struct watch_options {
    server_settings servers;
    std::string path = "/";
    std::chrono::milliseconds interval{1'000};
    output_form form = output_form::text;
};

// Reads the lock at the path; if there is none, reads all locks below the path.
result<lock_survey> look(const client& servers, const watch_options& options) {
    const survey_options how{.timeout = k_patience, .most_read = k_most_read};
    if (options.path != "/") {
        auto here = locks_at(servers, options.path, how);
        if (!here) return here.error();
        if (!here->empty()) return lock_survey{std::move(*here), {}};
    }
    return locks_below(servers, options.path, how);
}

std::string text_of(const lock_survey& survey, const watch_options& options, wall_time now) {
    std::string text;
    for (const auto& lock : survey.locks)
        if (lock.path == options.path)
            text += queue_text(lock, now, options.form == output_form::wide);
    if (!text.empty()) return text;
    text = list_text(survey, now);
    return text.empty() ? nothing_text(survey, options.path) + "\n" : text;
}

// If the servers do not answer, shows the error and continues: the servers may answer later.
std::string frame_of(const client& servers, const watch_options& options, servers_clock& clock) {
    const auto survey = look(servers, options);
    if (options.form == output_form::json) return survey ? survey_json(*survey) : "";
    if (!survey) return support::visible(survey.error().message()) + "\n";
    if (const servers_clock seen{servers}; seen.is_theirs()) clock = seen;
    return text_of(*survey, options, clock.now());
}

result<int> watch(client& servers, const watch_options& options) {
    // If the first read fails, the command ends, as `ls` does.
    if (const auto first = look(servers, options); !first) return first.error();
    servers_clock clock;
    while (show_frame(frame_of(servers, options, clock)))
        std::this_thread::sleep_for(options.interval);
    return k_output;
}

}  // namespace

void add_watch_command(CLI::App& program, command_line& line) {
    auto& command = *program.add_subcommand("watch");
    command.formatter_fn([](auto&&...) { return watch_help(); });
    const auto options = std::make_shared<watch_options>();
    add_folder_path(command, "PATH", options->path);
    add_duration(command, "--interval", options->interval, std::chrono::milliseconds{100});
    add_wide_output_option(command, options->form);
    add_server_options(command, options->servers);
    command.final_callback([options, &line] {
        line.action = [options] {
            return with_client(options->servers,
                               [&](client& servers) { return watch(servers, *options); });
        };
    });
}

}  // namespace turnstile::cli
