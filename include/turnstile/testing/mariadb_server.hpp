// SPDX-License-Identifier: Apache-2.0
// mariadb_server: a real MariaDB server in its own process, on a free port of 127.0.0.1, with its data in a temporary
// folder.
//
//     mariadb_server server;
//     server.start();
//     turnstile::client client{server.connect_string()};
//     server.kill();
//     server.start();   // with its data
//
// The programs belong to Debian's package mariadb-server (mariadbd, mariadb-install-db, mariadb). MariaDB does not run
// as root. If the test runs as root, this class starts the server as the user `nobody`, with setpriv.
//
// Thread safety: any thread may call const members; one thread at a time calls the others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "turnstile/testing/loopback_port.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing {

// The options of a server.
struct mariadb_server_options {
    // Options of mariadbd, like "--log-bin" or "--read-only". This class passes them after its own options.
    std::vector<std::string> options{};
};

// A server.
class mariadb_server {
public:
    // Creates the data with mariadb-install-db, and starts nothing. Throws std::runtime_error if MariaDB is not
    // installed (the message names the Debian package), or if mariadb-install-db fails (the message has its output).
    explicit mariadb_server(mariadb_server_options options = {});
    ~mariadb_server();
    mariadb_server(const mariadb_server&) = delete;
    mariadb_server& operator=(const mariadb_server&) = delete;

    // Starts the server, and returns when it answers. Does nothing if the server runs. Throws std::runtime_error if the
    // server does not answer in time (the message has its log).
    void start(test_deadline until = {});
    void stop();    // ends the server in order, which closes connections
    void kill();    // SIGKILL, and waits for the end
    void pause();   // SIGSTOP: connections stay open, but get no answer
    void resume();  // SIGCONT

    [[nodiscard]] bool running() const;  // true also while the server is paused
    // Returns the port on 127.0.0.1.
    [[nodiscard]] std::uint16_t port() const noexcept { return port_.number(); }
    // Returns a text like "mysql://root@127.0.0.1:20001/turnstile". The server needs no password.
    [[nodiscard]] std::string connect_string() const;
    [[nodiscard]] std::filesystem::path socket() const;  // the server's socket in the file system
    [[nodiscard]] std::string log() const;  // the server's output since its first start

    // Executes the SQL statements `text` as root in the database `turnstile`, with the program mariadb. Returns the
    // output of the program, with tabs between columns. If the program fails, throws std::runtime_error with its error.
    std::string run_sql(const std::string& text) const;

private:
    [[nodiscard]] std::string run(const std::string& text, const std::string& database) const;

    loopback_port port_;
    temporary_folder folder_;
    const std::filesystem::path home_;  // the home of the server's user
    const std::filesystem::path data_;
    const std::filesystem::path log_;
    const std::vector<std::string> options_;
    std::optional<process> process_;
};

}  // namespace turnstile::testing
