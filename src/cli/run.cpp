// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cli/command_watch.hpp"
#include "cli/complaint.hpp"
#include "cli/exit_code.hpp"
#include "cli/grace_check.hpp"
#include "cli/held_work.hpp"
#include "cli/status_line.hpp"
#include "cli/wait_watch.hpp"
#include "cli/waiting_line.hpp"
#include "cli/wanted_lock.hpp"
#include "guardian/message.hpp"
#include "turnstile/fencing_vector.hpp"
#include "turnstile/log.hpp"

namespace turnstile::cli {
namespace {

// A person who presses Ctrl-C does not wait long for servers that do not answer. The keeper goes on.
constexpr std::chrono::milliseconds k_close_timeout{1'000};
// A queue that is longer is not read for the line on the terminal.
constexpr std::size_t k_longest_queue_shown = 100;
constexpr std::chrono::milliseconds k_patience_for_line{1'000};

std::string joined(const std::vector<std::string>& paths) {
    std::string text;
    for (const auto& path : paths) text += (text.empty() ? "" : "\n") + path;
    return text;
}

// A hold on several locks has a token for each, and no single znode.
std::string token_text(const guard& hold, const run_options& options) {
    return options.paths.size() == 1 ? hold.fencing_token().to_string()
                                     : hold.fencing_tokens().to_string();
}

std::vector<std::string> environment_of(const guard& hold, const run_options& options,
                                        const status_pipe& status) {
    const auto until = hold.valid_until().time_since_epoch().count();
    return {"TURNSTILE_PATH=" + joined(options.paths),
            "TURNSTILE_TOKEN=" + token_text(hold, options), "TURNSTILE_ZNODE=" + hold.znode(),
            "TURNSTILE_VALID_UNTIL=" + std::to_string(until),
            "TURNSTILE_STATUS_FD=" + std::to_string(status.reader())};
}

// Progress is for people: nothing is printed where stderr is no terminal.
wait_watch::show_place progress(const client& servers, const run_options& options) {
    if (options.quiet || ::isatty(STDERR_FILENO) != 1) return {};
    return [&servers, &options](std::size_t ahead) {
        if (ahead == 0) return;
        std::vector<contender> queue;
        const auto& path = options.paths.front();
        if (options.paths.size() == 1 && ahead <= k_longest_queue_shown)
            if (auto found =
                    queue_at(servers, path, options.kind, {.timeout = k_patience_for_line}))
                queue = std::move(*found);
        complain(waiting_line(options.paths.size() == 1 ? path : joined(options.paths), ahead,
                              queue, std::chrono::system_clock::now()));
    };
}

acquire_options acquire_options_of(const run_options& options, const status_pipe& status,
                                   wait_watch& waiting) {
    acquire_options how;
    if (options.wait.count() > 0) how.timeout = options.wait;
    how.stop = waiting.stop();
    how.max_hold = options.max_hold;
    how.label = options.label;
    how.on_queued = [&waiting](std::size_t ahead) { waiting.note_place(ahead); };
    how.on_at_risk = [&status](boottime_clock::time_point until) {
        status.write(at_risk_line(until));
    };
    how.on_asked_to_release = [&status](const release_request& request) {
        status.write(asked_line(request));
    };
    return how;
}

int complain_about_end(const guard& hold, const run_options& options, const command_end& end) {
    if (end.failure != 0)
        return complain(options.command.front() + ": " + std::strerror(end.failure),
                        exit_code_of_exec(end.failure));
    if (end.hold_lost) {
        const auto status = hold.status();
        complain("the lock was lost while the command ran: " +
                 (status ? "its lease was about to end and could not be confirmed"
                         : status.error().message()));
    } else if (end.keeper_died) {
        complain("the process that keeps the command was killed, and the command with it");
    }
    return exit_code_of_command(end.wait_status, end.hold_lost);
}

result<void> connect(client& servers, const run_options& options) {
    if (auto connected = servers.wait_connected(options.servers.connect_timeout); !connected)
        return connected.error();
    return check_grace(options, servers.session().timeout);
}

int run_with(client& servers, const keeper_link& keeper, const forwarded_signals& signals,
             const run_options& options, const status_pipe& status) {
    wait_watch waiting{servers, signals, progress(servers, options)};
    const auto work = [&](guard& hold) {
        // No command is started once a stop was asked for.
        if (waiting.finish() != 0) return k_success;
        const auto end =
            command_watch{keeper, signals, hold, status}.run(environment_of(hold, options, status));
        return complain_about_end(hold, options, end);
    };
    int code = k_success;
    if (const auto connected = connect(servers, options); connected) {
        const auto how = acquire_options_of(options, status, waiting);
        code = options.once_per.count() > 0 ? work_once(servers, options, how, work)
                                            : work_under_lock(servers, options, how, work);
    } else if (connected.error() != errc::closed) {
        code = complain(connected.error().message(), exit_code_of(connected.error().code()));
    }
    const int signal = waiting.finish();
    return signal != 0 ? k_signal_base + signal : code;
}

}  // namespace

int run(const run_options& options) {
    check_servers(options.servers);
    if (const auto carried = check_grace(options, options.servers.session_timeout); !carried)
        return complain(carried.error().message(), k_usage);
    client_options how = client_options_of(options.servers);
    const forwarded_signals signals;
    const status_pipe status;
    auto keeper = start_keeper(
        {options.command, options.on_lost, options.grace, signals.mask_before(), status.reader()});
    // The command has the dispositions from before: the keeper was forked by then.
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGTSTP, SIG_IGN);
    ::setenv(guardian::k_environment_name, keeper.guardian_name.c_str(), 1);
    how.guardian.use = guardian_use::inherited;
    how.close_timeout = k_close_timeout;
    // The log is for programs; what a person needs is in the one line of the error.
    set_log_level(log_level::off);
    int code = k_success;
    {
        client servers{options.servers.servers, how};
        code = run_with(servers, keeper, signals, options, status);
    }
    end_keeper(std::move(keeper));
    return code;
}

}  // namespace turnstile::cli
