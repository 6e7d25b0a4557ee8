// SPDX-License-Identifier: Apache-2.0
// Fuzzes answers of ZooKeeper servers to four-letter words. Each number that a parser returns is within its bounds. Two
// parsers of the same answer agree on the server's role, or on its tick and syncLimit. A malformed line about one
// session does not hide the line of another session.
#include <cmath>
#include <string>
#include <string_view>

#include "cli/session_list.hpp"
#include "fuzz_input.hpp"
#include "zookeeper/server_role.hpp"

namespace {

using namespace turnstile;
using fuzz::expect;

void check_srvr(std::string_view answer) {
    server_health health;
    zookeeper::read_srvr(answer, health);
    const auto role = zookeeper::parse_role(answer);
    static_cast<void>(zookeeper::parse_software(answer));
    expect((role == server_role::unknown) == (health.role == server_role::unknown),
           "the role is known to one parser alone", answer);
    expect(health.serves == health.problem.empty(), "a server serves with a problem", answer);
    expect(fuzz::is_printable_ascii(health.problem), "a problem has an odd byte", health.problem);
    expect(health.version.find_first_of("\r\n-,") == std::string::npos, "more than a version",
           health.version);
    for (const auto& number : {health.latency_ms, health.longest_latency_ms})
        expect(!number || (std::isfinite(*number) && *number >= 0), "a latency is none", answer);
    for (const auto& number :
         {health.connections, health.received, health.outstanding, health.nodes})
        expect(!number || *number >= 0, "a count is negative", answer);
}

void check_conf(std::string_view answer) {
    constexpr std::int64_t k_most = 2'147'483'647;
    const auto read = zookeeper::read_conf(answer);
    const auto pace = zookeeper::parse_pace(answer);
    if (pace) {
        const auto tick = std::chrono::duration_cast<std::chrono::milliseconds>(pace->tick);
        expect(tick.count() >= 1 && tick.count() * pace->sync_limit <= k_most,
               "a pace is out of bounds", answer);
        expect(read && read->tick == pace->tick && read->sync_limit == pace->sync_limit,
               "the pace is another one to people", answer);
    }
    if (!read) return;
    for (const auto& span : {read->tick, read->min_session_timeout, read->max_session_timeout})
        expect(span.count() >= 0 && span.count() <= k_most, "a duration is out of bounds", answer);
    for (const int count : {read->init_limit, read->sync_limit, read->max_connections})
        expect(count >= 0, "a count is negative", answer);
    expect(read->tick.count() * std::max(read->init_limit, read->sync_limit) <= k_most,
           "a limit is out of bounds", answer);
}

constexpr std::int64_t k_own = 0x7777;

void check_cons(const std::string& answer) {
    for (const auto& [id, connection] : cli::parse_cons(answer)) {
        expect(connection.timeout.count() >= 0 && connection.timeout.count() <= 2'147'483'647,
               "a timeout is out of bounds", answer);
        expect(connection.address.find('\n') == std::string::npos, "an address has two lines",
               connection.address);
    }
    const auto found = cli::parse_cons(answer + "\n /10.0.0.7:48572[1](sid=0x7777,to=30000)\n");
    const cli::session_connection own{"10.0.0.7:48572", std::chrono::milliseconds{30'000}};
    expect(found.contains(k_own) && found.at(k_own) == own, "a line hides the next one", answer);
}

void check_dump(const std::string& answer) {
    for (const auto& [id, paths] : cli::parse_dump(answer))
        for (const auto& path : paths)
            expect(path.starts_with('/') && path.find('\n') == std::string::npos, "a path is none",
                   path);
    auto found =
        cli::parse_dump("Sessions with Ephemerals (2):\n" + answer + "\n0x7777:\n\t/own\n");
    expect(!found[k_own].empty() && found[k_own].back() == "/own", "a line hides the next one",
           answer);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string answer{reinterpret_cast<const char*>(data), size};
    check_srvr(answer);
    check_conf(answer);
    check_cons(answer);
    check_dump(answer);
    return 0;
}
