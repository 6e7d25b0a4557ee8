// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/way_to_leader.hpp"

#include <algorithm>

#include "turnstile/clock.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/limits.hpp"

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

}  // namespace turnstile::zookeeper
