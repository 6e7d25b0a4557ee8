// SPDX-License-Identifier: Apache-2.0
// postgres_server: a real PostgreSQL server in its own process, on a free port of 127.0.0.1, with its data in a
// temporary folder.
//
//     postgres_server server;
//     server.start();
//     turnstile::client client{server.connect_string()};
//     server.kill();
//     server.start();   // with its data
//
// The programs belong to Debian's package postgresql (/usr/lib/postgresql/<version>/bin, the highest installed
// version), or else come from PATH. PostgreSQL does not run as root. If the test runs as root, this class starts the
// server as the user `nobody`, with setpriv.
//
// Thread safety: any thread may call const members; one thread at a time calls the others.
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

// The options of a server.
struct postgres_server_options {
    std::string config{};           // lines of postgresql.conf; they come after this class's lines
    std::string access{};           // lines of pg_hba.conf, before "trust everybody on this host"
    std::string encoding = "UTF8";  // encoding of the database
    // A running server, or null. The new server begins with a copy of that server's data, and follows it as an
    // asynchronous standby until run_sql("SELECT pg_promote()").
    const postgres_server* standby_of = nullptr;
};

// A server.
class postgres_server {
public:
    // Creates the data with initdb or pg_basebackup, and starts nothing. Throws std::runtime_error if PostgreSQL is not
    // installed (the message names the Debian package), or if that program fails (the message has its output).
    explicit postgres_server(postgres_server_options options = {});
    ~postgres_server();
    postgres_server(const postgres_server&) = delete;
    postgres_server& operator=(const postgres_server&) = delete;

    // Starts the server, and returns when it answers. Does nothing if the server runs. Throws std::runtime_error if the
    // server does not answer in time (the message has its log).
    void start(test_deadline until = {});
    void stop();    // a fast shutdown, which closes connections
    void kill();    // SIGKILL to all its processes, and waits for the end
    void pause();   // SIGSTOP to all its processes: connections stay open, but get no answer
    void resume();  // SIGCONT

    [[nodiscard]] bool running() const;  // true also while the server is paused
    // Returns the port on 127.0.0.1.
    [[nodiscard]] std::uint16_t port() const noexcept { return port_.number(); }
    // Returns a text like "postgresql://postgres@127.0.0.1:20001/postgres". The server needs no password.
    [[nodiscard]] std::string connect_string() const;
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }
    [[nodiscard]] std::string log() const;  // the server's output since its first start

    // Executes the SQL statements `text` as the superuser, with psql. Returns psql's output, with rows like "a|b". If
    // psql fails, throws std::runtime_error with its error.
    std::string run_sql(const std::string& text) const;

private:
    [[nodiscard]] std::vector<std::string> command(const std::string& program,
                                                   std::vector<std::string> arguments) const;
    void make_data(const postgres_server_options& options) const;
    void remove_shared_memory() const;
    void signal_all(int signal) const;

    loopback_port port_;
    temporary_folder folder_;
    const std::filesystem::path programs_;
    const std::filesystem::path data_;
    const std::filesystem::path log_;
    std::optional<process> process_;
};

}  // namespace turnstile::testing
