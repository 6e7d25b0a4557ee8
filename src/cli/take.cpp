// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <syslog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/forwarded_signals.hpp"
#include "cli/help.hpp"
#include "cli/option_types.hpp"
#include "cli/standard_streams.hpp"
#include "cli/taking.hpp"
#include "support/visible.hpp"
#include "turnstile/revocation.hpp"
#include "turnstile/server_health.hpp"

namespace turnstile::cli {
namespace {

constexpr std::chrono::milliseconds k_pause{200};

void print_line(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

void tell(const take_options& options, const take_report& report) {
    if (options.form != output_form::json) print_line(take_text(options, report));
}

int finish(const take_options& options, const take_report& report) {
    print_line(options.form == output_form::json ? take_json(options, report)
                                                 : take_text(options, report));
    return k_success;
}

// Writes to this machine's log the operator's name, the `deed` (what the command did), the contender and the reason.
// The contender's znode contains the same facts.
void write_down(const char* deed, const take_options& options, const contender& target) {
    ::syslog(LOG_WARNING, "%s",
             support::visible(options.by + " " + deed + " " + options.path + '/' + target.name +
                              ": " + options.reason)
                 .c_str());
}

bool is_confirmed(const client& servers, const take_options& options, const contender& target) {
    if (options.yes) return true;
    std::fprintf(stderr, "Take %s away from %s? [y/N] ", support::visible(options.path).c_str(),
                 support::visible(description_of(target, servers_clock{servers}.now())).c_str());
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

result<std::optional<contender>> find(const client& servers, const take_options& options) {
    const auto locks = locks_at(servers, options.path);
    if (!locks) return locks.error();
    return chosen_contender(*locks, options);
}

revoke_options record_of(const take_options& options) {
    return {.who = options.by, .why = options.reason, .wait = options.wait};
}

// Returns the longest session timeout that the servers grant. Returns nothing if no server reports it in its answer to
// the command `conf`.
std::optional<std::chrono::milliseconds> longest_session(const take_options& options) {
    const auto servers = health_of_servers(options.servers.servers);
    std::chrono::milliseconds longest{0};
    if (servers)
        for (const auto& server : *servers)
            if (server.configuration)
                longest = std::max(longest, server.configuration->max_session_timeout);
    return longest.count() > 0 ? std::optional{longest} : std::nullopt;
}

// After the client has ordered the contender to release the lock, it waits before it deletes the contender's znode.
// Returns the length of this wait. Default: at least twice the session timeout that the contender claims. Fails if the
// claim exceeds the maxSessionTimeout that a server reports.
result<std::chrono::milliseconds> wait_for(const client& servers, const take_options& options,
                                           const revocation& order, const contender& target) {
    auto record = record_of(options);
    const auto claimed = order.longest_wait(target, record);
    if (!claimed || options.wait || *claimed <= 2 * servers.session().timeout) return claimed;
    record.longest_session = longest_session(options);
    return order.longest_wait(target, record);
}

result<int> ask(client& servers, const take_options& options) {
    const auto target = find(servers, options);
    if (target.has_error()) return target.error();
    if (!*target) return finish(options, {});
    const revocation request{servers, options.path};
    if (const auto asked = request.ask(**target, record_of(options)); !asked) return asked.error();
    write_down("asked for", options, **target);
    return finish(options, {*target, true, {}, {}, servers_clock{servers}});
}

// Waits until the contender `target` has left the queue, but no longer than `asked_for`. Returns true if it has left.
result<bool> went(const client& servers, const take_options& options, const contender& target,
                  const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any pause;
    const auto end = boottime_clock::now() + options.asked_for;
    for (;;) {
        const auto locks = locks_at(servers, options.path, {.stop = stop});
        if (!locks) return locks.error();
        bool there = false;
        for (const auto& lock : *locks)
            for (const auto* part : {&lock.holders, &lock.waiters})
                for (const auto& entry : *part)
                    there = there || (entry.name == target.name && entry.token == target.token);
        if (!there || boottime_clock::now() >= end) return !there;
        std::unique_lock lock{mutex};
        if (pause.wait_for(lock, stop, k_pause, [&] { return stop.stop_requested(); }))
            return error{errc::cancelled, options.path + '/' + target.name};
    }
}

// Asks the contender to release the lock. Returns an outcome if the contender has left the queue in time; otherwise
// nothing.
result<std::optional<revocation_outcome>> ask_first(const client& servers,
                                                    const take_options& options,
                                                    const revocation& order,
                                                    const revoke_options& record,
                                                    take_report& report) {
    const auto asked = order.ask(*report.target, record);
    if (!asked && asked.error() != errc::removed) return asked.error();
    report.asked = asked.has_value();
    tell(options, report);
    const auto gone = went(servers, options, *report.target, record.stop);
    if (!gone.has_error() && !*gone) return std::optional<revocation_outcome>{};
    if (!gone.has_error())
        return std::optional{report.asked ? revocation_outcome::gave_way
                                          : revocation_outcome::gone_before};
    if (gone.error() != errc::cancelled) return gone.error();
    const auto undone = order.withdraw(*report.target, record);
    if (undone || undone.error() == errc::removed) return gone.error();
    return error{errc::cancelled,
                 gone.error().message() +
                     "; the request stays in the contender's znode: " + undone.error().message()};
}

result<int> take_from(client& servers, const take_options& options, stop_by_signal& stop,
                      const contender& target) {
    const revocation order{servers, options.path};
    auto record = record_of(options);
    take_report report{target};
    if (!options.now) {
        const auto wait = wait_for(servers, options, order, target);
        if (!wait) return wait.error();
        record.wait = report.wait = *wait;  // no longer than the printed plan says
        if (options.form != output_form::json) {
            report.clock = servers_clock{servers};
            print_line(plan_text(options, report));
        }
    }
    record.stop = stop.token();
    stop.arm();
    if (!options.now && options.asked_for.count() > 0) {
        const auto end = ask_first(servers, options, order, record, report);
        if (end.has_error()) return end.error();
        report.outcome = *end;
        if (report.outcome) return finish(options, report);
    }
    write_down("took", options, target);
    const auto outcome = options.now ? order.take_now(target, record) : order.take(target, record);
    if (!outcome) return outcome.error();
    report.outcome = *outcome;
    return finish(options, report);
}

result<int> take(client& servers, const take_options& options, stop_by_signal& stop) {
    const auto target = find(servers, options);
    if (target.has_error()) return target.error();
    if (!*target) return finish(options, {});
    if (!is_confirmed(servers, options, **target))
        return complain("you did not confirm, so nothing was done", k_usage);
    const auto taken = take_from(servers, options, stop, **target);
    if (taken.has_error() && taken.error() == errc::cancelled && stop.signal() != 0)
        return complain(taken.error().message(), k_signal_base + stop.signal());
    return taken;
}

int run_ask(take_options& options) {
    return with_client(options.servers, [&](client& servers) { return ask(servers, options); });
}

int run_take(take_options& options) {
    const forwarded_signals signals;
    stop_by_signal stop{signals};
    return with_client(options.servers,
                       [&](client& servers) { return take(servers, options, stop); });
}

using take_work = int (*)(take_options&);

CLI::App& add_command(CLI::App& program, command_line& line, const char* name,
                      const std::shared_ptr<take_options>& options, take_work work) {
    auto& command = *program.add_subcommand(name);
    add_lock_path(command, "PATH", options->path)->required();
    command.add_option("--znode", options->znode);
    command.add_option("--who", options->by);
    command.add_option("--reason", options->reason);
    add_output_option(command, options->form);
    add_server_options(command, options->servers);
    command.final_callback([options, &line, work] {
        if (options->by.empty()) options->by = operator_name();
        line.action = [options, work] { return work(*options); };
    });
    return command;
}

}  // namespace

void add_ask_command(CLI::App& program, command_line& line) {
    auto& command = add_command(program, line, "ask", std::make_shared<take_options>(), run_ask);
    command.formatter_fn([](auto&&...) { return ask_help(); });
}

// There are two phases. First the command requests the holder to release the lock, and waits for some time. Then it
// orders the holder to release the lock, and deletes the holder's znode as soon as the hold cannot be valid any more
// (turnstile/revocation.hpp). Both phases act only on the znode that the command has shown to the operator.
void add_take_command(CLI::App& program, command_line& line) {
    const auto options = std::make_shared<take_options>();
    auto& command = add_command(program, line, "take", options, run_take);
    command.formatter_fn([](auto&&...) { return take_help(); });
    command.get_option("--reason")->required();
    add_duration(command, "--ask-for", options->asked_for);
    add_duration_function(command, "--wait",
                          [options](std::chrono::milliseconds wait) { options->wait = wait; });
    command.add_flag("--now", options->now);
    command.add_flag("-y,--yes", options->yes);
    command.parse_complete_callback([options] {
        if (!options->yes && ::isatty(STDIN_FILENO) != 1)
            throw CLI::ParseError{
                "standard input is no terminal, so nobody can confirm: give --yes", k_usage};
    });
}

}  // namespace turnstile::cli
