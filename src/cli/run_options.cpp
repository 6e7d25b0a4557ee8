// SPDX-License-Identifier: Apache-2.0
#include "cli/run_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <string_view>

#include "cli/option_types.hpp"
#include "cli/supervision.hpp"

namespace turnstile::cli {
namespace {

constexpr std::size_t k_longest_default_label = 200;

std::int32_t to_count(std::string_view text) {
    std::int32_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data(), end, count);
    return failure == std::errc{} && rest == end ? count : 0;
}

void add_kinds(CLI::App& run, run_options& options) {
    const auto add_kind = [&](const char* name, wanted_kind kind) {
        return run.add_flag_callback(name, [&options, kind] { options.kind = kind; });
    };
    const std::array<CLI::Option*, 4> kinds{
        add_kind("-x,--exclusive", wanted_kind::exclusive),
        add_kind("-s,--shared", wanted_kind::shared), add_kind("--mutex", wanted_kind::mutex),
        run.add_option_function<std::string>("-p,--permits", [&options](const std::string& text) {
            options.permits = parse_permits(text);
            options.kind = wanted_kind::permits;
        })};
    for (auto* const kind : kinds)
        for (auto* const other : kinds)
            if (kind != other) kind->excludes(other);
}

}  // namespace

void add_run_options(CLI::App& run, run_options& options) {
    run.allow_extras();  // the paths
    add_kinds(run, options);
    run.add_flag("-n,--try", options.try_only);
    add_duration_function(run, "-w,--wait", [&options](std::chrono::milliseconds wait) {
        options.wait = wait;
        if (wait.count() == 0) options.try_only = true;
    });
    run.add_flag("--reenter", options.reenter);
    run.add_flag("-q,--quiet", options.quiet);
    add_duration(run, "--lock-delay", options.lock_delay);
    run.add_option("--label", options.label);
    add_keeping_options(run, options.keeping);
    add_duration(run, "--max-hold", options.max_hold, k_shortest_duration);
    add_duration(run, "--once-per", options.once_per, k_shortest_duration);
    run.add_option("--not-due-exit-code", options.not_due_exit_code)
        ->check(CLI::Range(0, 255))
        ->needs("--once-per");
    run.add_option("-E,--conflict-exit-code", options.conflict_exit_code)
        ->check(CLI::Range(0, 255));
    add_server_options(run, options.servers);
}

namespace {

void forbid(bool found, const char* options, const std::string& rule) {
    if (found) throw CLI::ValidationError{options, rule};
}

void check_paths(const std::vector<std::string>& paths) {
    for (auto path = paths.begin(); path != paths.end(); ++path) {
        check_lock_path(*path);
        if (std::find(paths.begin(), path, *path) != path)
            throw CLI::ParseError{
                "path \"" + *path + "\" is given twice, so the run would wait for itself", k_usage};
    }
}

// Returns the words that belong to no option. A positional CLI11 option is not used, because CLI11 would split the word
// "[/a,/b]" into two paths.
std::vector<std::string> paths_among(const CLI::App& run) {
    const auto words = run.remaining();
    std::vector<std::string> unknown;
    std::copy_if(words.begin(), words.end(), std::back_inserter(unknown),
                 [](const std::string& word) { return word.starts_with('-'); });
    if (!unknown.empty()) throw CLI::ExtrasError{run.get_name(), unknown};
    if (words.empty()) throw CLI::RequiredError{"PATH"};
    return words;
}

}  // namespace

permit_share parse_permits(const std::string& text) {
    const std::string_view whole{text};
    const auto slash = whole.find('/');
    const permit_share share =
        slash == std::string_view::npos
            ? permit_share{1, to_count(whole)}
            : permit_share{to_count(whole.substr(0, slash)), to_count(whole.substr(slash + 1))};
    if (share.taken < 1 || share.limit < share.taken)
        throw CLI::ValidationError{
            "--permits",
            text +
                ": expected N/M (N of the M permits, 1 <= N <= M), such as 1/4, or M for "
                "1/M"};
    return share;
}

void finish(run_options& options, const CLI::App& run, std::vector<std::string> command) {
    options.paths = paths_among(run);
    options.keeping.command = std::move(command);
    finish(options);
}

void finish(run_options& options) {
    const auto name = options.keeping.command.empty() ? "" : options.keeping.command.front();
    check_paths(options.paths);
    finish(options.keeping, "run");
    forbid(options.try_only && options.wait.count() > 0, "--try and --wait", "exclude each other");
    forbid(options.lock_delay.count() > 0 && options.kind != wanted_kind::mutex, "--lock-delay",
           "is a property of a mutex: leave out --exclusive, --shared and --permits");
    const bool once = options.once_per.count() > 0;
    forbid(once && (options.kind != wanted_kind::mutex || options.paths.size() > 1), "--once-per",
           "needs one PATH, and none of --shared, --exclusive and --permits");
    forbid(options.reenter && (once || options.max_hold.count() > 0), "--reenter",
           "excludes --once-per and --max-hold, because the hold belongs to another run");
    // The last part of the hold, in which the keeper process (cli/keeper.hpp) ends the command: the grace period, and
    // the margin for SIGKILL.
    const auto reserved =
        options.keeping.on_lost == lost_policy::none   ? std::chrono::milliseconds{0}
        : options.keeping.on_lost == lost_policy::kill ? k_kill_margin
                                                       : k_kill_margin + options.keeping.grace;
    forbid(options.max_hold.count() > 0 && options.max_hold <= reserved, "--max-hold",
           "leaves the command no time: must be longer than " + exact_text(reserved) +
               ", the time to end the command");
    if (options.label.empty()) options.label = name.substr(0, k_longest_default_label);
}

}  // namespace turnstile::cli
