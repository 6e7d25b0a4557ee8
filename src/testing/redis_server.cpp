// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/redis_server.hpp"

#include <fstream>
#include <stdexcept>
#include <system_error>

#include "testing/tcp.hpp"

namespace turnstile::testing {

namespace {

constexpr const char* k_program = "redis-server";

std::string next_line(detail::tcp_connection& from) {
    std::string line;
    for (;;) {
        const auto byte = from.receive_exactly(1);
        if (byte.empty() || byte == "\n") return line;
        if (byte != "\r") line += byte;
    }
}

}  // namespace

redis_server::redis_server(redis_server_options options) : log_{folder_.path() / "log"} {
    const auto file = folder_.path() / "redis.conf";
    std::ofstream out{file};
    out << "bind 127.0.0.1\nport " << port_.number() << "\ndir " << folder_.path().string()
        << "\nsave \"\"\ndaemonize no\n"
        << options.config << '\n'
        << std::flush;
    if (!out)
        throw std::system_error{EIO, std::generic_category(), "cannot write " + file.string()};
}

void redis_server::start(test_deadline until) {
    if (running()) return;
    try {
        process_.emplace(
            process_options{.command = {k_program, (folder_.path() / "redis.conf").string()},
                            .output = log_,
                            .folder = folder_.path()});
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
                return false;  // not listening yet
            }
        },
        until);
    if (!serves || !running())
        throw std::runtime_error{"redis-server does not serve; its log:\n" + log()};
}

void redis_server::stop() {
    if (!process_) return;
    process_->terminate();
    // A server that takes too long for an orderly end gets the other one.
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

std::string redis_server::log() const {
    std::ifstream file{log_};
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::string redis_server::ask(std::string_view command, test_deadline until) const {
    detail::tcp_connection connection{"127.0.0.1", port(), until};
    connection.send(std::string{command} + "\r\n");
    auto line = next_line(connection);
    return line.starts_with('$') && line != "$-1" ? next_line(connection) : line;
}

}  // namespace turnstile::testing
