// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/server_search.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/random.hpp"
#include "zookeeper/limits.hpp"
#include "zookeeper/server_words.hpp"

namespace turnstile::zookeeper {

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
