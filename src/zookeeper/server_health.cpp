// SPDX-License-Identifier: Apache-2.0
#include "turnstile/server_health.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "support/descriptor.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/server_role.hpp"
#include "zookeeper/server_words.hpp"

namespace turnstile {
namespace {

using namespace zookeeper;

constexpr std::string_view k_local = "local:";
constexpr std::size_t k_longest_list = std::size_t{64} << 20U;

struct found_server {
    std::string name;
    socket_address address;  // length 0: the name cannot be resolved
};

std::vector<found_server> find_servers(const ensemble_address& servers) {
    std::vector<found_server> found;
    for (const auto& server : servers.servers) {
        const auto name = hosts_of({{server}, {}}, address_form::for_people);
        const auto addresses = resolve(server);
        if (addresses.empty()) found.push_back({name, {}});
        for (const auto& address : addresses) found.push_back({name, address});
    }
    return found;
}

bool all(const word_answer& /*answer*/) {
    return false;
}

// Returns an answer for each server. The answer is empty if the server has no address.
std::vector<word_answer> ask(const std::vector<found_server>& servers, std::string_view word,
                             boottime_clock::time_point deadline) {
    std::vector<socket_address> addresses;
    for (const auto& server : servers)
        if (server.address.length != 0) addresses.push_back(server.address);
    auto answers = ask_servers(addresses, word, support::k_no_descriptor,
                               deadline - boottime_clock::now(), all, k_longest_list);
    std::vector<word_answer> in_order;
    auto next = answers.begin();
    for (const auto& server : servers)
        in_order.push_back(server.address.length != 0 ? std::move(*next++) : word_answer{});
    return in_order;
}

// Returns why there is no answer; empty if the server answered.
std::string problem_of(const found_server& server, const word_answer& told) {
    if (server.address.length == 0) return "the server's name cannot be resolved";
    if (told.failure != 0) return std::string{"cannot be reached: "} + std::strerror(told.failure);
    if (!told.connected) return "cannot be reached: no answer";
    if (!told.fault.empty()) return told.fault;
    return told.whole ? "" : "accepts connections, but does not answer";
}

std::string address_of(const found_server& server) {
    return server.address.length != 0 ? to_string(server.address, address_form::for_people)
                                      : server.name;
}

server_health health_of(const found_server& server, const word_answer& told) {
    server_health health{.name = server.name,
                         .address = address_of(server),
                         .reachable = told.connected,
                         .problem = problem_of(server, told)};
    if (!health.problem.empty()) return health;
    health.round_trip = std::chrono::ceil<std::chrono::microseconds>(told.took);
    read_srvr(told.text, health);
    return health;
}

bool is_word(std::string_view word) {
    return word.size() == 4 &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

// True for a connect string of a server that is not ZooKeeper, such as "redis://..." or "sqlite:/file".
bool has_scheme(std::string_view connect_string) noexcept {
    return connect_string.starts_with("sqlite:") ||
           (connect_string.find("://") != std::string_view::npos &&
            !has_own_scheme(connect_string));
}

}  // namespace

result<std::vector<server_health>> health_of_servers(std::string_view connect_string,
                                                     std::chrono::milliseconds limit) {
    if (connect_string.starts_with(k_local) || has_scheme(connect_string))
        return std::vector<server_health>{};
    const auto parsed = parse_connect_string(connect_string);
    if (!parsed) return parsed.error();
    const auto servers = find_servers(*parsed);
    const auto deadline = boottime_clock::now() + to_nanoseconds(limit);
    const auto told = ask(servers, "srvr", deadline);
    std::vector<server_health> all_health;
    std::vector<found_server> answering;
    for (std::size_t i = 0; i != servers.size(); ++i) {
        all_health.push_back(health_of(servers[i], told[i]));
        if (all_health.back().round_trip.count() != 0) answering.push_back(servers[i]);
    }
    const auto configurations = ask(answering, "conf", deadline);
    auto next = configurations.begin();
    for (auto& health : all_health)
        if (health.round_trip.count() != 0) health.configuration = read_conf((next++)->text);
    return all_health;
}

result<std::vector<server_answer>> answers_of_servers(std::string_view connect_string,
                                                      std::string_view word,
                                                      std::chrono::milliseconds limit) {
    // The message does not show the connect string, which may contain a password.
    if (has_scheme(connect_string))
        return error{errc::bad_connect_string,
                     "only ZooKeeper servers answer four-letter words; give their addresses as "
                     "host:port[,host:port]..."};
    const auto parsed = parse_connect_string(connect_string);
    if (!parsed) return parsed.error();
    if (!is_word(word))
        return error{errc::bad_option,
                     std::string{word} + ": a four-letter word has four lower-case letters"};
    const auto servers = find_servers(*parsed);
    auto told = ask(servers, word, boottime_clock::now() + to_nanoseconds(limit));
    std::vector<server_answer> answers;
    for (std::size_t i = 0; i != servers.size(); ++i)
        answers.push_back({servers[i].name, address_of(servers[i]),
                           told[i].whole && !told[i].text.empty() && !is_refused(told[i].text),
                           std::move(told[i].text), problem_of(servers[i], told[i])});
    return answers;
}

}  // namespace turnstile
