// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/server_role.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>

#include <fmt/core.h>

#include "zookeeper/server_words.hpp"

namespace turnstile::zookeeper {
namespace {

constexpr std::string_view k_version_label = "Zookeeper version: ";

// Returns the number after a label that begins a line; nothing if there is none, or if the text ends within the line.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view label) {
    const auto at = text.find(label);
    if (at == std::string_view::npos || (at != 0 && text[at - 1] != '\n')) return std::nullopt;
    const auto digits = text.substr(at + label.size());
    std::int64_t value = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end.ec != std::errc{}) return std::nullopt;
    const bool is_whole =
        end.ptr != digits.data() + digits.size() && (*end.ptr == '\n' || *end.ptr == '\r');
    return is_whole ? std::optional{value} : std::nullopt;
}

// True for "3.4.14-...". A version that is not a number belongs to a private build, and counts as recent.
bool is_before_3_5(std::string_view version) noexcept {
    int major = 0;
    const auto* const end = version.data() + version.size();
    const auto dot = std::from_chars(version.data(), end, major);
    if (dot.ec != std::errc{} || dot.ptr == end || *dot.ptr != '.') return false;
    int minor = 0;
    if (std::from_chars(dot.ptr + 1, end, minor).ec != std::errc{}) return false;
    return major < 3 || (major == 3 && minor < 5);
}

}  // namespace

server_role parse_role(std::string_view answer) noexcept {
    constexpr std::string_view k_label = "\nMode: ";
    const auto at = answer.find(k_label);
    if (at == std::string_view::npos) return server_role::unknown;
    std::string_view mode = answer.substr(at + k_label.size());
    mode = mode.substr(0, mode.find_first_of("\r\n"));
    if (mode == "standalone") return server_role::standalone;
    if (mode == "leader") return server_role::leader;
    if (mode == "follower") return server_role::follower;
    if (mode == "observer") return server_role::observer;
    if (mode == "read-only") return server_role::read_only;
    return server_role::unknown;
}

server_software parse_software(std::string_view answer) noexcept {
    if (answer.starts_with(k_version_label))
        return is_before_3_5(answer.substr(k_version_label.size())) ? server_software::another
                                                                    : server_software::zookeeper;
    if (answer.starts_with("This ZooKeeper instance is not currently serving"))
        return server_software::zookeeper;
    const auto line = answer.substr(0, answer.find('\n'));
    const bool named = line.find(" version: ") != std::string_view::npos;
    return named ? server_software::another : server_software::unknown;
}

std::string version_fault(std::string_view answer) {
    if (!answer.starts_with(k_version_label)) return {};
    const auto version = answer.substr(k_version_label.size());
    if (!is_before_3_5(version)) return {};
    return fmt::format("is ZooKeeper {}, and this client needs 3.5 or later",
                       version.substr(0, version.find_first_not_of("0123456789.")));
}

std::optional<core::server_pace> parse_pace(std::string_view answer) noexcept {
    constexpr std::int64_t k_most = std::numeric_limits<std::int32_t>::max();
    const auto tick = number_after(answer, "tickTime=");
    const auto limit = number_after(answer, "syncLimit=");
    if (!tick || !limit || *tick < 1 || *tick > k_most || *limit < 1 || *limit > k_most / *tick)
        return std::nullopt;
    return core::server_pace{std::chrono::milliseconds{*tick}, static_cast<int>(*limit)};
}

std::optional<socket_address> find_role(const std::vector<socket_address>& servers,
                                        server_role wanted, int give_up, core::duration limit) {
    const auto has_it = [wanted](const word_answer& answer) {
        return answer.whole && parse_role(answer.text) == wanted;
    };
    const auto answers = ask_servers(servers, "srvr", give_up, limit, has_it);
    for (std::size_t i = 0; i != servers.size(); ++i)
        if (has_it(answers[i])) return servers[i];
    return std::nullopt;
}

}  // namespace turnstile::zookeeper
