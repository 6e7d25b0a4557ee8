// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/diagnosis.hpp"

#include <fmt/core.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "zookeeper/addresses.hpp"
#include "zookeeper/server_role.hpp"
#include "zookeeper/server_words.hpp"

namespace turnstile::zookeeper {
namespace {

constexpr std::size_t k_most_servers = 16;
constexpr int k_no_descriptor = -1;

std::string state_of(const word_answer& answer) {
    if (answer.failure != 0) return std::strerror(answer.failure);
    if (!answer.connected) return "no answer";
    if (answer.text.find("not currently serving") != std::string::npos)
        return "is up, but its ensemble has no majority to serve with";
    if (parse_role(answer.text) != core::server_role::unknown)
        return "serves its ensemble, but gives no session";
    return "accepts connections, but gives no session and tells no role";
}

}  // namespace

std::string diagnose(const connect_string& servers, core::duration limit) {
    std::string text;
    const auto tell = [&text](std::string_view server, std::string_view state) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", server, state);
    };
    std::vector<socket_address> addresses;
    for (const auto& server : servers.servers) {
        const auto resolved = resolve(server);
        if (resolved.empty()) tell(server.host, "cannot be resolved");
        for (const auto& address : resolved)
            if (addresses.size() < k_most_servers) addresses.push_back(address);
    }
    const auto all = [](const word_answer&) { return false; };
    const auto answers = ask_servers(addresses, "srvr", k_no_descriptor, limit, all);
    for (std::size_t i = 0; i != addresses.size(); ++i)
        tell(to_string(addresses[i], address_form::for_people), state_of(answers[i]));
    return text;
}

}  // namespace turnstile::zookeeper
