// SPDX-License-Identifier: Apache-2.0
// command_host: what a process needs that runs a command under a hold: signals, status lines, a keeper.
//
//     command_host host{options.keeping};              // before there is a second thread
//     client servers{where, host.options_for(options.servers)};
//     const auto connected = host.connect(servers, options.servers);
//     const auto end = host.run({...}, {"TURNSTILE_PATH=/locks/a"});
//     return host.code_of(end, hold.status());
//
// Thread safety: one thread, but status() from any.
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
    // Forks the keeper, blocks the signals that are handed on, and sets others aside. Throws std::system_error
    // and no_guard.
    explicit command_host(const keeping_options& options);
    // The client has to be gone by then: its session is the keeper's to close.
    ~command_host() { end_keeper(std::move(keeper_)); }
    command_host(const command_host&) = delete;
    command_host& operator=(const command_host&) = delete;

    [[nodiscard]] const forwarded_signals& signals() const noexcept { return signals_; }
    [[nodiscard]] const status_pipe& status() const noexcept { return status_; }
    // With the keeper as guardian, and no lock beside one of another kind.
    [[nodiscard]] static client_options options_for(const server_settings& servers);

    // Waits until the client is connected, and sees whether the session that the servers granted carries the grace.
    [[nodiscard]] result<void> connect(client& zookeeper, const server_settings& servers);

    // Runs the command under the hold, with these variables and those of the hold.
    [[nodiscard]] command_end run(const watched_hold& hold, std::vector<std::string> environment);
    // The exit code. What was not the command's doing is one line on stderr; `hold` says why it is not valid.
    [[nodiscard]] int code_of(const command_end& end, const result<void>& hold) const;

private:
    const keeping_options& options_;
    const forwarded_signals signals_{signals_taken::all};
    const status_pipe status_;
    process_guard guard_;
    keeper_link keeper_;
};

// Settles the servers. What `work` returns, with a host and a client that is not connected yet; or the exit code of what was wrong with the
// options, which is one line on stderr then.
[[nodiscard]] int with_command_host(
    const keeping_options& keeping, server_settings& servers,
    const std::function<int(client& zookeeper, command_host& host)>& work);

}  // namespace turnstile::cli
