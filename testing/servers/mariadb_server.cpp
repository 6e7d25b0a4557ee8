// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/mariadb_server.hpp"

#include <signal.h>

#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "servers/server_root.hpp"
#include "servers/spawn.hpp"

namespace turnstile::testing {

namespace {

constexpr std::array<const char*, 3> k_folders{"usr/sbin", "usr/bin", "usr/local/bin"};

// Programs and options of MariaDB or MySQL. With these options, the data need 25 MB for MariaDB and 95 MB for MySQL.
struct server_kind {
    const char* root_variable;
    const char* install;
    std::vector<std::string> install_options;
    const char* server;
    std::vector<std::string> server_options;
    const char* client;
    std::vector<std::string> client_options;
};

// Since 11.4, MariaDB's client checks the server's certificate, and warns at a login without a password. The client
// option turns the check off, and with it the warning.
const server_kind& mariadb() {
    static const server_kind kind{
        .root_variable = "TURNSTILE_TEST_MARIADB",
        .install = "mariadb-install-db",
        .install_options = {"--skip-test-db", "--auth-root-authentication-method=normal",
                            "--innodb-log-file-size=8M"},
        .server = "mariadbd",
        .server_options = {"--innodb-log-file-size=8M", "--skip-name-resolve"},
        .client = "mariadb",
        .client_options = {"--skip-ssl-verify-server-cert"}};
    return kind;
}

// MySQL's root user may log in only from localhost, so the server must resolve that name.
const server_kind& mysql() {
    static const server_kind kind{
        .root_variable = "TURNSTILE_TEST_MYSQL",
        .install = "mysqld",
        .install_options = {"--initialize-insecure", "--innodb-redo-log-capacity=8M"},
        .server = "mysqld",
        .server_options = {"--innodb-redo-log-capacity=8M", "--mysqlx=OFF",
                           "--performance-schema=OFF", "--secure-file-priv=NULL"},
        .client = "mysql",
        .client_options = {}};
    return kind;
}

const server_kind& chosen_kind() {
    return detail::is_system(detail::server_root(mysql().root_variable)) ? mariadb() : mysql();
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

std::string program_of(const std::string& name) {
    const auto root = detail::server_root(chosen_kind().root_variable);
    for (const char* folder : k_folders)
        if (std::filesystem::exists(root / folder / name)) return (root / folder / name).string();
    throw std::runtime_error{"there is no " + name + " in " + root.string() +
                             " (Debian's package mariadb-server has MariaDB's programs)"};
}

// A client of another version would complain about this system's character sets, so it gets its own version's folder of
// character sets.
std::vector<std::string> character_sets() {
    const auto root = detail::server_root(chosen_kind().root_variable);
    for (const char* folder : {"usr/share/mysql/charsets", "usr/share/mariadb/charsets"})
        if (!detail::is_system(root) && std::filesystem::exists(root / folder))
            return {"--character-sets-dir=" + (root / folder).string()};
    return {};
}

// Returns the option that names another version's folder of messages and plugins; empty for this system's server.
std::vector<std::string> base_folder() {
    const auto root = detail::server_root(chosen_kind().root_variable);
    if (detail::is_system(root)) return {};
    return {"--basedir=" + (root / "usr").string()};
}

std::vector<std::string> command_of(const std::string& program,
                                    std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program_of(program));
    return detail::unprivileged(std::move(arguments));
}

}  // namespace

mariadb_server::mariadb_server(mariadb_server_options options)
    : home_{folder_.path() / "home"},
      data_{home_ / "data"},
      log_{folder_.path() / "log"},
      options_{std::move(options.options)} {
    std::filesystem::create_directory(home_);
    detail::give_to_unprivileged(home_);
    // A starting server deletes all temporary tables in its temporary folder, even of another server. So each server
    // needs its own folder.
    const server_kind& kind = chosen_kind();
    std::vector<std::string> arguments{"--no-defaults", "--datadir=" + data_.string(),
                                       "--tmpdir=" + home_.string()};
    append(arguments, kind.install_options);
    append(arguments, base_folder());
    if (kind.server == std::string_view{kind.install}) append(arguments, options_);
    process install{process_options{
        .command = command_of(kind.install, arguments), .output = log_, .folder = home_}};
    if (!install.wait() || install.exit_code() != 0)
        throw std::runtime_error{std::string{kind.install} + " failed:\n" + install.output()};
}

mariadb_server::~mariadb_server() {
    kill();
}

void mariadb_server::start(test_deadline until) {
    if (running()) return;
    std::vector<std::string> arguments{"--no-defaults",
                                       "--datadir=" + data_.string(),
                                       "--tmpdir=" + home_.string(),
                                       "--bind-address=127.0.0.1",
                                       "--port=" + std::to_string(port_.number()),
                                       "--socket=" + socket().string(),
                                       "--pid-file=" + (home_ / "pid").string(),
                                       "--max-connections=400"};
    append(arguments, chosen_kind().server_options);
    append(arguments, base_folder());
    append(arguments, options_);
    process_.emplace(process_options{
        .command = command_of(chosen_kind().server, arguments), .output = log_, .folder = home_});
    const bool serves = eventually(
        [&] {
            if (!running()) return true;
            try {
                return run("SELECT 1", "mysql") == "1\n";
            } catch (const std::runtime_error&) {
                return false;  // the server is starting
            }
        },
        until);
    if (!serves || !running())
        throw std::runtime_error{"MariaDB does not serve; its log:\n" + log()};
    // Creates the database at the first start. A server that refuses writes has the database already.
    if (run("SHOW DATABASES LIKE 'turnstile'", "mysql").empty())
        static_cast<void>(run("CREATE DATABASE turnstile", "mysql"));
}

void mariadb_server::stop() {
    if (!process_) return;
    resume();
    if (running()) ::kill(process_->pid(), SIGTERM);
    // Kills a server that does not end in time.
    (void)process_->wait();
    kill();
}

void mariadb_server::kill() {
    if (process_) process_->kill();
}

void mariadb_server::pause() {
    if (running()) process_->pause();
}

void mariadb_server::resume() {
    if (running()) process_->resume();
}

bool mariadb_server::running() const {
    return process_ && process_->running();
}

std::string mariadb_server::connect_string() const {
    return "mysql://root@" + port_.address() + "/turnstile";
}

std::filesystem::path mariadb_server::socket() const {
    return home_ / "socket";
}

std::string mariadb_server::log() const {
    std::ifstream in{log_};
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::string mariadb_server::run_sql(const std::string& text) const {
    return run(text, "turnstile");
}

std::string mariadb_server::run(const std::string& text, const std::string& database) const {
    const temporary_folder scratch;
    std::vector<std::string> command{program_of(chosen_kind().client), "--no-defaults"};
    append(command, chosen_kind().client_options);
    append(command, character_sets());
    append(command, {"--host=127.0.0.1", "--port=" + std::to_string(port_.number()), "--user=root",
                     "--batch", "--skip-column-names", "--execute=" + text, database});
    process program{process_options{.command = std::move(command),
                                    .output = scratch.path() / "output",
                                    .folder = scratch.path()}};
    const bool ended = program.wait();
    std::string said = program.output();
    if (!ended || program.exit_code() != 0) throw std::runtime_error{"mariadb: " + said};
    return said;
}

}  // namespace turnstile::testing
