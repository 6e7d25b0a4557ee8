// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/diagnosis.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "support/descriptor.hpp"
#include "zookeeper/addresses.hpp"
#include "zookeeper/server_role.hpp"
#include "zookeeper/server_words.hpp"

namespace turnstile::zookeeper {
namespace {

constexpr std::size_t k_most_servers = 16;
constexpr const char* k_mute =
    "accepts connections, but gives no session and reports no role: too many connections from this "
    "address (maxClientCnxns), a port with TLS (use zookeepers://), or no ZooKeeper server";

// The first bytes with which a server of another protocol answers.
struct protocol {
    std::string_view begin;
    std::string_view meaning;
};
constexpr std::array<protocol, 4> k_protocols{{
    {"\x15\x03", "speaks TLS: begin the connect string with zookeepers://"},
    {"HTTP", "speaks HTTP, and is no ZooKeeper server"},
    {"-ERR", "answers like a Redis server: begin the connect string with redis://"},
    {"SSH-", "speaks SSH, and is no ZooKeeper server"},
}};

// Parses "Zxid: 0x1000002a4" in the answer of a serving server.
std::optional<std::int64_t> latest_transaction(const std::string& answer) {
    constexpr std::string_view k_line = "\nZxid: 0x";
    const auto at = answer.find(k_line);
    if (at == std::string::npos) return std::nullopt;
    std::int64_t zxid = 0;
    const auto* const begin = answer.data() + at + k_line.size();
    const auto [end, failure] = std::from_chars(begin, answer.data() + answer.size(), zxid, 16);
    return failure == std::errc{} && end != begin ? std::optional{zxid} : std::nullopt;
}

std::string state_of(const word_answer& answer) {
    if (answer.failure != 0) return std::strerror(answer.failure);
    if (!answer.connected) return "no answer";
    if (!answer.fault.empty()) return answer.fault;
    if (auto other = foreign_protocol(answer.text); !other.empty()) return other;
    if (answer.text.find("not currently serving") != std::string::npos)
        return "is up, but its ensemble has no majority to serve with";
    if (auto old = version_fault(answer.text); !old.empty()) return old;
    if (parse_role(answer.text) != server_role::unknown)
        return "serves its ensemble, but gives no session";
    return k_mute;
}

}  // namespace

diagnosis diagnose(const ensemble_address& servers, core::duration limit, std::int64_t seen) {
    diagnosis found{.text = {}, .is_older = true};
    const auto tell = [&found](std::string_view server, std::string_view state) {
        found.text += fmt::format("{}{}: {}", found.text.empty() ? "" : "; ", server, state);
    };
    std::vector<socket_address> addresses;
    for (const auto& server : servers.servers) {
        const auto resolved = resolve(server);
        if (resolved.empty()) {
            found.is_older = false;
            tell(server.host, "cannot be resolved");
        }
        for (const auto& address : resolved)
            if (addresses.size() < k_most_servers) addresses.push_back(address);
    }
    const auto all = [](const word_answer&) { return false; };
    const auto answers = ask_servers(addresses, "srvr", support::k_no_descriptor, limit, all);
    for (std::size_t i = 0; i != addresses.size(); ++i) {
        const auto latest = latest_transaction(answers[i].text);
        const bool is_older = latest && *latest < seen;
        found.is_older &= is_older;
        tell(to_string(addresses[i], address_form::for_people),
             is_older
                 ? fmt::format("has older data (transaction {:#x}) than a session has seen "
                               "({:#x}): it was wiped or rolled back, and refuses that session",
                               *latest, seen)
                 : state_of(answers[i]));
    }
    found.is_older &= !addresses.empty();
    return found;
}

std::string foreign_protocol(std::string_view bytes) {
    for (const auto& [begin, meaning] : k_protocols)
        if (bytes.starts_with(begin)) return std::string{meaning};
    return {};
}

std::string explain(const socket_address& server, const std::string& reason, int give_up,
                    core::duration limit) {
    const auto any = [](const word_answer&) { return true; };
    const auto answer = ask_servers({server}, "srvr", give_up, limit, any).front();
    const auto state = state_of(answer);
    return answer.text.empty() && state == k_mute ? fmt::format("{}; it {}", reason, state) : state;
}

}  // namespace turnstile::zookeeper
