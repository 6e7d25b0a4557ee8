// SPDX-License-Identifier: Apache-2.0
// command_host: runs a command while the client holds a lock or leads an election. Owns the forwarded signals, the pipe
// for status lines, and the keeper: the process that kills the command before the lease ends.
//
//     command_host host{options.keeping};              // before there is a second thread
//     client servers{where, host.options_for(options.servers)};
//     const auto connected = host.connect(servers, options.servers);
//     const auto end = host.run({...}, {"TURNSTILE_PATH=/locks/a"});
//     return host.code_of(end, hold.status());
//
// Thread safety: one thread; status() may be called from any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command_watch.hpp"
#include "cli/forwarded_signals.hpp"
#include "cli/keeper.hpp"
#include "cli/keeping_options.hpp"
#include "cli/process_guard.hpp"
#include "cli/servers.hpp"
#include "cli/status_pipe.hpp"
#include "turnstile/client.hpp"
#include "turnstile/result.hpp"

namespace turnstile::cli {

class command_host {
public:
    // Forks the keeper (the process that kills the command before the hold ends), blocks the signals that are forwarded
    // to the command, and ignores SIGPIPE and SIGTSTP. Throws std::system_error and no_guard.
    explicit command_host(const keeping_options& options);
    // Destroy the client before this object. The destructor ends the keeper (the process that watches the command),
    // which first closes the sessions that the client has left open.
    ~command_host() { end_keeper(std::move(keeper_)); }
    command_host(const command_host&) = delete;
    command_host& operator=(const command_host&) = delete;

    [[nodiscard]] const forwarded_signals& signals() const noexcept { return signals_; }
    [[nodiscard]] const status_pipe& status() const noexcept { return status_; }
    // Returns client options with two effects. The process that watches the command (the keeper) also becomes the
    // client's guardian: it closes the sessions that the client leaves open. The client refuses a path with contenders
    // of another kind of lock.
    [[nodiscard]] static client_options options_for(const server_settings& servers);

    // Waits until the client is connected. Checks that the granted session timeout is long enough for the grace period.
    [[nodiscard]] result<void> connect(client& zookeeper, const server_settings& servers);

    // Runs the command under the hold. The command gets the variables in `environment`, and variables with the end of
    // the hold, the status pipe's descriptor and the kind of process guard (cli/process_guard.hpp).
    [[nodiscard]] command_end run(const watched_hold& hold, std::vector<std::string> environment);
    // Returns the exit code. If the command did not end by itself, prints one line on stderr; `hold` contains the
    // reason.
    [[nodiscard]] int code_of(const command_end& end, const result<void>& hold) const;

private:
    const keeping_options& options_;
    const forwarded_signals signals_{signals_taken::all};
    const status_pipe status_;
    process_guard guard_;
    keeper_link keeper_;
};

// Determines the servers, and calls `work` with a host and an unconnected client. Returns the exit code of `work`. For
// invalid options, prints one line on stderr and returns an exit code.
[[nodiscard]] int with_command_host(
    const keeping_options& keeping, server_settings& servers,
    const std::function<int(client& zookeeper, command_host& host)>& work);

}  // namespace turnstile::cli
