// SPDX-License-Identifier: Apache-2.0
// postgres_server: one real PostgreSQL server in a process of its own, on a free port of 127.0.0.1, with its data in a
// temporary folder.
//
//     postgres_server server;
//     server.start();
//     turnstile::client client{server.connect_string()};
//     server.kill();
//     server.start();   // with its data
//
// Runs the binaries of Debian's package postgresql (/usr/lib/postgresql/<version>/bin, the highest version that is
// there), or those of PATH. PostgreSQL does not run as root: there it runs as the user `nobody`, by setpriv.
//
// Thread safety: const members from any thread; the others from one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "turnstile/testing/loopback_port.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::testing {

class postgres_server;

struct postgres_server_options {
    std::string config{};           // lines of postgresql.conf, after those of the kit
    std::string access{};           // lines of pg_hba.conf, before "trust everybody on this host"
    std::string encoding = "UTF8";  // of the database
    // A server that runs: this one begins with a copy of its data, and follows it, as an asynchronous standby, until
    // run_sql("SELECT pg_promote()").
    const postgres_server* standby_of = nullptr;
};

class postgres_server {
public:
    // Makes the database (initdb, or pg_basebackup); starts nothing. Throws std::runtime_error if there is no PostgreSQL
    // (and names the Debian package), or with what that program says.
    explicit postgres_server(postgres_server_options options = {});
    ~postgres_server();
    postgres_server(const postgres_server&) = delete;
    postgres_server& operator=(const postgres_server&) = delete;

    // Returns once it answers; nothing if it runs. Throws std::runtime_error if it does not in time: with its log.
    void start(test_deadline until = {});
    void stop();   // a fast shutdown: connections are closed
    void kill();   // SIGKILL to all of its processes, and waits
    void pause();  // SIGSTOP to all of its processes: connections stay open, nothing is answered
    void resume();

    [[nodiscard]] bool running() const;  // also while it is paused
    [[nodiscard]] std::uint16_t port() const noexcept { return port_.number(); }
    // "postgresql://postgres@127.0.0.1:20001/postgres"; no password is asked for.
    [[nodiscard]] std::string connect_string() const;
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }
    [[nodiscard]] std::string log() const;  // what the server wrote since the first start

    // Carries out SQL as the superuser, with psql: what it prints, rows as "a|b". Throws std::runtime_error with what
    // psql says.
    std::string run_sql(const std::string& text) const;

private:
    [[nodiscard]] std::vector<std::string> command(const std::string& program,
                                                   std::vector<std::string> arguments) const;
    void make_data(const postgres_server_options& options) const;
    void signal_all(int signal) const;

    loopback_port port_;
    temporary_folder folder_;
    const std::filesystem::path programs_;
    const std::filesystem::path data_;
    const std::filesystem::path log_;
    std::optional<process> process_;
};

}  // namespace turnstile::testing
