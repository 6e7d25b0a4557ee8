// SPDX-License-Identifier: Apache-2.0
#include "cli/command_host.hpp"

#include <csignal>
#include <cstdlib>
#include <optional>

#include "cli/assumed_pace.hpp"
#include "cli/command_start.hpp"
#include "cli/exit_code.hpp"
#include "cli/forwarded_signals.hpp"
#include "cli/keeping_options.hpp"
#include "cli/standard_streams.hpp"
#include "turnstile/guardian.hpp"
#include "turnstile/server_health.hpp"

namespace turnstile::cli {
namespace {

// After Ctrl-C, a user must not wait long for servers that do not answer. If a session is not closed within this time,
// the keeper (a forked process, cli/keeper.hpp) closes it.
constexpr std::chrono::milliseconds k_close_timeout{1'000};

// Time limit for a server to report its tickTime and syncLimit.
constexpr std::chrono::milliseconds k_pace_limit{3'000};

std::optional<server_configuration> configuration_of(const std::string& server) {
    const auto told = health_of_servers(server, k_pace_limit);
    return told && !told->empty() ? told->front().configuration : std::nullopt;
}

// Returns why the hold ended. The keeper is a process that kills the command shortly before the hold ends. So after
// such a kill the hold has no error yet.
std::string reason_of_loss(const command_end& end, const result<void>& hold) {
    if (!hold) return hold.error().message();
    return end.at_longest ? "--max-hold was about to end the hold"
                          : "the lease was about to end, and the servers did not confirm it";
}

}  // namespace

command_host::command_host(const keeping_options& options)
    : options_{options},
      guard_{options.guard},
      keeper_{start_keeper({options.command, options.on_lost, options.grace, signals_.mask_before(),
                            status_.reader()},
                           guard_)} {
    // Only this process ignores these signals. The process that watches the command (the keeper) was forked before this
    // call, and the command inherits its signal actions from that process.
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGTSTP, SIG_IGN);
    ::setenv(k_guardian_variable, guardian_name(keeper_).c_str(), 1);
}

client_options command_host::options_for(const server_settings& servers) {
    auto options = client_options_of(servers);
    options.guardian.use = guardian_use::inherited;
    options.close_timeout = k_close_timeout;
    options.foreign_kinds = foreign_kind_policy::refuse;
    return options;
}

result<void> command_host::connect(client& zookeeper, const server_settings& servers) {
    if (auto connected = zookeeper.wait_connected(servers.connect_timeout); !connected)
        return connected.error();
    const auto session = zookeeper.session();
    std::optional<server_configuration> told;
    if (options_.on_lost == lost_policy::terminate && !says_pace(servers) && is_zookeeper(servers))
        told = configuration_of(session.server);
    return check_grace(options_, pace_of(servers, told, session.timeout), session.timeout);
}

command_end command_host::run(const watched_hold& hold, std::vector<std::string> environment) {
    const auto until = hold.valid_until().time_since_epoch().count();
    environment.push_back("TURNSTILE_VALID_UNTIL=" + std::to_string(until));
    environment.push_back("TURNSTILE_STATUS_FD=" + std::to_string(status_.reader()));
    environment.push_back("TURNSTILE_GUARD=" + std::string{guard_.name()});
    status_.discard();
    return command_watch{keeper_, guard_, signals_, hold, status_, options_.on_lost}.run(
        environment);
}

int command_host::code_of(const command_end& end, const result<void>& hold) const {
    if (end.failure != 0)
        return complain(failure_text(options_.command, end.failure),
                        exit_code_of_exec(end.failure));
    if (end.hold_lost)
        complain("the lock was lost while the command ran: " + reason_of_loss(end, hold));
    else if (end.keeper_died)
        complain(std::string{"the keeper of the command (turnstile-keep) was killed"} +
                 (end.started ? ", and the command with it" : ", so the command cannot start"));
    return exit_code_of_command(end.wait_status, end.hold_lost, options_.lost_exit_code);
}

int with_command_host(const keeping_options& keeping, server_settings& servers,
                      const std::function<int(client& zookeeper, command_host& host)>& work) {
    settle_servers(servers);
    if (says_pace(servers)) {
        const auto carried = check_grace(keeping, pace_of(servers, {}, servers.session_timeout),
                                         servers.session_timeout);
        if (!carried) return complain(carried.error().message(), k_usage);
    }
    const auto how = command_host::options_for(servers);
    try {
        command_host host{keeping};
        // The client's constructor may wait for name resolution, or for a disk if the connect string names a file.
        std::optional<stop_by_signal> starting{std::in_place, host.signals()};
        client zookeeper{servers.servers, how};
        starting.reset();
        return work(zookeeper, host);
    } catch (const no_guard& why) {
        return complain(why.what(), k_cannot_execute);
    }
}

}  // namespace turnstile::cli
