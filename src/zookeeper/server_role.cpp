// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/server_role.hpp"

#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

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

// Returns the rest of the line after a label that begins the line; empty if no line has the label.
std::string_view value_of(std::string_view text, std::string_view label) {
    for (std::size_t at = text.find(label); at != std::string_view::npos;
         at = text.find(label, at + 1)) {
        if (at != 0 && text[at - 1] != '\n') continue;
        const auto value = text.substr(at + label.size());
        return value.substr(0, value.find_first_of("\r\n"));
    }
    return {};
}

// Returns the number, or nothing if the text is not a number from 0 on.
std::optional<std::int64_t> number_of(std::string_view text) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc{} && value >= 0 ? std::optional{value} : std::nullopt;
}

// Returns 0 for a number beyond 32 bits: servers keep all their settings as 32-bit integers.
int setting_of(std::string_view text) {
    const auto value = number_of(text).value_or(0);
    return value <= std::numeric_limits<std::int32_t>::max() ? static_cast<int>(value) : 0;
}

std::chrono::milliseconds milliseconds_of(std::string_view text) {
    return std::chrono::milliseconds{setting_of(text)};
}

// Parses a double in Java's form: "0.5", "1.0E-4".
std::optional<double> decimal_of(std::string_view text) {
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_duration = std::isfinite(value) && value >= 0;
    return read.ec == std::errc{} && is_duration ? std::optional{value} : std::nullopt;
}

// Parses "0/0.5/12": the least, the average and the longest latency.
void read_latency(std::string_view text, server_health& into) {
    const auto first = text.find('/');
    const auto second = text.find('/', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) return;
    into.latency_ms = decimal_of(text.substr(first + 1, second - first - 1));
    into.longest_latency_ms = decimal_of(text.substr(second + 1));
}

std::string problem_of(std::string_view answer, server_role role) {
    if (role == server_role::read_only) return "is cut off from its majority, and only reads";
    if (role != server_role::unknown) return {};
    if (answer.find("not currently serving") != std::string_view::npos)
        return "is up, but its ensemble has no majority to serve with";
    if (is_refused(answer))
        return "does not report its role: srvr is not in its 4lw.commands.whitelist";
    return "accepts connections, but reports no role: another program, a port with TLS "
           "(zookeepers://), or srvr is not in its 4lw.commands.whitelist";
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

bool is_refused(std::string_view answer) noexcept {
    return answer.find("not in the whitelist") != std::string_view::npos;
}

void read_srvr(std::string_view answer, server_health& into) {
    into.role = parse_role(answer);
    into.problem = version_fault(answer);
    if (into.problem.empty()) into.problem = problem_of(answer, into.role);
    into.serves = into.problem.empty();
    if (into.role == server_role::unknown) return;
    const auto version = value_of(answer, k_version_label);
    into.version = version.substr(0, version.find_first_of("-,"));
    read_latency(value_of(answer, "Latency min/avg/max: "), into);
    into.connections = number_of(value_of(answer, "Connections: "));
    into.received = number_of(value_of(answer, "Received: "));
    into.outstanding = number_of(value_of(answer, "Outstanding: "));
    into.nodes = number_of(value_of(answer, "Node count: "));
}

std::optional<server_configuration> read_conf(std::string_view answer) {
    const auto tick = value_of(answer, "tickTime=");
    if (tick.empty()) return std::nullopt;
    const auto length = milliseconds_of(tick);
    // Returns 0, as for an absent limit, if the limit in milliseconds would overflow 32 bits. parse_pace() does the
    // same.
    const auto limit = [&](std::string_view label) {
        const int ticks = setting_of(value_of(answer, label));
        return length.count() * ticks <= std::numeric_limits<std::int32_t>::max() ? ticks : 0;
    };
    return server_configuration{
        .tick = length,
        .init_limit = limit("initLimit="),
        .sync_limit = limit("syncLimit="),
        .min_session_timeout = milliseconds_of(value_of(answer, "minSessionTimeout=")),
        .max_session_timeout = milliseconds_of(value_of(answer, "maxSessionTimeout=")),
        .max_connections = setting_of(value_of(answer, "maxClientCnxns="))};
}

}  // namespace turnstile::zookeeper
