// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/redis_server.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "servers/server_root.hpp"
#include "servers/tcp.hpp"

namespace turnstile::testing {

namespace {

constexpr const char* k_redis_root = "TURNSTILE_TEST_REDIS";
constexpr const char* k_program = "redis-server";
constexpr std::array k_redis_programs{"usr/bin/redis-server", "usr/bin/valkey-server"};

std::string find_redis() {
    const auto root = detail::server_root(k_redis_root);
    if (detail::is_system(root)) return k_program;
    for (const char* program : k_redis_programs)
        if (std::filesystem::exists(root / program)) return root / program;
    throw std::runtime_error{std::string{k_redis_root} + "=" + root.string() +
                             ": neither usr/bin/redis-server nor usr/bin/valkey-server is there"};
}

// Settings of Redis 7 and later. Earlier servers allow DEBUG and all channels without these settings.
constexpr std::array<std::string_view, 2> k_newer_settings{"enable-debug-command yes\n",
                                                           " allchannels"};

// Returns the major version in "Redis server v=6.0.16 sha=...".
int version_of(const std::string& program) {
    const temporary_folder scratch;
    process asked{{.command = {program, "--version"}, .output = scratch.path() / "output"}};
    (void)asked.wait();
    const auto text = asked.output();
    const auto at = text.find("v=");
    return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + 2);
}

std::string known_to_server(std::string config) {
    constexpr int k_first_with_all = 7;
    if (detail::is_system(detail::server_root(k_redis_root))) return config;
    if (version_of(find_redis()) >= k_first_with_all) return config;
    for (const std::string_view newer : k_newer_settings)
        if (const auto at = config.find(newer); at != std::string::npos)
            config.erase(at, newer.size());
    return config;
}

std::string next_line(detail::tcp_connection& from) {
    std::string line;
    for (;;) {
        const auto byte = from.receive_exactly(1);
        if (byte.empty() || byte == "\n") return line;
        if (byte != "\r") line += byte;
    }
}

std::string next_answer(detail::tcp_connection& from) {
    auto line = next_line(from);
    const auto count = [&] { return std::strtoul(line.c_str() + 1, nullptr, 10); };
    if (line.starts_with('$') && line != "$-1") {
        auto text = from.receive_exactly(count());
        (void)next_line(from);
        return text;
    }
    if (!line.starts_with('*') || line == "*-1") return line;
    std::string all;
    for (auto left = count(); left != 0; --left)
        all += (all.empty() ? "" : " ") + next_answer(from);
    return all;
}

std::string lines_of(const std::optional<redis_tls_files>& files,
                     const std::optional<loopback_port>& port) {
    if (!files) return {};
    return "tls-port " + std::to_string(port->number()) + "\ntls-cert-file " + files->certificate +
           "\ntls-key-file " + files->key + "\ntls-ca-cert-file " + files->authorities +
           "\ntls-auth-clients " + (files->client_certificates ? "yes\n" : "no\n");
}

}  // namespace

redis_server::redis_server(redis_server_options options)
    : tls_{std::move(options.tls)}, log_{folder_.path() / "log"}, sentinel_{options.sentinel} {
    if (tls_) tls_port_.emplace();
    const auto file = folder_.path() / "redis.conf";
    std::ofstream out{file};
    out << "bind 127.0.0.1\nport " << port_.number() << "\ndir " << folder_.path().string()
        << "\nsave \"\"\ndaemonize no\n"
        << lines_of(tls_, tls_port_) << known_to_server(std::move(options.config)) << '\n'
        << std::flush;
    if (!out)
        throw std::system_error{EIO, std::generic_category(), "cannot write " + file.string()};
}

void redis_server::start(test_deadline until) {
    if (running()) return;
    std::vector<std::string> command{find_redis(), (folder_.path() / "redis.conf").string()};
    if (sentinel_) command.emplace_back("--sentinel");
    try {
        process_.emplace(process_options{
            .command = std::move(command), .output = log_, .folder = folder_.path()});
    } catch (const std::runtime_error& missing) {
        throw std::runtime_error{std::string{missing.what()} +
                                 " (Debian's package redis-server has it)"};
    }
    const bool serves = eventually(
        [&] {
            if (!running()) return true;
            try {
                return !ask("PING", until).starts_with("-LOADING");
            } catch (const std::system_error&) {
                return false;  // the server does not listen yet
            }
        },
        until);
    if (!serves || !running())
        throw std::runtime_error{"redis-server does not serve; its log:\n" + log()};
}

void redis_server::stop() {
    if (!process_) return;
    process_->terminate();
    // Kills a server that does not end in time.
    (void)process_->wait();
    kill();
}

void redis_server::kill() {
    if (process_) process_->kill();
}

void redis_server::pause() {
    if (process_) process_->pause();
}

void redis_server::resume() {
    if (process_) process_->resume();
}

bool redis_server::running() const {
    return process_ && process_->running();
}

std::string redis_server::tls_address() const {
    return tls_port_ ? tls_port_->address() : address();
}

std::string redis_server::connect_string() const {
    if (!tls_) return "redis://" + address();
    return "rediss://" + tls_address() + "?ca_file=" + tls_->authorities;
}

std::string redis_server::log() const {
    std::ifstream file{log_};
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::string redis_server::ask(std::string_view command, test_deadline until) const {
    detail::tcp_connection connection{"127.0.0.1", port(), until};
    connection.send(std::string{command} + "\r\n");
    return next_answer(connection);
}

}  // namespace turnstile::testing
