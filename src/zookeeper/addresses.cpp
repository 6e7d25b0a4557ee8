// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/addresses.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netdb.h>
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/log.hpp"

namespace turnstile::zookeeper {
namespace {

struct free_addresses {
    void operator()(addrinfo* list) const noexcept { ::freeaddrinfo(list); }
};

struct address_lookup {
    int answer = 0;  // from getaddrinfo()
    std::vector<socket_address> addresses;
};

address_lookup look_up(const ensemble_server& server) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_ADDRCONFIG;  // like the C client
    addrinfo* raw = nullptr;
    address_lookup out;
    out.answer =
        ::getaddrinfo(server.host.c_str(), std::to_string(server.port).c_str(), &hints, &raw);
    if (out.answer != 0) return out;
    const std::unique_ptr<addrinfo, free_addresses> list{raw};
    for (const addrinfo* a = list.get(); a != nullptr; a = a->ai_next) {
        socket_address& address = out.addresses.emplace_back();
        std::memcpy(&address.storage, a->ai_addr, a->ai_addrlen);
        address.length = a->ai_addrlen;
        address.host = server.host;
        address.security = server.security;
    }
    return out;
}

}  // namespace

std::string to_string(const socket_address& address, address_form form) {
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    const auto* from = reinterpret_cast<const sockaddr*>(&address.storage);
    if (address.length == 0 ||
        ::getnameinfo(from, address.length, host.data(), host.size(), port.data(), port.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return {};
    }
    const bool brackets = form == address_form::for_people && address.storage.ss_family == AF_INET6;
    return brackets ? fmt::format("[{}]:{}", host.data(), port.data())
                    : fmt::format("{}:{}", host.data(), port.data());
}

void unresolved_hosts::record(const std::string& host, int answer) {
    const base::lock_guard lock{mutex_};
    if (answer == 0) {
        if (answers_.erase(host) != 0)
            log::write(log_level::warning, "{}: the name can be resolved again", host);
        return;
    }
    if (!answers_.insert_or_assign(host, answer).second) return;
    log::write(log_level::warning,
               "{}: the name cannot be resolved ({}); the client cannot use this server until the "
               "name can be resolved",
               host, ::gai_strerror(answer));
}

std::string unresolved_hosts::reason() const {
    const base::lock_guard lock{mutex_};
    return answers_.empty() ? std::string{} : ::gai_strerror(answers_.begin()->second);
}

std::vector<socket_address> resolve(const ensemble_server& server) {
    return look_up(server).addresses;
}

std::vector<socket_address> shuffled_addresses(const ensemble_address& servers,
                                               base::random& chance, unresolved_hosts& missing) {
    std::vector<socket_address> out;
    for (const auto& server : servers.servers) {
        const auto [answer, addresses] = look_up(server);
        missing.record(server.host, answer);
        out.insert(out.end(), addresses.begin(), addresses.end());
    }
    std::shuffle(out.begin(), out.end(), chance);
    return out;
}

server_list shuffled_servers(const ensemble_address& servers, base::random& chance,
                             unresolved_hosts& missing) {
    server_list out;
    std::vector<std::string> list;
    std::string known;  // a server with one address
    std::size_t count = 0;
    for (const auto& server : servers.servers) {
        const auto [answer, addresses] = look_up(server);
        missing.record(server.host, answer);
        count += std::max<std::size_t>(addresses.size(), 1);  // counts a name without address, too
        out.by_address = out.by_address || addresses.size() >= 2;
        if (addresses.size() < 2)
            list.push_back(hosts_of({{server}, {}}, address_form::for_c_client));
        if (addresses.size() == 1) known = list.back();
        for (const auto& address : addresses)
            if (addresses.size() >= 2)
                list.push_back(to_string(address, address_form::for_c_client));
    }
    std::shuffle(list.begin(), list.end(), chance);
    // Makes the number of servers odd: shuffled_servers() in the header says why. A list in which addresses replace a
    // name stays as it is, because client_handle::open() soon replaces that list by the list of names.
    if (!out.by_address && !known.empty() && count % 2 == 0) list.push_back(known);
    out.text = fmt::format("{}", fmt::join(list, ","));
    return out;
}

void leave_random_alone() noexcept {
    static const bool done = [] {
        ::zoo_deterministic_conn_order(1);
        return true;
    }();
    static_cast<void>(done);
}

}  // namespace turnstile::zookeeper
