// SPDX-License-Identifier: Apache-2.0
// The stage of a campaign: three servers, and for each worker a link to each of them that can be cut
// and stalled. Takes orders, one a line, from its standard input and answers each with one line: "ok", or why
// not. Ends, with all that it started, when that is closed.
//
//     turnstile_campaign_stage FOLDER WORKERS TICK_MS SYNC_LIMIT [SHIM]
//
//     kill I | start I | pause I | resume I      a server
//     log-stall I | log-flow I | disk-stall I | disk-flow I
//     cut W | refuse W | accept W | hole W to_server|to_client|both | pass W    a worker's links
//     wait                                       until all servers serve
//
// The first line that it prints names the servers, their folders and the links:
// "ready 127.0.0.1:1,... /folder,... LINK,LINK,LINK;LINK,..."
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "server_log.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/tcp_proxy.hpp"

namespace campaign {
namespace {

namespace fs = std::filesystem;
using turnstile::testing::direction;
using turnstile::testing::tcp_proxy;

constexpr std::size_t k_servers = 3;
constexpr const char* k_log = "log-pipe";  // in the folder that a server runs in

turnstile::testing::ensemble_options options_for(char** arguments) {
    turnstile::testing::ensemble_options options;
    options.count = k_servers;
    options.tick_time = std::chrono::milliseconds{std::stoi(arguments[3])};
    options.sync_limit = std::stoi(arguments[4]);
    options.sync = turnstile::testing::disk_sync::on;  // the shim decides what this takes
    options.heap_mebibytes = 1024;  // requests of an hour, kept for followers that are stopped
    // A question for a server's role should not wait for its log.
    constexpr const char* k_level =
        "org.slf4j.simpleLogger.log.org.apache.zookeeper.server.NIOServerCnxn";
    options.system_properties = {{"org.slf4j.simpleLogger.logFile", k_log},
                                 {k_level, "warn"},
                                 {"org.slf4j.simpleLogger.showDateTime", "true"}};
    return options;
}

class stage {
public:
    explicit stage(char** arguments) : servers_{options_for(arguments)} {
        // Only now are there folders to make pipes in.
        for (std::size_t i = 0; i != k_servers; ++i) {
            servers_.kill(i);
            logs_.push_back(std::make_unique<server_log>(
                folder(i) / k_log,
                fs::path{arguments[1]} / ("server-" + std::to_string(i) + ".log")));
        }
        for (std::size_t i = 0; i != k_servers; ++i) servers_.start(i);
        servers_.wait_until_serving();
        const int workers = std::stoi(arguments[2]);
        for (int w = 0; w != workers; ++w) {
            auto& links = links_.emplace_back();
            for (std::size_t i = 0; i != k_servers; ++i)
                links.push_back(std::make_unique<tcp_proxy>(servers_.connect_string(i)));
        }
    }

    [[nodiscard]] std::string description() const {
        std::string text = "ready " + servers_.connect_string() + " ";
        for (std::size_t i = 0; i != k_servers; ++i)
            text += (i == 0 ? "" : ",") + folder(i).string();
        text += " ";
        for (std::size_t w = 0; w != links_.size(); ++w) {
            text += w == 0 ? "" : ";";
            for (std::size_t i = 0; i != k_servers; ++i)
                text += (i == 0 ? "" : ",") + links_[w][i]->address();
        }
        return text;
    }

    // An order that fails leaves the servers' files to the director, which copies them.
    [[nodiscard]] std::string answer(const std::string& line) {
        try {
            return execute(line) ? "ok" : "unknown order";
        } catch (const std::exception& e) {
            std::cerr << e.what() << std::endl;
            return "failed: see stage.log";
        }
    }

private:
    // False: the order is unknown.
    bool execute(const std::string& line) {
        std::istringstream words{line};
        std::string command;
        std::size_t which = 0;
        std::string how;
        words >> command >> which >> how;
        if (command == "wait") return servers_.wait_until_serving(), true;
        return to_server(command, which) || to_link(command, which, how);
    }

    [[nodiscard]] fs::path folder(std::size_t i) const {
        return servers_.server(i).data_folder().parent_path();
    }

    bool to_server(const std::string& command, std::size_t i) {
        if (i >= k_servers) return false;
        if (command == "kill") return servers_.kill(i), true;
        if (command == "start") return servers_.start(i), true;
        if (command == "pause") return servers_.pause(i), true;
        if (command == "resume") return servers_.resume(i), true;
        if (command == "log-stall") return logs_[i]->stall(), true;
        if (command == "log-flow") return logs_[i]->flow(), true;
        if (command == "disk-stall") return std::ofstream{folder(i) / "stall-disk"}.good();
        if (command == "disk-flow") return fs::remove(folder(i) / "stall-disk"), true;
        return false;
    }

    bool to_link(const std::string& command, std::size_t worker, const std::string& how) {
        if (worker >= links_.size()) return false;
        for (auto& link : links_[worker]) {
            if (command == "cut") {
                link->cut();
            } else if (command == "refuse") {
                link->refuse();
            } else if (command == "accept") {
                link->accept();
            } else if (command == "pass") {
                link->pass();
            } else if (command == "hole" && how == "both") {
                link->black_hole();
            } else if (command == "hole") {
                link->black_hole(how == "to_server" ? direction::to_server : direction::to_client);
            } else {
                return false;
            }
        }
        return true;
    }

    turnstile::testing::ensemble servers_;
    std::vector<std::unique_ptr<server_log>> logs_;
    std::vector<std::vector<std::unique_ptr<tcp_proxy>>> links_;
};

}  // namespace
}  // namespace campaign

int main(int argc, char** argv) {
    if (argc < 5) {
        std::cerr << "usage: stage FOLDER WORKERS TICK_MS SYNC_LIMIT [SHIM]\n";
        return 2;
    }
    try {
        if (argc > 5) ::setenv("LD_PRELOAD", argv[5], 1);
        campaign::stage all{argv};
        std::cout << all.description() << std::endl;
        for (std::string line; std::getline(std::cin, line);)
            std::cout << all.answer(line) << std::endl;
        return 0;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
