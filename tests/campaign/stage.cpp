// SPDX-License-Identifier: Apache-2.0
// The stage of a campaign: the servers, and for each worker one link to each server. The stage can cut and stall a
// link. Reads one order from each line of its standard input, and answers with one line: "ok", or an error. Ends, with
// all its processes, when standard input is closed.
//
//     turnstile_campaign_stage KIND FOLDER WORKERS TICK_MS SYNC_LIMIT SMALL_DISK_MIB [SHIM]
//
// Orders for server I:
//
//     kill I, stop I, start I, pause I, resume I
//     running I                          answers "yes" or "no"
//     log-stall I, log-flow I            ZooKeeper: stops and continues the reading of the server's log
//     disk-stall I, disk-flow I          ZooKeeper: stops and continues the server's syncs to the disk
//     lag I                              Redis: the replicas of master I receive no more writes
//     promote I                          Redis with replicas: makes replica I the master
//     follow I                           Redis with sentinels: ends `lag I`
//     replaced I                         Redis with sentinels: waits until another server is the master
//     redirect I                         leads all links to this server
//
// Orders for all links of worker W (turnstile/testing/tcp_proxy.hpp):
//
//     cut W                              closes the open connections
//     refuse W, accept W                 refuses connections as if no server ran; accepts them again
//     hole W to_server|to_client|both    stops the data in these directions, and keeps the connections open
//     pass W                             ends `hole W`
//
// Other orders:
//
//     renew 0                            ZooKeeper with TLS: renews all certificates
//     master                             Redis: answers the master's number
//     sql 0 IN,OUT                       a database: executes the statements of the file IN
//     wait                               waits until all servers serve
//
// The first line of its output names the servers, their folders and the links:
// "ready 127.0.0.1:1?ca_file=...,... /folder,... LINK,LINK,LINK;LINK,..."
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "staged_servers.hpp"
#include "turnstile/testing/tcp_proxy.hpp"

namespace campaign {

std::unique_ptr<staged_servers> make_servers(const std::string& kind,
                                             const stage_settings& settings) {
    if (kind == "zookeeper") return make_zookeeper(settings);
    if (kind == "zookeeper-tls") return make_secured_zookeeper(settings);
    if (kind == "redis") return make_redis(settings);
    if (kind == "redis-replicated") return make_replicated_redis(settings);
    if (kind == "redis-sentinel") return make_watched_redis(settings);
    if (kind == "postgresql") return make_postgresql(settings);
    if (kind == "mariadb") return make_mariadb(settings);
    throw std::runtime_error{"there are no servers of the kind '" + kind + "'"};
}

namespace {

using turnstile::testing::direction;
using turnstile::testing::tcp_proxy;
using turnstile::testing::traffic;

class stage {
public:
    stage(const std::string& kind, const stage_settings& settings, std::size_t workers)
        : servers_{make_servers(kind, settings)}, links_(workers) {
        const auto carried = kind == "zookeeper" ? traffic::zookeeper : traffic::bytes;
        for (auto& links : links_) {
            for (std::size_t i = 0; i != servers_->links(); ++i)
                links.push_back(std::make_unique<tcp_proxy>(servers_->address(i), carried));
        }
    }

    [[nodiscard]] std::string description() const {
        std::string addresses;
        std::string folders;
        std::string links;
        for (std::size_t i = 0; i != servers_->count(); ++i) {
            addresses += (i == 0 ? "" : ",") + servers_->address(i) + servers_->address_options();
            folders += (i == 0 ? "" : ",") + servers_->folder(i).string();
        }
        for (std::size_t w = 0; w != links_.size(); ++w) {
            links += w == 0 ? "" : ";";
            if (links_[w].empty()) links += servers_->connect_string();
            for (std::size_t i = 0; i != links_[w].size(); ++i)
                links += (i == 0 ? "" : ",") + links_[w][i]->address();
        }
        return "ready " + addresses + ' ' + folders + ' ' + links;
    }

    // Returns the answer to an order. If the order fails, the answer says so. Then director.py copies the servers'
    // files.
    [[nodiscard]] std::string answer(const std::string& line) {
        std::istringstream words{line};
        std::string command;
        std::size_t which = 0;
        std::string how;
        words >> command >> which >> how;
        try {
            if (command == "running" && which < servers_->count())
                return servers_->running(which) ? "yes" : "no";
            if (command == "master") return std::to_string(servers_->master());
            return execute(command, which, how) ? "ok" : "unknown order";
        } catch (const std::exception& e) {
            std::cerr << e.what() << std::endl;
            return "failed: see stage.log";
        }
    }

private:
    // Returns false if the order is unknown.
    bool execute(const std::string& command, std::size_t which, const std::string& how) {
        if (command == "wait") return servers_->wait_until_serving(), true;
        if (which < servers_->count() && to_server(command, which, how)) return true;
        return to_link(command, which, how);
    }

    bool to_server(const std::string& command, std::size_t i, const std::string& rest) {
        if (command == "kill") return servers_->kill(i), true;
        if (command == "stop") return servers_->stop(i), true;
        if (command == "start") return servers_->start(i), true;
        if (command == "pause") return servers_->pause(i), true;
        if (command == "resume") return servers_->resume(i), true;
        if (command == "redirect") return redirect(servers_->address(i)), true;
        return servers_->carry_out(command, i, rest);
    }

    void redirect(const std::string& address) {
        for (auto& links : links_)
            for (auto& link : links) link->redirect(address);
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

    std::unique_ptr<staged_servers> servers_;
    std::vector<std::vector<std::unique_ptr<tcp_proxy>>> links_;
};

}  // namespace
}  // namespace campaign

int main(int argc, char** argv) {
    constexpr int k_least = 7;
    if (argc < k_least) {
        std::cerr << "usage: stage KIND FOLDER WORKERS TICK_MS SYNC_LIMIT SMALL_DISK_MIB [SHIM]\n";
        return 2;
    }
    try {
        if (argc > k_least) ::setenv("LD_PRELOAD", argv[k_least], 1);
        campaign::stage_settings settings;
        settings.folder = argv[2];
        settings.tick_ms = std::stoi(argv[4]);
        settings.sync_limit = std::stoi(argv[5]);
        settings.small_disk_mib = std::stoul(argv[6]);
        campaign::stage all{argv[1], settings, std::stoul(argv[3])};
        std::cout << all.description() << std::endl;
        for (std::string line; std::getline(std::cin, line);)
            std::cout << all.answer(line) << std::endl;
        return 0;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
