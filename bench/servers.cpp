// SPDX-License-Identifier: Apache-2.0
// Runs the ZooKeeper servers of a benchmark by the class turnstile::testing::ensemble. Their JVMs have the settings of
// long-running servers. (The class's default settings are for a quick start.)
//
//     turnstile_bench_servers COUNT FOLDER SYNC [tls]
//
// COUNT is 1 or 3. FOLDER is an empty folder for the data. SYNC is `on` or `off`. With `on`, which is ZooKeeper's
// default, a server confirms a write when the write is on the disk.
//
// When the servers are ready, the program prints "ready ADDRESS,...". With TLS it prints "ready ADDRESS,... AUTHORITY",
// where AUTHORITY is the file of the authority's certificate. When the program's standard input ends, the program ends
// the servers.
#include <charconv>
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "turnstile/testing/certificate_authority.hpp"
#include "turnstile/testing/loopback_port.hpp"
#include "turnstile/testing/test_deadline.hpp"
#include "turnstile/testing/zookeeper_server.hpp"

namespace {

using turnstile::testing::loopback_port;
using turnstile::testing::zookeeper_server;

struct arguments {
    std::size_t count = 0;
    std::filesystem::path folder;
    bool sync = false;
    bool tls = false;
};

arguments parse(const std::vector<std::string>& given) {
    const bool tls = given.size() == 4 && given[3] == "tls";
    if (given.size() != 3 && !tls) throw std::invalid_argument{"expected COUNT FOLDER SYNC [tls]"};
    if (given[0] != "1" && given[0] != "3")
        throw std::invalid_argument{"COUNT is '" + given[0] + "', not 1 or 3"};
    if (given[2] != "on" && given[2] != "off")
        throw std::invalid_argument{"SYNC is '" + given[2] + "', not on or off"};
    if (!std::filesystem::is_empty(given[1]))
        throw std::invalid_argument{"FOLDER '" + given[1] + "' is not empty"};
    return {given[0] == "1" ? 1U : 3U, std::filesystem::absolute(given[1]), given[2] == "on", tls};
}

// The times of ZooKeeper's sample configuration, and enough connections for a benchmark.
std::string configuration() {
    return "tickTime=2000\ninitLimit=10\nsyncLimit=5\nmaxSessionTimeout=60000\n"
           "maxClientCnxns=0\nadmin.enableServer=false\n4lw.commands.whitelist=*\n";
}

std::vector<std::string> java_arguments(bool sync) {
    std::vector<std::string> result{"-Xmx2g", "-Xss1m", "-XX:TieredStopAtLevel=4",
                                    "-XX:-UseSerialGC", "-XX:+UseG1GC"};
    if (!sync) result.emplace_back("-Dzookeeper.forceSync=no");
    return result;
}

class servers {
public:
    explicit servers(const arguments& wanted) {
        std::optional<turnstile::testing::server_tls> tls;
        if (wanted.tls) {
            auto& own = authority_.emplace();
            tls.emplace();
            tls->authority = own.certificate();
            tls->key_store = own.issue("server").key_store;
        }
        std::string config = configuration();
        for (std::size_t i = 1; wanted.count > 1 && i <= wanted.count; ++i) {
            config += "server." + std::to_string(i) + "=" + ports_.emplace_back().address();
            config += ":" + std::to_string(ports_.emplace_back().number()) + "\n";
        }
        for (std::size_t i = 1; i <= wanted.count; ++i) {
            const auto folder = wanted.folder / std::to_string(i);
            std::filesystem::create_directory(folder);
            servers_.push_back(
                std::make_unique<zookeeper_server>(turnstile::testing::zookeeper_server_options{
                    .folder = folder,
                    .client_port = ports_.emplace_back().number(),
                    .config = config,
                    .java_arguments = java_arguments(wanted.sync),
                    .id = wanted.count == 1 ? 0 : static_cast<int>(i),
                    .data_from = {},
                    .tls = tls}));
        }
        for (const auto& server : servers_) server->start();
        for (const auto& server : servers_) wait_until_serving(*server);
    }

    [[nodiscard]] std::string addresses() const {
        std::string all;
        for (const auto& server : servers_) all += (all.empty() ? "" : ",") + server->address();
        return authority_ ? all + " " + authority_->certificate() : all;
    }

private:
    static void wait_until_serving(const zookeeper_server& server) {
        if (!turnstile::testing::eventually(
                [&] { return !server.mode().empty() || !server.running(); }) ||
            !server.running())
            throw std::runtime_error{"ZooKeeper does not serve; its log:\n" + server.log()};
    }

    std::optional<turnstile::testing::certificate_authority> authority_;
    std::vector<loopback_port> ports_;
    std::vector<std::unique_ptr<zookeeper_server>> servers_;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        const servers running{parse({argv + 1, argv + argc})};
        std::cout << "ready " << running.addresses() << std::endl;
        std::cin.ignore(std::numeric_limits<std::streamsize>::max());
        return 0;
    } catch (const std::exception& failure) {
        std::cerr << "turnstile_bench_servers: " << failure.what() << '\n';
        return 2;
    }
}
