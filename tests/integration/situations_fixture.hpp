// SPDX-License-Identifier: Apache-2.0
// For the tests of docs/start/situations.md: starts servers of each kind and the tested programs, and reads the files
// into which these programs write their steps.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/mariadb_server.hpp"
#include "turnstile/testing/postgres_server.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/redis_server.hpp"
#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/testing/test_deadline.hpp"

namespace turnstile::tests {

// Running servers with their connect string.
struct running_servers {
    std::shared_ptr<void> owned;
    std::string connect_string;
};

struct server_kind {
    running_servers (*start)();
    int processes;  // processes that a test runs at the same time
};

inline running_servers start_zookeeper() {
    const auto servers = std::make_shared<testing::ensemble>();
    return {servers, servers->connect_string()};
}
template <class Server>
running_servers start_server() {
    const auto server = std::make_shared<Server>();
    server->start();
    return {server, server->connect_string()};
}
inline running_servers make_sqlite_file() {
    const auto folder = std::make_shared<testing::temporary_folder>();
    return {folder, "sqlite:" + (folder->path() / "locks.db").string()};
}
// With `local:`, a process shares its locks with no other process.
inline running_servers use_memory() {
    return {nullptr, "local:"};
}

class situations : public ::testing::TestWithParam<server_kind> {
protected:
    void SetUp() override {
        if (servers.connect_string.empty()) servers = kind().start();
    }
    static void TearDownTestSuite() { servers = {}; }

    static const server_kind& kind() { return GetParam(); }

    // Starts a program. The processes of a test append whole lines to one file.
    [[nodiscard]] testing::process start(std::vector<std::string> command) const {
        command.front() = std::string{TURNSTILE_EXAMPLES_BUILD} + '/' + command.front();
        return testing::process{{.command = std::move(command),
                                 .environment = {"TURNSTILE_SERVERS=" + servers.connect_string},
                                 .output = file("log")}};
    }
    // Starts processes that wait for each other, so that they overlap.
    [[nodiscard]] std::vector<testing::process> start_together(
        const std::vector<std::vector<std::string>>& commands) const {
        std::vector<testing::process> all;
        for (const auto& command : commands) {
            all.push_back(start(command));
            all.back().pause();
        }
        for (auto& each : all) each.resume();
        return all;
    }
    // Starts as many processes as this kind of server allows. The process's name replaces "%" in the command.
    [[nodiscard]] std::vector<testing::process> start_all(
        const std::vector<std::string>& command) const {
        std::vector<std::vector<std::string>> commands;
        for (int i = 0; i != kind().processes; ++i) {
            commands.push_back(command);
            std::replace(commands.back().begin(), commands.back().end(), std::string{"%"},
                         "p" + std::to_string(i));
        }
        return start_together(commands);
    }

    [[nodiscard]] std::string file(const std::string& name) const { return folder.path() / name; }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream{file(name)} << text;
    }
    void make_pipe(const std::string& name) const {
        ASSERT_EQ(::mkfifo(file(name).c_str(), 0600), 0);
    }
    void note(const std::string& line) const {
        std::ofstream{file("log"), std::ios::app} << line << std::endl;
    }

    [[nodiscard]] std::vector<std::string> lines_of(const std::string& name) const {
        std::vector<std::string> lines;
        std::ifstream text{file(name)};
        for (std::string line; std::getline(text, line);) lines.push_back(line);
        return lines;
    }
    [[nodiscard]] std::vector<std::string> log() const { return lines_of("log"); }
    [[nodiscard]] std::size_t lines(const std::string& line) const {
        const auto all = log();
        return static_cast<std::size_t>(std::count(all.begin(), all.end(), line));
    }

    const testing::temporary_folder folder;

private:
    static inline running_servers servers;
};

// Waits for all processes. Fails if an exit code is not 0.
inline ::testing::AssertionResult end_well(std::vector<testing::process>& all) {
    for (auto& each : all) {
        if (!each.wait(testing::limit() * 2))
            return ::testing::AssertionFailure() << "runs on\n" << each.output();
        if (each.exit_code() != 0)
            return ::testing::AssertionFailure() << "exit code " << *each.exit_code() << '\n'
                                                 << each.output();
    }
    return ::testing::AssertionSuccess();
}

}  // namespace turnstile::tests
