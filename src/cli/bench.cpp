// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "admin/reading/lock_json.hpp"
#include "cli/bench_measure.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/forwarded_signals.hpp"
#include "cli/help.hpp"
#include "cli/option_types.hpp"
#include "cli/servers.hpp"
#include "cli/standard_streams.hpp"
#include "cli/text_layout.hpp"
#include "support/visible.hpp"
#include "turnstile/node.hpp"
#include "turnstile/server_health.hpp"
#include "turnstile/tools/connect_string.hpp"
#include "turnstile/tools/odd_znodes.hpp"

namespace turnstile::cli {
namespace {

// The results that `turnstile bench` prints.
struct bench_report {
    std::string path;
    int clients = 0;
    std::int64_t received = 0;  // packets that the servers received; 0: they do not report it
    bench_samples samples;
};

using json = nlohmann::ordered_json;
using durations = std::vector<boottime_clock::duration>;

double milliseconds(boottime_clock::duration span) {
    return std::chrono::duration<double, std::milli>{span}.count();
}

double per_second(const bench_report& report) {
    const double seconds = std::chrono::duration<double>{report.samples.span}.count();
    return seconds > 0 ? static_cast<double>(report.samples.acquires.size()) / seconds : 0;
}

std::string decimal(double value, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

std::string cell(durations& all, double part) {
    return all.empty() ? "" : decimal(milliseconds(percentile(all, part)), 2) + " ms";
}

json distribution(durations& all) {
    return {{"count", all.size()},
            {"p50_ms", milliseconds(percentile(all, 0.5))},
            {"p99_ms", milliseconds(percentile(all, 0.99))},
            {"max_ms", milliseconds(percentile(all, 1))}};
}

std::string bench_text(bench_report report) {
    auto& samples = report.samples;
    auto text = support::visible(report.path) + ": " + std::to_string(samples.acquires.size()) +
                " grants of one mutex to " + std::to_string(report.clients) + " clients in " +
                decimal(milliseconds(samples.span) / 1'000, 1) + " s, " +
                decimal(per_second(report), 1) + " a second\n";
    table rows{{"", "P50", "P99", "MAX"}};
    rows.add({"acquire", cell(samples.acquires, 0.5), cell(samples.acquires, 0.99),
              cell(samples.acquires, 1)});
    rows.add({"hand-over", cell(samples.hand_overs, 0.5), cell(samples.hand_overs, 0.99),
              cell(samples.hand_overs, 1)});
    text += rows.text();
    if (report.received > 0)
        text += "the servers received " + std::to_string(report.received) +
                " packets meanwhile, including the packets of other clients\n";
    return text;
}

std::string bench_json(bench_report report) {
    auto& samples = report.samples;
    json result{{"path", report.path},
                {"clients", report.clients},
                {"seconds", milliseconds(samples.span) / 1'000},
                {"grants", samples.acquires.size()},
                {"grants_per_second", per_second(report)},
                {"acquire", distribution(samples.acquires)},
                {"hand_over", distribution(samples.hand_overs)}};
    result["packets_received"] = report.received > 0 ? json(report.received) : json(nullptr);
    return admin::printed(result) + '\n';
}

constexpr int k_most_seconds = 600;
constexpr int k_most_clients = 64;

struct bench_options {
    server_settings servers;
    std::string path = "/turnstile-bench";
    int seconds = 5;
    int clients = 4;
    output_form form = output_form::text;
    bool yes = false;
};

bool is_confirmed(const bench_options& options) {
    if (options.yes) return true;
    std::fprintf(stderr,
                 "Put load on %s for %d s, with %d clients that acquire the lock %s? [y/N] ",
                 support::visible(masked(options.servers.servers)).c_str(), options.seconds,
                 options.clients, support::visible(options.path).c_str());
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

// Returns the number of packets that the servers have received since their start. Omits servers that do not report this
// number.
std::int64_t received_by(const std::string& servers) {
    std::int64_t sum = 0;
    if (const auto told = health_of_servers(servers))
        for (const auto& server : *told) sum += server.received.value_or(0);
    return sum;
}

// Waits until `span` has passed, a signal arrives or `done` is triggered, and then triggers `over`. Returns the signal,
// or 0. `done` means that all work has already ended.
int wait_for_end(const forwarded_signals& signals, std::chrono::seconds span,
                 std::stop_source& over, const std::stop_token& done) {
    const auto deadline = boottime_clock::now() + span;
    int ended_by = 0;
    while (ended_by == 0 && !done.stop_requested() && boottime_clock::now() < deadline) {
        constexpr int k_look_ms = 50;
        pollfd watched{signals.descriptor(), POLLIN, 0};
        ::poll(&watched, 1, k_look_ms);
        for (int signal = signals.next(); signal != 0; signal = signals.next())
            if (forwarded_signals::ends_wait(signal)) ended_by = signal;
    }
    over.request_stop();
    return ended_by;
}

// Returns a path that only this run uses, so that the lock has no other contenders.
std::string own_lock(const std::string& path) {
    return path + "/run-" + std::to_string(::getpid()) + "-" +
           std::to_string(boottime_clock::now().time_since_epoch().count());
}

// Removes the folders that the bench has created, if they are empty.
class bench_folders {
public:
    bench_folders(const bench_options& options, std::string lock)
        : servers_{options.servers.servers, client_options_of(options.servers)},
          path_{options.path},
          lock_{std::move(lock)} {}
    result<void> connect(std::chrono::milliseconds patience) {
        if (auto connected = servers_.wait_connected(patience); !connected)
            return connected.error();
        const auto there = read_node(servers_, path_);
        if (!there && there.error() != errc::no_node) return there.error();
        was_there_ = there.has_value();
        return {};
    }
    void remove() {
        const query_options how{.timeout = std::chrono::seconds{5}};
        static_cast<void>(remove_empty_folder(servers_, lock_, how));
        if (!was_there_) static_cast<void>(remove_empty_folder(servers_, path_, how));
    }

private:
    client servers_;
    const std::string path_;
    const std::string lock_;
    bool was_there_ = true;
};

bench_plan plan_of(const bench_options& options, const std::string& lock) {
    auto how = client_options_of(options.servers);
    how.label = "turnstile bench";
    return {.servers = options.servers.servers,
            .options = std::move(how),
            .path = lock,
            .clients = static_cast<std::size_t>(options.clients),
            .connect_timeout = options.servers.connect_timeout};
}

struct bench_end {
    result<bench_samples> measured;
    int signal = 0;
};

bench_end measure(bench_measure& clients, const bench_options& options,
                  const forwarded_signals& signals) {
    std::stop_source over;
    std::stop_source done;
    int signal = 0;
    std::jthread watch{[&] {
        signal =
            wait_for_end(signals, std::chrono::seconds{options.seconds}, over, done.get_token());
    }};
    auto measured = clients.run(over.get_token());
    done.request_stop();
    watch.join();
    return {std::move(measured), signal};
}

int report(const error& failure) {
    return complain(failure.message(), exit_code_of(failure.code()));
}

int bench(bench_options& options) {
    settle_servers(options.servers);
    if (!is_confirmed(options))
        return complain("you did not confirm, so nothing was done", k_usage);
    const forwarded_signals signals;
    std::optional<stop_by_signal> starting{std::in_place, signals};
    const auto lock = own_lock(options.path);
    bench_folders folders{options, lock};
    if (const auto ready = folders.connect(options.servers.connect_timeout); !ready)
        return report(ready.error());
    bench_end end{.measured = bench_samples{}};
    std::int64_t received = 0;
    {
        bench_measure clients{plan_of(options, lock)};
        if (const auto ready = clients.connect(); !ready) return report(ready.error());
        received = received_by(options.servers.servers);
        starting.reset();
        end = measure(clients, options, signals);
        received = received_by(options.servers.servers) - received;
    }
    folders.remove();
    if (!end.measured) return report(end.measured.error());
    const bench_report report{options.path, options.clients, received, std::move(*end.measured)};
    const auto text = options.form == output_form::json ? bench_json(report) : bench_text(report);
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (!flush_output()) return complain("the output could not be written", k_output);
    return end.signal != 0 ? k_signal_base + end.signal : k_success;
}

}  // namespace

void add_bench_command(CLI::App& program, command_line& line) {
    auto& command = *program.add_subcommand("bench");
    command.formatter_fn([](auto&&...) { return bench_help(); });
    const auto options = std::make_shared<bench_options>();
    add_lock_path(command, "--path", options->path);
    command.add_option("--seconds", options->seconds)->check(CLI::Range(1, k_most_seconds));
    command.add_option("--clients", options->clients)->check(CLI::Range(1, k_most_clients));
    command.add_flag("-y,--yes", options->yes);
    add_output_option(command, options->form);
    add_server_options(command, options->servers);
    command.final_callback([options, &line] {
        if (!options->yes && ::isatty(STDIN_FILENO) != 1)
            throw CLI::ParseError{
                "standard input is no terminal, so nobody can confirm: give --yes", k_usage};
        line.action = [options] { return bench(*options); };
    });
}

}  // namespace turnstile::cli
