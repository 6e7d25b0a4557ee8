// SPDX-License-Identifier: Apache-2.0
// mariadb_server: one real MariaDB server in a process of its own, on a free port of 127.0.0.1, with its data in a
// temporary folder.
//
//     mariadb_server server;
//     server.start();
//     turnstile::client client{server.connect_string()};
//     server.kill();
//     server.start();   // with its data
//
// Runs the programs of Debian's package mariadb-server (mariadbd, mariadb-install-db, mariadb). MariaDB does not run as
// root: there it runs as the user `nobody`, by setpriv.
//
// Thread safety: const members from any thread; the others from one thread at a time.
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

struct mariadb_server_options {
    std::vector<std::string>
        options{};  // of mariadbd, after those of the kit: "--log-bin", "--read-only"
};

class mariadb_server {
public:
    // Makes the data (mariadb-install-db); starts nothing. Throws std::runtime_error if there is no MariaDB (and names
    // the Debian package), or with what that program says.
    explicit mariadb_server(mariadb_server_options options = {});
    ~mariadb_server();
    mariadb_server(const mariadb_server&) = delete;
    mariadb_server& operator=(const mariadb_server&) = delete;

    // Returns once it answers; nothing if it runs. Throws std::runtime_error if it does not in time: with its log.
    void start(test_deadline until = {});
    void stop();   // an orderly end: connections are closed
    void kill();   // SIGKILL, and waits
    void pause();  // SIGSTOP: connections stay open, nothing is answered
    void resume();

    [[nodiscard]] bool running() const;  // also while it is paused
    [[nodiscard]] std::uint16_t port() const noexcept { return port_.number(); }
    // "mysql://root@127.0.0.1:20001/turnstile"; no password is asked for.
    [[nodiscard]] std::string connect_string() const;
    [[nodiscard]] std::filesystem::path socket() const;  // the server's in the file system
    [[nodiscard]] std::string log() const;  // what the server wrote since the first start

    // Carries out SQL as root in the database `turnstile`, with the program mariadb: what it prints, columns between
    // tabs. Throws std::runtime_error with what that says.
    std::string run_sql(const std::string& text) const;

private:
    [[nodiscard]] std::string run(const std::string& text, const std::string& database) const;

    loopback_port port_;
    temporary_folder folder_;
    const std::filesystem::path home_;  // of the user whom the server runs as
    const std::filesystem::path data_;
    const std::filesystem::path log_;
    const std::vector<std::string> options_;
    std::optional<process> process_;
};

}  // namespace turnstile::testing
