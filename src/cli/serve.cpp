// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "admin/access/secret_text.hpp"
#include "admin/server.hpp"
#include "cli/exit_code.hpp"
#include "cli/forwarded_signals.hpp"
#include "cli/help.hpp"
#include "cli/option_types.hpp"
#include "cli/servers.hpp"
#include "cli/standard_streams.hpp"
#include "turnstile/log.hpp"
#include "turnstile/tools/connect_string.hpp"

namespace turnstile::cli {
namespace {

struct serve_options {
    server_settings servers;
    std::string listen = "127.0.0.1:8088";
    admin::server_options page;
    bool hash_password = false;
};

// Waits until a person has typed a line, which the terminal does not show. Returns the signal that ended the wait, or
// 0. In both cases the terminal shows further lines again.
int wait_for_hidden_line(const termios& shown) {
    const forwarded_signals signals;
    ::signal(SIGTSTP, SIG_IGN);  // Ctrl-Z would leave a terminal that shows no typing
    auto hidden = shown;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    std::fputs("Password: ", stderr);
    std::array<pollfd, 2> watched{{{STDIN_FILENO, POLLIN, 0}, {signals.descriptor(), POLLIN, 0}}};
    int ended_by = 0;
    while (ended_by == 0 && watched[0].revents == 0) {
        ::poll(watched.data(), watched.size(), -1);
        for (int signal = signals.next(); signal != 0; signal = signals.next())
            if (forwarded_signals::ends_wait(signal)) ended_by = signal;
    }
    ::tcsetattr(STDIN_FILENO, TCSANOW, &shown);
    std::fputs("\n", stderr);
    return ended_by;
}

// Reads a password without showing it on the terminal, and prints its line for --users-file.
int print_password_hash() {
    constexpr std::size_t k_shortest = 8;
    termios shown{};
    const bool typed = ::tcgetattr(STDIN_FILENO, &shown) == 0;
    if (const int signal = typed ? wait_for_hidden_line(shown) : 0; signal != 0)
        return k_signal_base + signal;
    std::string password;
    std::getline(std::cin, password);
    if (password.size() < k_shortest)
        return complain("the password has fewer than 8 characters", k_usage);
    std::printf("%s\n", admin::password_hash::of(password).text().c_str());
    return flush_output() ? k_success : complain("the output could not be written", k_output);
}

void warn_of_plain_text(const admin::server_options& options) {
    if (admin::is_loopback(options.listen) || !options.tls_certificate_file.empty()) return;
    complain(
        "without --tls-cert and --tls-key, passwords and tokens cross the network as plain text");
}

int serve(admin::server& page, stop_by_signal& stop) {
    std::printf("%s\n", page.url().c_str());
    if (!flush_output()) return complain("the output could not be written", k_output);
    stop.arm();
    bool good = false;
    std::thread answers{[&] { good = page.run(); }};
    {
        const std::stop_callback end{stop.token(), [&page] { page.end(); }};
        answers.join();
    }
    return good || stop.signal() != 0
               ? k_success
               : complain("the socket on which the page listens has failed", k_no_server);
}

int run_serve(serve_options& options) {
    if (options.hash_password) return print_password_hash();
    settle_servers(options.servers);
    options.page.listen = admin::parse_listen_address(options.listen);
    admin::check(options.page);
    set_log_level(log_level::warning);  // a long-running program: it logs outages on stderr
    auto how = client_options_of(options.servers);
    how.roles = role_detection::off;
    const forwarded_signals signals;
    stop_by_signal stop{signals};  // the files below may be FIFOs
    client servers{options.servers.servers, how};
    admin::server page{servers, masked(options.servers.servers), options.page};
    warn_of_plain_text(options.page);
    return serve(page, stop);
}

void add_page_options(CLI::App& command, admin::server_options& page) {
    command.add_flag("--allow-changes", page.allow_changes);
    command.add_option("--password-file", page.password_file);
    command.add_option("--token-file", page.token_file);
    command.add_option("--users-file", page.users_file);
    command.add_option("--trust-proxy", page.proxy.addresses)
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    command.add_option("--user-header", page.proxy.user_header);
    command.add_option("--groups-header", page.proxy.groups_header);
    command.add_option("--tls-cert", page.tls_certificate_file);
    command.add_option("--tls-key", page.tls_key_file);
    command.add_option("--audit-log", page.audit_file);
    add_host_names(command, page.names);
    add_duration(command, "--refresh", page.reading.refresh, std::chrono::milliseconds{100});
    command.add_option("--max-requests", page.reading.requests_per_second)
        ->check(CLI::Range(1, 1'000'000));
}

}  // namespace

void add_serve_command(CLI::App& program, command_line& line) {
    auto& command = *program.add_subcommand("serve");
    command.formatter_fn([](auto&&...) { return serve_help(); });
    const auto options = std::make_shared<serve_options>();
    command.add_option("--listen", options->listen);
    command.add_flag("--hash-password", options->hash_password);
    add_page_options(command, options->page);
    add_server_options(command, options->servers);
    command.final_callback(
        [options, &line] { line.action = [options] { return run_serve(*options); }; });
}

}  // namespace turnstile::cli
