// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <stdexcept>

#include "processes.hpp"
#include "turnstile/client.hpp"
#include "turnstile/mutex.hpp"
#include "turnstile/testing/ensemble.hpp"
#include "turnstile/testing/mariadb_server.hpp"
#include "turnstile/testing/postgres_server.hpp"
#include "turnstile/testing/redis_server.hpp"

namespace demo {
namespace {

namespace kit = turnstile::testing;
using turnstile::boottime_clock;

constexpr std::chrono::seconds k_patience{30};

void print_line(const std::string& text) {
    fmt::print("{}\n", text);
    std::fflush(stdout);
}

// Returns the servers' clock and this process's clock at the same moment, with an error of half a round trip. The
// servers' time is the creation time of a znode.
std::string clocks_of(const std::string& servers, const settings& given) {
    turnstile::client_options options;
    options.session_timeout = given.session_timeout;
    options.lease.tick = given.tick;
    turnstile::client client{servers, options};
    client.wait_connected(k_patience).value();
    turnstile::mutex probe{client, "/demo/clock"};
    probe.acquire({.timeout = k_patience})
        .value()
        .release(k_patience)
        .value();  // creates the parents
    const auto before = boottime_clock::now();
    const auto hold = std::move(probe.acquire({.timeout = k_patience})).value();
    const auto middle = before + (boottime_clock::now() - before) / 2;
    const auto created = probe.holder().value()->created.time_since_epoch();
    return fmt::format("{} {}",
                       std::chrono::duration_cast<std::chrono::milliseconds>(created).count(),
                       middle.time_since_epoch().count());
}

template <class Kill, class Start>
int serve(const std::string& servers, const settings& given, Kill kill, Start start) {
    print_line(servers);
    print_line(clocks_of(servers, given));
    for (std::string command; std::getline(std::cin, command);) {
        if (command == "kill") kill();
        if (command == "start") start();
        print_line("done");
    }
    return 0;
}

// Runs a server, which is an object of a class of turnstile::testing. When demo.py kills and starts the server, the
// server keeps its data.
template <class Server>
int serve(Server server, const settings& given) {
    server.start();
    return serve(
        server.connect_string(), given, [&] { server.kill(); }, [&] { server.start(); });
}

}  // namespace

int run_server(const settings& given) {
    const auto nothing = [] {};
    if (given.servers == "zookeeper") {
        kit::ensemble_options options;
        options.tick_time = given.tick;
        kit::ensemble servers{options};
        return serve(servers.connect_string(), given, nothing, nothing);
    }
    if (given.servers == "sqlite")
        return serve("sqlite:" + (given.folder / "locks.db").string(), given, nothing, nothing);
    if (given.servers == "redis")
        return serve(kit::redis_server{{.config = "appendonly yes\nappendfsync always\n"}}, given);
    if (given.servers == "postgresql") return serve(kit::postgres_server{}, given);
    if (given.servers == "mariadb") return serve(kit::mariadb_server{}, given);
    throw std::runtime_error{"no such kind of server: " + given.servers};
}

}  // namespace demo
