// SPDX-License-Identifier: Apache-2.0
// servers: the servers to which a command connects, and the credentials. Credentials come from a file or a variable.
// They never come from the command line, which every user of the machine can read.
#pragma once

#include <chrono>
#include <string>

#include "turnstile/client_options.hpp"

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
    bool create_chroot = false;  // the option of client_options
    // Options of lease_settings. 0: use the values of the servers, or else of the sample configuration.
    std::chrono::milliseconds tick{0};
    int sync_limit = 0;
};

void add_server_options(CLI::App& command, server_settings& settings);

// Removes a TURNSTILE_SERVERS with a password from the environment, so that child programs do not inherit it and
// /proc/PID/environ does not show it. Call it while the process has one thread.
void withdraw_password();

// Finds the connect string. Its sources, in this order: --servers, --servers-file, TURNSTILE_SERVERS,
// TURNSTILE_SERVERS_FILE. Then withdraws the password.
//
// Throws std::runtime_error: if there is no connect string; if it is `local:`, which excludes no other process; if the
// command line has a password, which all users of the machine can read; if other users can open the file.
void settle_servers(server_settings& settings);

// Makes the session timeout as short as the connect timeout, for a command that holds no lock. The library waits for
// each answer for the session timeout.
void limit_each_wait(server_settings& settings);

// Only ZooKeeper's servers have ticks, followers and four-letter words.
[[nodiscard]] bool is_zookeeper(const server_settings& settings) noexcept;

// Returns the first line of the file, "user:password". Throws std::runtime_error if the file cannot be read, is open to
// other users, or has another form.
[[nodiscard]] std::string read_credentials(const std::string& file);

// Returns the client's options for these settings, with the credentials. Throws std::runtime_error.
[[nodiscard]] client_options client_options_of(const server_settings& settings);

}  // namespace turnstile::cli
