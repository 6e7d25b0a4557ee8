// SPDX-License-Identifier: Apache-2.0
// servers: the servers and credentials that a command uses, and assumed_pace, the servers' tickTime and syncLimit.
// Credentials come from a file or an environment variable, never from the command line, which every user of the machine
// can read.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "turnstile/client_options.hpp"
#include "turnstile/server_health.hpp"

namespace CLI {
class App;
}

namespace turnstile::cli {

struct server_settings {
    std::string servers{};           // settled: from --servers, --servers-file or the environment
    bool on_command_line = false;    // they come from --servers
    std::string servers_file{};      // --servers-file: its first line is the connect string
    std::string credentials_file{};  // --credentials-file, else TURNSTILE_CREDENTIALS_FILE
    std::chrono::milliseconds session_timeout{30'000};
    std::chrono::milliseconds connect_timeout{10'000};
    bool create_chroot = false;  // client_options has the same option
    // Options of lease_settings. 0: the value that the servers report or, if they report none, the value of ZooKeeper's
    // sample configuration.
    std::chrono::milliseconds tick{0};
    int sync_limit = 0;
};

void add_server_options(CLI::App& command, server_settings& settings);

// If TURNSTILE_SERVERS contains a password, removes it from the environment, so that child programs do not inherit it
// and /proc/PID/environ does not show it. Call this while the process has one thread.
void withdraw_password();

// Determines the connect string from the first of these sources: --servers, --servers-file, TURNSTILE_SERVERS,
// TURNSTILE_SERVERS_FILE. Then calls withdraw_password().
//
// Throws std::runtime_error if there is no connect string, if it is `local:` (which excludes no other process), if the
// command line has a password, or if other users can open the file.
void settle_servers(server_settings& settings);

// Reduces the session timeout to the connect timeout, for a command that holds no lock: the library waits for each
// reply as long as the session timeout.
void limit_each_wait(server_settings& settings);

// True for ZooKeeper's servers. Other servers have no ticks, followers or four-letter commands.
[[nodiscard]] bool is_zookeeper(const server_settings& settings) noexcept;

// Returns the chroot in the connect string of ZooKeeper servers; empty without one.
[[nodiscard]] std::string chroot_of(const server_settings& settings);

// Returns the first line of the file, "user:password". Throws std::runtime_error if the file is unreadable, open to
// other users, or has another form.
[[nodiscard]] std::string read_credentials(const std::string& file);

// Returns the client's options for these settings, with the credentials. Throws std::runtime_error.
[[nodiscard]] client_options client_options_of(const server_settings& settings);

// The tickTime and syncLimit that the client assumes for ZooKeeper servers. The command line's values come first, then
// the servers' reported values, then ZooKeeper's sample configuration. By default servers grant session timeouts from 2
// to 20 times tickTime, so the granted timeout may raise the assumed tickTime. For other kinds of servers both values
// are zero, because these servers have no followers.
//
// Thread safety: a value and pure functions.
struct assumed_pace {
    std::chrono::milliseconds tick{};
    int sync_limit = 0;

    // The longest time from a follower's reply to a client until the leader knows that the client's session is in use.
    [[nodiscard]] std::chrono::milliseconds relay_bound() const noexcept {
        return tick * (sync_limit + 1);
    }
    friend bool operator==(const assumed_pace&, const assumed_pace&) = default;
};

// True if the command line sets both tickTime and syncLimit.
[[nodiscard]] inline bool says_pace(const server_settings& settings) noexcept {
    return settings.tick.count() > 0 && settings.sync_limit > 0;
}

// `granted`: the session timeout that the servers granted.
[[nodiscard]] assumed_pace pace_of(const server_settings& settings,
                                   const std::optional<server_configuration>& told,
                                   std::chrono::milliseconds granted);

}  // namespace turnstile::cli
