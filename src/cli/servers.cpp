// SPDX-License-Identifier: Apache-2.0
#include "cli/servers.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "cli/option_types.hpp"
#include "cli/supervision.hpp"
#include "support/private_file.hpp"
#include "turnstile/tools/connect_string.hpp"

namespace turnstile::cli {
namespace {

// The longest interval between confirmations: requests by which a holder checks its znode and extends its lease. If
// another client removes the holder's znode, the holder notices that at the next confirmation.
constexpr std::chrono::milliseconds k_longest_confirmation{2'000};
// With a session timeout shorter than this, the answers that extend a hold's lease would arrive too late.
constexpr std::chrono::milliseconds k_shortest_session{100};

std::string servers_of(const server_settings& settings) {
    if (settings.on_command_line) return settings.servers;
    if (!settings.servers_file.empty()) return servers_in_file(settings.servers_file);
    return servers_in_environment();
}

}  // namespace

void add_server_options(CLI::App& command, server_settings& settings) {
    auto* const servers =
        command.add_option_function<std::string>("--servers", [&settings](const std::string& text) {
            settings.servers = text;
            settings.on_command_line = true;
        });
    command.add_option("--servers-file", settings.servers_file)->excludes(servers);
    command.add_option("--credentials-file", settings.credentials_file)
        ->envname("TURNSTILE_CREDENTIALS_FILE");
    add_duration(command, "--session-timeout", settings.session_timeout, k_shortest_session);
    add_duration(command, "--connect-timeout", settings.connect_timeout, k_shortest_duration);
    add_duration(command, "--tick", settings.tick, k_shortest_duration);
    command.add_option("--sync-limit", settings.sync_limit)->check(CLI::Range(1, 1000));
}

void limit_each_wait(server_settings& settings) {
    settings.session_timeout =
        std::min(settings.session_timeout, std::max(settings.connect_timeout, k_shortest_session));
}

bool is_zookeeper(const server_settings& settings) noexcept {
    return settings.servers.starts_with("zookeepers://") ||
           settings.servers.starts_with("zookeeper://") ||
           (!settings.servers.starts_with("sqlite:") &&
            settings.servers.find("://") == std::string::npos);
}

std::string chroot_of(const server_settings& settings) {
    std::string_view rest{settings.servers};
    // Only a connect string with a scheme has options behind a "?".
    constexpr std::string_view k_scheme_end = "://";
    if (const auto scheme = rest.find(k_scheme_end); scheme != std::string_view::npos) {
        rest.remove_prefix(scheme + k_scheme_end.size());
        rest = rest.substr(0, rest.find('?'));
    }
    const auto slash = std::min(rest.find('/'), rest.size());
    return slash + 1 >= rest.size() ? std::string{} : std::string{rest.substr(slash)};
}

// Overwrites the text, because unsetenv() leaves it in the memory that /proc/PID/environ shows.
void withdraw_password() {
    char* const servers = std::getenv(k_servers_variable);
    if (servers == nullptr || !has_password(servers)) return;
    ::explicit_bzero(servers, std::strlen(servers));
    ::unsetenv(k_servers_variable);
}

void settle_servers(server_settings& settings) {
    settings.servers = servers_of(settings);
    withdraw_password();
    if (settings.servers.empty())
        throw std::runtime_error{
            "no servers: set TURNSTILE_SERVERS, as in zk1:2181,zk2:2181, or "
            "TURNSTILE_SERVERS_FILE, "
            "or give --servers"};
    if (settings.servers.starts_with("local:"))
        throw std::runtime_error{settings.servers +
                                 " has locks inside one process only, which no other process sees"};
    if (settings.on_command_line && has_password(settings.servers))
        throw std::runtime_error{
            "--servers has a password in it, which all users of this machine can read in the list "
            "of processes; put the connect string into a file, and give --servers-file"};
}

std::string read_credentials(const std::string& file) {
    auto line = support::first_line_of_private_file(file);
    const auto colon = line.find(':');
    if (colon == 0 || colon == std::string::npos)
        throw std::runtime_error{file + ": the first line is not user:password"};
    return line;
}

client_options client_options_of(const server_settings& settings) {
    client_options options;
    options.session_timeout = settings.session_timeout;
    options.create_chroot = settings.create_chroot;
    options.lease.tick = settings.tick;
    options.lease.sync_limit = settings.sync_limit;
    options.lease.confirm_every =
        std::min(settings.session_timeout / k_confirmations_per_timeout, k_longest_confirmation);
    if (!settings.credentials_file.empty()) {
        options.credentials = read_credentials(settings.credentials_file);
        options.acl = access_policy::creator_only;
    }
    return options;
}

namespace {

constexpr std::chrono::milliseconds k_sample_tick{2'000};
constexpr int k_sample_sync_limit = 5;
// Unless minSessionTimeout and maxSessionTimeout are configured, servers grant session timeouts from 2 to 20 ticks.
constexpr int k_least_ticks = 2;
constexpr int k_most_ticks = 20;

std::chrono::milliseconds unsaid_tick(const server_settings& settings,
                                      std::chrono::milliseconds granted) {
    const bool raised = granted > settings.session_timeout;
    return std::max({k_sample_tick, granted / k_most_ticks,
                     raised ? granted / k_least_ticks : std::chrono::milliseconds{0}});
}

}  // namespace

assumed_pace pace_of(const server_settings& settings,
                     const std::optional<server_configuration>& told,
                     std::chrono::milliseconds granted) {
    if (!is_zookeeper(settings)) return {};
    const bool tells_tick = told && told->tick.count() > 0;
    const bool tells_limit = told && told->sync_limit > 0;
    assumed_pace pace{settings.tick, settings.sync_limit};
    if (pace.tick.count() == 0)
        pace.tick = tells_tick ? told->tick : unsaid_tick(settings, granted);
    if (pace.sync_limit == 0)
        pace.sync_limit = tells_limit ? told->sync_limit : k_sample_sync_limit;
    return pace;
}

}  // namespace turnstile::cli
