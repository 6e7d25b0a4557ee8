// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/way_to_leader.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/random.hpp"
#include "turnstile/clock.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/limits.hpp"
#include "zookeeper/server_words.hpp"

namespace turnstile::zookeeper {

resolved_servers resolve_all(const ensemble_address& servers) {
    resolved_servers known;
    const auto begun = boottime_clock::now();
    for (const auto& server : servers.servers) {
        known.hosts.push_back(hosts_of({{server}, {}}, address_form::for_c_client));
        const auto addresses = resolve(server);
        if (addresses.empty()) ++known.missing;
        for (const auto& address : addresses) {
            const auto text = to_string(address, address_form::for_c_client);
            known.host_of.emplace(text, addresses.size() == 1 ? known.hosts.back() : text);
            known.addresses.push_back(address);
        }
    }
    // During the move the C client resolves the names twice while it has no connection. If this takes too long, the
    // session may expire. So if names resolve slowly, the list contains addresses.
    known.by_address = boottime_clock::now() - begun > k_resolve_limit;
    if (!known.by_address) return known;
    known.hosts.clear();
    known.missing = 0;
    for (auto& [text, host] : known.host_of) known.hosts.push_back(host = text);
    return known;
}

way_to_leader way_to(const socket_address& leader, const resolved_servers& known,
                     base::random& chance) {
    const auto first = known.host_of.at(to_string(leader, address_form::for_c_client));
    auto others = known.hosts;
    const auto own = std::find(others.begin(), others.end(), first);
    const bool is_host = own != others.end();
    if (is_host) others.erase(own);
    std::shuffle(others.begin(), others.end(), chance);
    way_to_leader way{.hosts = {first}, .by_address = known.by_address || !is_host};
    way.hosts.insert(way.hosts.end(), others.begin(), others.end());
    way.addresses =
        known.by_address ? way.hosts.size() : known.addresses.size() + (is_host ? 0 : 1);
    // The list must have an odd number of addresses (the header says why). A name without an address counts as one
    // address here, because the name service may return an address for it later.
    if ((way.addresses + known.missing) % 2 == 0) {
        way.hosts.push_back(first);
        ++way.addresses;
    }
    return way;
}

namespace {

// A multicast address. connect() of a stream socket refuses it at once, and sends no packet.
constexpr const char* k_unreachable = "224.0.0.1:1";
constexpr const char* k_unreachable_6 = "ff02::1:1";

const char* unreachable(const socket_address& present) noexcept {
    return present.storage.ss_family == AF_INET6 ? k_unreachable_6 : k_unreachable;
}

}  // namespace

bool is_unreachable(std::string_view host) noexcept {
    return host == k_unreachable || host == k_unreachable_6;
}

// zoo_set_servers closes the socket, but keeps the requests in progress until the first answer on the next connection.
// The C client then treats that answer as an error. So the list begins with an address that refuses connections. At
// this refusal, as at the end of any connection, the C client gives up all requests before it tries the next address.
// After that, it takes the second or third address of the list, at random.
way_to_leader way_from_silence(const socket_address& present, const socket_address& to,
                               const resolved_servers& known, base::random& chance) {
    auto way = way_to(to, known, chance);
    const auto first = way.hosts.front();
    const auto text = to_string(present, address_form::for_c_client);
    const auto here = known.host_of.find(text);
    if (here != known.host_of.end() && here->second != first)
        std::stable_partition(way.hosts.begin(), way.hosts.end(),
                              [&here](const auto& each) { return each != here->second; });
    way.hosts.insert(way.hosts.begin(), {unreachable(present), first});
    way.addresses += 2;
    way.from = present;
    return way;
}

server_answers ask_for_role(const socket_address& server, bool& asks_pace, int give_up) {
    server_answers told;
    if (server.length != 0) {
        const auto answer = ask_server(server, "srvr", give_up, k_role_limit);
        told.role = parse_role(answer);
        told.software = parse_software(answer);
    }
    if (told.role == server_role::unknown)
        log::write(log_level::debug, "{} does not report its role",
                   to_string(server, address_form::for_people));
    const bool relays = told.role == server_role::follower || told.role == server_role::observer;
    if (!relays || !asks_pace) return told;
    const auto configuration = ask_server(server, "conf", give_up, k_role_limit);
    told.pace = parse_pace(configuration);
    asks_pace = configuration.find("whitelist") == std::string::npos;
    return told;
}

std::optional<way_to_leader> find_leader(const ensemble_address& servers, int give_up) {
    const auto known = resolve_all(servers);
    const auto leader = find_role(known.addresses, server_role::leader, give_up, k_role_limit);
    if (!leader) return std::nullopt;
    auto chance = base::random::from_system();
    return way_to(*leader, known, chance);
}

std::optional<way_to_leader> find_another(const ensemble_address& servers,
                                          const core::look_elsewhere& wanted,
                                          const socket_address& present, int give_up) {
    const auto known = resolve_all(servers);
    const auto here = to_string(present, address_form::for_c_client);
    auto others = known.addresses;
    std::erase_if(others, [&here](const socket_address& each) {
        return to_string(each, address_form::for_c_client) == here;
    });
    const auto leads = [](const word_answer& answer) {
        const auto role = answer.whole ? parse_role(answer.text) : server_role::unknown;
        return role == server_role::leader || role == server_role::standalone;
    };
    auto chance = base::random::from_system();
    const auto limit = std::min<core::duration>(wanted.within / 2, k_role_limit);
    for (const auto& asked : {others, std::vector{present}}) {
        const auto answers = ask_servers(asked, "srvr", give_up, limit, leads);
        const auto found = std::find_if(answers.begin(), answers.end(), leads);
        if (found == answers.end()) continue;
        const auto& server = asked[static_cast<std::size_t>(found - answers.begin())];
        if (known.host_of.count(to_string(server, address_form::for_c_client)) == 0) continue;
        return way_from_silence(present, server, known, chance);
    }
    return std::nullopt;
}

}  // namespace turnstile::zookeeper
