// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/help.hpp"
#include "cli/option_types.hpp"
#include "cli/standard_streams.hpp"
#include "cli/survey_text.hpp"
#include "support/visible.hpp"

namespace turnstile::cli {
namespace {

// `ls` reads this many contenders of each queue: enough to see whether there are several holders.
constexpr std::size_t k_read_by_ls = 100;

struct look_options {
    server_settings servers;
    std::string path = "/";
    std::size_t limit = 100;
    output_form form = output_form::text;
};

void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
}

// Returns the servers' clock, from which the ages of contenders are computed. If the servers have not reported their
// time, returns this machine's clock and prints a line that says so.
servers_clock clock_for(const client& servers, const std::vector<surveyed_lock>& locks) {
    const servers_clock clock{servers};
    if (!locks.empty() && !clock.is_theirs())
        complain(
            "turnstile computed the ages by this machine's clock, because the servers did not give "
            "their time");
    return clock;
}

result<int> list(client& servers, const look_options& options) {
    const auto survey = locks_below(servers, options.path, {.most_read = k_read_by_ls});
    if (!survey) return survey.error();
    if (options.form == output_form::json) {
        print(survey_json(*survey));
    } else {
        print(survey->locks.empty() ? nothing_text(*survey, options.path) + "\n"
                                    : list_text(*survey, clock_for(servers, survey->locks).now()));
    }
    for (const auto& folder : survey->unreadable) complain(folder + ": no permission to read it");
    return k_success;
}

result<int> show(client& servers, const look_options& options) {
    auto locks = locks_at(servers, options.path, {.most_read = options.limit});
    if (!locks) return locks.error();
    if (options.form == output_form::json) {
        print(survey_json({std::move(*locks), {}}));
        return k_success;
    }
    if (locks->empty()) print(support::visible(options.path) + ": free; no contender is there\n");
    const auto now = clock_for(servers, *locks).now();
    for (const auto& lock : *locks) print(queue_text(lock, now, options.form == output_form::wide));
    return k_success;
}

using look_work = result<int> (*)(client&, const look_options&);

std::shared_ptr<look_options> add_look(CLI::App& look, command_line& line, look_work work) {
    const auto options = std::make_shared<look_options>();
    add_server_options(look, options->servers);
    look.final_callback([options, &line, work] {
        line.action = [options, work] {
            limit_each_wait(options->servers);
            return with_client(options->servers,
                               [&](client& servers) { return work(servers, *options); });
        };
    });
    return options;
}

}  // namespace

void add_ls_command(CLI::App& program, command_line& line) {
    auto& ls = *program.add_subcommand("ls");
    ls.formatter_fn([](auto&&...) { return ls_help(); });
    const auto options = add_look(ls, line, list);
    add_folder_path(ls, "PREFIX", options->path);
    add_output_option(ls, options->form);
}

void add_show_command(CLI::App& program, command_line& line) {
    auto& shown = *program.add_subcommand("show");
    shown.formatter_fn([](auto&&...) { return show_help(); });
    const auto options = add_look(shown, line, show);
    add_folder_path(shown, "PATH", options->path)->required();
    add_wide_output_option(shown, options->form);
    shown.add_option("--limit", options->limit)->check([](const std::string& text) {
        const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
        const bool counts = digits && text.find_first_not_of('0') != std::string::npos;
        return counts ? "" : text + ": expected a whole number of at least 1";
    });
}

}  // namespace turnstile::cli
